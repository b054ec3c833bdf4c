// Package symbols writes and reads PREFIX.symbols.arrow, which gives the addresses of the trace PREFIX their names.
//
// The file is a table (package store). A row names a range of addresses:
//
//	code     instructions of one source line: the column pc of references, and the sites of heap blocks
//	global   a variable of the program or a library
//	heap     a block of malloc and its relatives, from its allocation to its release
//	mapping  memory of mmap, from its allocation to its release
//	stack    the stack of a thread
//	member   a part of a type; its addresses count from the start of a variable of this type
//
// Rows of code cover the instructions of the trace, and not the whole program. Ranges of code and of globals do not overlap
// others of their kind. Blocks of the heap may lie in mappings or other blocks: the one whose life began last has the address.
//
// # Time
//
// Memory is used again, so that a block has its address only during its life. It begins and ends at a [Moment], a position of a
// processor. The rows of all blocks are in the order in which their lives ended, so those of one address are in their order
// also where several processors have them.
package symbols

import "spoor/traces/trace"

// Suffix ends the name of the file.
const Suffix = ".symbols.arrow"

// tableName is the kind of the table.
const tableName = "symbols"

// traceFact is the fact of the table with the digest of its trace.
const traceFact = "trace"

// Kind says what a row names. The values are those of the file.
type Kind string

// The kinds of rows.
const (
	Code    Kind = "code"
	Global  Kind = "global"
	Heap    Kind = "heap"
	Mapping Kind = "mapping"
	Stack   Kind = "stack"
	Member  Kind = "member"
)

// Row names the bytes from Addr on. Fields that a kind does not have are empty.
type Row struct {
	Kind   Kind
	Addr   uint64
	Bytes  uint64
	Module string // file of the program or library, without its folder
	Name   string // of the function, variable or member. If functions are inlined, it is the innermost.
	In     string // Code: function whose code it is, if Name is inlined there; Member: type that has the member
	File   string // source file, as the compiler was given it
	Line   int32  // line of File; 0: unknown
	InFile string // Code: source file of the call in In, if Name is inlined there
	InLine int32  // line of InFile
	Type   string // of a variable or member; for an array, of its elements
	Count  int64  // elements of an array; 1: no array
	Site   uint64 // Heap, Mapping: address in the instruction that calls the allocation
	Begin  Moment // Heap, Mapping: of the allocation; Stack: Proc is the processor that has it
	End    Moment // Heap, Mapping: of the release
}

// Moment is the time of a change of the heap: a position of the processor that makes it.
type Moment struct {
	Proc  trace.Proc
	Instr uint64 // instructions that Proc has executed before, as in the trace
}

// Never is the end of blocks that are not released.
var Never = Moment{Proc: -1}
