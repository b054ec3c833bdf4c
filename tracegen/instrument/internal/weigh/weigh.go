// Package weigh counts the machine instructions that each line of a program costs in the build without
// instrumentation. The count of a line is its weight.
//
// A program that counts its own instructions adds the cost of a source block whenever it executes the block. It is
// made in two steps. [SplitStatements] puts every part with its own execution count on its own line. The result is
// built, and [Binary] reads the linked binary. From the machine code, the line table and the tree of inlined calls
// it determines how often each instruction is executed, relative to the source blocks. It charges the instruction
// to a line of that block. No instruction is measured, and nothing is calibrated.
//
// # Which line belongs to which block
//
// The user of weights must add the lines of a block. These rules determine the block of a line:
//
//   - The line of the func keyword of a declaration belongs to the first block. A
//     literal begins with the line of its first statement. The line of its own
//     func keyword belongs to the statement around it.
//   - The first line of a statement belongs to the block that contains the
//     statement. This includes if, switch, select and for, and the condition of
//     an if.
//   - The condition, post statement and range clause of a loop belong to its body.
//     The cost before the first iteration and that of the last test are charged to
//     the block that contains the loop.
//   - A right operand of && or || is a block in any position (conditions, cases,
//     values). Its lines are executed as often as it is evaluated.
//   - The branches of if, switch and select are blocks. For an else-if, the line
//     of the if is the first line of its block.
//   - The statements after one with an early exit are a block. Early exits are
//     return, goto, and break and continue that leave the statement. The
//     statements after a label that a goto names are also a block.
//
// Other lines, such as those of cases and braces, have no charges. The weight of a line can be negative. It then
// corrects for instructions that the block of another line counts although this block does not execute them. The
// sum of a block is hardly ever negative.
//
// # What is counted
//
// All instructions on the executed path are counted, including padding, prologues and checks. Instructions that
// lead to a panic, grow the stack, or are write barriers of the garbage collector are not counted. A string
// instruction with a repeat prefix counts as often as its constant says, and once more. A call costs the
// instructions of the caller. Code inlined from packages that are not among the sources belongs to the line of the
// call. A loop in it is assumed to be executed once.
//
// A function may have several copies: inlined ones and instantiations. Instructions that are executed once a call
// are exact. They are charged to the callers of inlined copies. In branches and loops of the function, the copies
// are averaged, weighted by an estimate of how often each is called. The estimate is ten times as many calls for
// each loop around the call. [Weights] also has the averages of each instantiation, as far as the sizes and kinds of
// type arguments differ.
package weigh

import (
	"go/ast"
	"go/token"
)

// A Source is a package whose instructions are charged to lines.
type Source struct {
	// Path is the package's import path, or "main" for a main package. The names of its functions in the binary
	// begin with it.
	Path string
	// Files are the package's files, parsed after SplitStatements. They may be compiled from any paths.
	Files []*ast.File
	// Fset has the positions of Files.
	Fset *token.FileSet
	// Inlined, if not nil, reports whether a function counts nothing because its callers do. Its lines get no
	// charges.
	Inlined func(*ast.FuncDecl) bool
}

// Lines are instructions by file, as named in Source, and by line.
type Lines map[string]map[int]int
