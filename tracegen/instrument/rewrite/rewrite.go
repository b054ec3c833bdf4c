// Package rewrite turns Go source into source that does the same and, while it does
// it, counts instructions or records its memory references on a tape.
//
// What is computed, in which order, and which panics end it, is what the original
// does when compiled by gc: calls, receives, && and || of a statement are taken out
// of it into statements before it, in the order in which gc's order pass takes them
// out; what remains of the statement has no effect but its own, so that the
// addresses of what it loads can be written down before it runs. The statement itself
// then follows with the results of the calls in place of the calls.
//
// # What is recorded
//
// Loads and stores of memory that somebody else could see: elements of slices and,
// through pointers, of arrays; pointers' targets; fields of structs through pointers;
// bytes of strings that are indexed or ranged over; package variables; local
// variables whose address is taken (by &, by slicing an array, by calling a method
// with a pointer receiver), or that a closure shares (captured by a literal that may
// run later, and assigned to besides their declaration). Memory that append, copy,
// clear, make, new, literals and conversions between strings and slices touch is
// recorded as a whole, allocations are told to the tape, and operations of
// sync/atomic are a load, a store or both. Not recorded are:
//
//   - all other local variables, parameters and results, which compilers keep in
//     registers or on the stack;
//   - with Options.Headers off, variables for being captured, and loads of slices,
//     strings, pointers and the like from variables and fields when they only lead to
//     the reference proper, as f.a does in f.a[i]: compilers keep such values in
//     registers over a loop. As a value of its own, as in p = p.next, it is recorded,
//     and so is an element that leads on, as rows[i] does in rows[i][j];
//   - the contents of maps, whose places the runtime hides: each use of an element is
//     a finding;
//   - what the runtime does within channels, concatenations, comparisons and
//     conversions to interfaces, and packages that are not rewritten;
//   - initializers of package variables, which run before any rank, and the
//     initialization of a variable in the header of a statement;
//   - the load of an embedded pointer that the use of a promoted field implies.
//
// One reference is one load or store of the source: what a statement names twice is
// loaded twice. A value of more than one word, such as a struct or a slice header, is
// one reference of its size; complex numbers are pairs, unless a type parameter hides
// that they are. Loads stand in the order in which gc evaluates: calls first, with
// their operands; of an assignment the right side, then what leads to the left side,
// then the store.
//
// # What is counted
//
// A block of statements that run together is counted when it is entered, with the
// weights of its lines; package weigh says which lines belong to which block. A
// recording gives the instructions of a block to its words, evenly; those of a block
// without words to the next word, or to a word of their own. Before whatever may
// communicate, all instructions up to the end of the statement, and none beyond,
// are on the tape.
//
// A call of panic loses nothing. A panic of the runtime loses what the function that
// it happens in recorded, and what it counted, since its last call or return; only
// the count of a function with a defer statement is exact to the block. Memory that
// a literal or a conversion allocates is on the heap even where the original's is
// on the stack.
package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"slices"
)

// Mode says what rewritten code does besides its work.
type Mode int

const (
	Count Mode = iota + 1 // adds instructions up in Tape.N
	Trace                 // writes references and instructions on the tape
)

// Package is a package to rewrite, parsed with comments and type-checked.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Src   map[string][]byte // what each file was parsed from, by its name in Fset
	Types *types.Package
	Info  *types.Info
}

// Options say how to rewrite.
type Options struct {
	Mode Mode
	// Weights are the machine instructions of each line of each file, by the file's
	// name in Fset; nil counts operations of the source instead. Lines are those of
	// the source that was parsed, whatever line information says.
	Weights map[string]map[int]int
	// Goroutines says that the code may run on goroutines that are no ranks.
	Goroutines bool
	// Headers records loads that compilers keep in registers over loops.
	Headers bool
	// Communicates tells whether calling a function of another package may record,
	// communicate or call back. If nil, functions do that are of package spmd, or
	// whose arguments or receiver can lead to a function or an interface.
	Communicates func(*types.Func) bool
	// Skip tells of declarations that are copied as they are, if not nil.
	Skip func(ast.Decl) bool
	// Clause is the package clause of the result, "package mirror"; "" keeps it.
	Clause string
}

// Finding is something that cannot be recorded.
type Finding struct {
	Pos  token.Position
	What string
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s", f.Pos, f.What) }

// Result is a rewritten package.
type Result struct {
	Files    map[string][]byte // by name in Fset
	Sites    int               // places in the source that record
	Findings []Finding         // by file and place
}

// rewriter is the state of rewriting one package.
type rewriter struct {
	*Package
	Options
	name       names
	sizes      types.Sizes
	shared     map[*types.Var]sharing
	lits       map[*types.Var]*ast.FuncLit
	effects    map[*types.Func]effect
	litEffects map[*ast.FuncLit]effect
	inlined    map[*types.Func]bool
	passing    map[*ast.CallExpr]bool
	result     *Result
	reported   map[Finding]bool
}

// Rewrite rewrites all files of a package. An error is a source that is missing, or
// has no mode; what the source holds is never an error.
func Rewrite(p *Package, o Options) (*Result, error) {
	if o.Mode != Count && o.Mode != Trace {
		return nil, fmt.Errorf("rewriting %s: no mode", p.Types.Path())
	}
	for _, f := range p.Files {
		if name := p.fileName(f); p.Src[name] == nil {
			return nil, fmt.Errorf("rewriting %s: the source of %s is missing", p.Types.Path(), name)
		}
	}
	w := &rewriter{
		Package: p, Options: o, name: freeNames(p),
		sizes:  types.SizesFor("gc", runtime.GOARCH),
		shared: sharedVariables(p), inlined: Inlined(p), litEffects: map[*ast.FuncLit]effect{},
		result: &Result{Files: map[string][]byte{}}, reported: map[Finding]bool{},
	}
	w.lits, w.passing = boundLiterals(p), passingConversions(p)
	w.effects = w.findEffects()
	for _, f := range p.Files {
		w.result.Files[p.fileName(f)] = w.file(f)
	}
	slices.SortStableFunc(w.result.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Offset-b.Pos.Offset)
	})
	return w.result, nil
}

func (p *Package) fileName(f *ast.File) string { return p.Fset.File(f.FileStart).Name() }

// found reports what cannot be recorded at a place, once.
func (w *rewriter) found(at token.Pos, format string, args ...any) {
	f := Finding{w.Fset.Position(at), fmt.Sprintf(format, args...)}
	if !w.reported[f] {
		w.reported[f] = true
		w.result.Findings = append(w.result.Findings, f)
	}
}
