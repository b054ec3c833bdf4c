// Package weigh tells how many machine instructions each line of a program costs
// in the build that is not instrumented.
//
// A program that is to count its own instructions adds, whenever a block of its
// source is executed, what the block costs. [Explode] puts whatever has a count of
// its own onto a line of its own. The exploded program is built as it is, and
// [Binary] reads the result: from the machine code of each function, the line table
// and the tree of inlined calls it finds out how often each instruction is executed,
// in terms of how often the source's blocks are, and charges it to a line of that
// block. No instruction is measured and nothing is calibrated.
//
// # Which line belongs to which block
//
// Whoever adds the weights of lines up for a block has to know where each line
// belongs:
//
//   - The line of the func keyword of a declaration belongs to the block at its start.
//     A literal begins with the line of its first statement; the line of its own func
//     keyword is part of the statement around it.
//   - The first line of a statement belongs to the block that the statement stands in:
//     for if, switch, select and for, too, and for the condition of an if.
//   - Condition, post statement and range clause of a loop belong to its body. What a
//     loop costs before the first iteration, and what its last test costs, is charged
//     to the block that the loop stands in.
//   - A right operand of && or || is a block, wherever it stands (in conditions, cases,
//     values): its lines are executed as often as it is evaluated.
//   - The branches of if, switch and select are blocks; of an else-if, the line of the
//     if is the first of its block. What follows a statement that can be left in another
//     way than by its end (return, goto, break and continue that lead out of it) is a
//     block, and so is what follows a label that a goto leads to.
//
// Nothing is charged to other lines, such as those of cases and braces. A line can be
// charged less than nothing: it then stands for instructions that another line's block
// counts although they are not executed when this one is. The sum of a block hardly
// ever is.
//
// # What is counted
//
// Instructions that are executed on the way, including padding, prologues and checks;
// not those that lead to a panic, grow the stack, or tell the garbage collector of
// stores while it runs. A string instruction with a repeat prefix counts as many
// times as its constant says, and once more. Calls cost what the caller executes.
// Code inlined from packages that are not among the sources belongs to the line of the
// call, and a loop in it is taken to be executed once.
//
// Where a function has several copies, inlined ones and instantiations, what is
// executed once a call is charged exactly, to the callers of inlined copies; within
// the branches and loops of the function the copies are averaged, by a guess of how
// often each is called: ten times as often for each loop that the call is in.
package weigh

import (
	"go/ast"
	"go/token"
)

// A Source is a package whose instructions are charged to lines.
type Source struct {
	// Path is the package's import path, "main" of a main package: what the names
	// of its functions begin with in the binary.
	Path string
	// Files are the package's files, parsed after Explode, whatever paths they were
	// compiled from.
	Files []*ast.File
	// Fset has the positions of Files.
	Fset *token.FileSet
	// Inlined, if it is not nil, reports of which functions no line counts, because
	// their callers do: their lines are charged nothing.
	Inlined func(*ast.FuncDecl) bool
}

// Lines are instructions by file, as named in Source, and line.
type Lines map[string]map[int]int
