// Package rewrite changes Go source into source that does the same and, in addition, counts instructions or records
// memory references on a tape.
//
// The result computes the same values, in the same order, and ends with the same panics as the original compiled by
// gc. Calls, receives, && and || of a statement are hoisted into statements before it, in the order of gc's order
// pass. The rest of the statement has no effect except its own. Therefore the addresses of its loads can be
// recorded before it runs. The statement follows, with the results of the calls instead of the calls.
//
// # What is recorded
//
// The rewriter records loads and stores of memory that other code could see:
//
//   - elements of slices, and of arrays through pointers; targets of pointers; fields of structs through pointers
//   - bytes of strings in index expressions and range loops
//   - package variables
//   - local variables whose address is taken: by &, by slicing an array, or by a method with a pointer receiver
//   - local variables that a closure shares: captured by a literal that may run later, and assigned to after their
//     declaration
//
// Memory of append, copy, clear, make, new, literals, and conversions between strings and slices is recorded as a
// whole. The tape is informed of allocations. An operation of sync/atomic is a load, a store or both. Not recorded
// are:
//
//   - all other local variables, parameters and results, which compilers keep in
//     registers or on the stack;
//   - without Options.Headers: variables for being captured, and loads of slices,
//     strings, pointers and the like from variables and fields that only lead to
//     another reference. An example is f.a in f.a[i]. Compilers keep such values in
//     registers over a loop. A load of the value itself, as in p = p.next, is
//     recorded. An element that leads to another reference is also recorded, as
//     rows[i] in rows[i][j];
//   - the contents of maps, because the runtime hides their places: each use of an
//     element is a finding;
//   - the work of the runtime in channels, concatenations, comparisons and
//     conversions to interfaces, and the work of packages that are not rewritten;
//   - initializers of package variables, which run before any rank, and the
//     initialization of a variable in the header of a statement;
//   - the load of an embedded pointer in the use of a promoted field.
//
// One reference is one load or store of the source. A value that a statement names twice is loaded twice. A value
// of more than one word, such as a struct or a slice header, is one reference of its size. A complex number is a
// pair of references, unless its type is a type parameter. Loads are in the order in which gc evaluates: calls
// first, with their operands. In an assignment the right side is first, then the operands of the left side, then
// the store.
//
// # What is counted
//
// A block is a group of statements that run together. It is counted when it is entered, with the weights of its
// lines; package weigh defines which lines belong to which block. A recording divides the instructions of a block
// evenly among its words. The next word carries the instructions of a block without words, or they get a word of
// their own. Before any code that may communicate, the tape has all instructions up to the end of the statement,
// and no others.
//
// A call of panic loses nothing. A panic of the runtime loses the references and counts of its function since the
// last call or return. In a function with a defer statement, the count is exact to the block. Memory that a literal
// or a conversion allocates is on the heap, even if the original's is on the stack.
package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"slices"

	"spoor/tracegen/instrument/internal/code"
)

// Mode selects what rewritten code does in addition to its work.
type Mode int

const (
	Count Mode = iota + 1 // adds instructions to Tape.N
	Trace                 // writes references and instructions to the tape
)

// Options selects how to rewrite.
type Options struct {
	Mode Mode
	// Weights are the machine instructions of each line of each file, by the file's name in Fset. With nil,
	// operations of the source are counted instead. Lines are those of the parsed source, ignoring line
	// information.
	Weights map[string]map[int]int
	// Instances are the weights of generic functions in one instance, by the key of its type arguments; package weigh
	// defines the keys. Weights has their mean.
	Instances map[string]map[string]map[int]int
	// Outside are the instructions of each line in functions that are not instrumented. Tape.Outside counts them apart.
	Outside map[string]map[int]int
	// Assembly counts and records the routines of package assembly.
	Assembly bool
	// Goroutines says that the code may run on goroutines that are not ranks.
	Goroutines bool
	// Headers records loads that compilers keep in registers over loops.
	Headers bool
	// Communicates reports whether calling a function of another package may record, communicate or call back. If
	// nil, these are functions of package spmd, and functions whose arguments or receiver can lead to a function or
	// an interface.
	Communicates func(*types.Func) bool
	// Skip, if not nil, reports whether to copy a declaration unchanged.
	Skip func(ast.Decl) bool
	// Rename, if not nil, returns the new name of a function, method or package variable, or "" to keep its name. Types
	// keep their methods: an interface that lacks a renamed method is asserted to have it.
	Rename func(types.Object) string
}

// Finding is a construct that cannot be recorded.
type Finding struct {
	Pos  token.Position
	What string
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s", f.Pos, f.What) }

// Result is a rewritten package.
type Result struct {
	Files    map[string][]byte // by name in Fset
	Sites    int               // positions in the source that record
	Findings []Finding         // by file and position
}

// rewriter is the state of rewriting one package.
type rewriter struct {
	*code.Facts
	Options
	name     names
	sizes    types.Sizes
	wrapped  map[*types.Func]bool // routines in assembly that have a wrapper in a file
	movers   map[string]bool      // movers that a file declares
	result   *Result
	reported map[Finding]bool
}

// Rewrite rewrites all files of a package. It returns an error only for a missing source or a missing mode, never
// for the contents of the source.
func Rewrite(p *code.Package, o Options) (*Result, error) {
	if o.Mode != Count && o.Mode != Trace {
		return nil, fmt.Errorf("rewriting %s: no mode", p.Types.Path())
	}
	for _, f := range p.Files {
		if name := p.FileName(f); p.Src[name] == nil {
			return nil, fmt.Errorf("rewriting %s: the source of %s is missing", p.Types.Path(), name)
		}
	}
	w := &rewriter{
		Facts:   code.Find(p, code.Recording{Trace: o.Mode == Trace, Headers: o.Headers, Assembly: o.Assembly, Communicates: o.Communicates}),
		Options: o, name: freeNames(p),
		sizes:   types.SizesFor("gc", runtime.GOARCH),
		wrapped: map[*types.Func]bool{}, movers: map[string]bool{},
		result: &Result{Files: map[string][]byte{}}, reported: map[Finding]bool{},
	}
	for _, f := range p.Files {
		w.result.Files[p.FileName(f)] = w.file(f)
	}
	slices.SortStableFunc(w.result.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Offset-b.Pos.Offset)
	})
	return w.result, nil
}

// report adds a finding at a position, once.
func (w *rewriter) report(at token.Pos, format string, args ...any) {
	f := Finding{w.Fset.Position(at), fmt.Sprintf(format, args...)}
	if !w.reported[f] {
		w.reported[f] = true
		w.result.Findings = append(w.result.Findings, f)
	}
}
