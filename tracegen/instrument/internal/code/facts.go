// Package code finds out what code does before it is rewritten: which variables other code can see, what may be
// recorded, what calls do, and which functions the compiler inlines.
package code

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Package is a package to rewrite, parsed with comments and type-checked.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Src   map[string][]byte // source of each file, by its name in Fset
	Types *types.Package
	Info  *types.Info
	// Dynamic has the names of methods that interfaces call, perhaps in other packages. Such methods count their own
	// instructions, because some of their callers cannot.
	Dynamic map[string]bool
}

// FileName returns the name of a file in Fset.
func (p *Package) FileName(f *ast.File) string { return p.Fset.File(f.FileStart).Name() }

// Recording says what the code is rewritten for.
type Recording struct {
	Trace    bool // references are recorded; otherwise instructions are only counted
	Headers  bool // loads that compilers keep in registers over loops are recorded
	Assembly bool // routines of package assembly are counted and recorded
	// Communicates reports whether calling a function of another package may record, communicate or call back. If
	// nil, these are functions of package spmd, and functions whose arguments or receiver can lead to a function or
	// an interface.
	Communicates func(*types.Func) bool
}

// Facts are what is known of the code of a package.
type Facts struct {
	*Package
	Shared     map[*types.Var]Sharing // of local variables
	Inlined    map[*types.Func]bool   // functions that count nothing
	NoCopy     map[*ast.CallExpr]bool // conversions for which the compiler makes no copy
	recording  Recording
	lits       map[*types.Var]*ast.FuncLit // that variables always hold
	effects    map[*types.Func]Effect
	litEffects map[*ast.FuncLit]Effect
}

// Find returns the facts of a package.
func Find(p *Package, r Recording) *Facts {
	c := &Facts{
		Package: p, recording: r, Shared: sharedVariables(p), lits: boundLiterals(p), Inlined: Inlined(p), NoCopy: noCopyConversions(p),
		litEffects: map[*ast.FuncLit]Effect{},
	}
	c.effects = c.findEffects()
	return c
}
