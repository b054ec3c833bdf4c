package rewrite

import (
	"go/ast"
	"go/types"
	"strings"
)

// Inlined are the functions of a package that count nothing, because the compiler
// puts them wherever they are called: the lines of their callers carry the weight of
// these copies. They are straight-line code (statements without branches, loops,
// function literals or deferred calls) within the compiler's budget for inlining,
// which call nothing but conversions, built-in functions, functions for which there
// are instructions, and other functions of this kind; they are not recursive, not
// generic, are used in no other way than by calling them, and no directive speaks of
// them.
//
// Only into functions of more than 5000 nodes the compiler puts less than this.
func Inlined(p *Package) map[*types.Func]bool {
	c := &inlineCheck{p: p, body: map[*types.Func]*ast.FuncDecl{}, costs: map[*types.Func]int{}}
	valued := valuedFunctions(p)
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !directed(d.Doc) {
				if fn, ok := p.Info.Defs[d.Name].(*types.Func); ok && !valued[fn] && isPlain(fn) {
					c.body[fn] = d
				}
			}
		}
	}
	inlined := map[*types.Func]bool{}
	for fn := range c.body {
		if c.cost(fn) <= inlineBudget {
			inlined[fn] = true
		}
	}
	return inlined
}

// isPlain reports whether fn is a function that is called by its own name: not init
// or main, and not generic.
func isPlain(fn *types.Func) bool {
	s := fn.Signature()
	plain := s.TypeParams().Len() == 0 && s.RecvTypeParams().Len() == 0
	return plain && (s.Recv() != nil || fn.Name() != "init" && fn.Name() != "main")
}

// directed reports whether a directive for the compiler stands before a function.
func directed(doc *ast.CommentGroup) bool {
	if doc != nil {
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return true
			}
		}
	}
	return false
}

// valuedFunctions are the functions of the package that are used as values.
func valuedFunctions(p *Package) map[*types.Func]bool {
	valued := map[*types.Func]bool{}
	called := map[*ast.Ident]bool{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				switch fun := ast.Unparen(call.Fun).(type) {
				case *ast.Ident:
					called[fun] = true
				case *ast.SelectorExpr:
					called[fun.Sel] = true
				}
			}
			if id, ok := n.(*ast.Ident); ok && !called[id] {
				if fn, ok := p.Info.Uses[id].(*types.Func); ok {
					valued[fn.Origin()] = true
				}
			}
			return true
		})
	}
	return valued
}

// builtinName is the name of the built-in function that is called.
func builtinName(call *ast.CallExpr) string {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name // of package unsafe
	}
	return ""
}

// staticCallee is the function or concrete method that a call calls, or nil.
func staticCallee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		fn, _ := info.Uses[x].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := info.Uses[x.Sel].(*types.Func)
		if s := info.Selections[x]; s != nil && (s.Kind() != types.MethodVal || isInterfaceMethod(fn)) {
			return nil
		}
		return fn
	}
	return nil
}

func isInterfaceMethod(fn *types.Func) bool {
	return fn != nil && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type())
}

// isMath reports whether fn computes from its arguments alone and cannot panic.
func isMath(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "math", "math/cmplx":
		return true
	case "math/bits":
		return !strings.HasPrefix(fn.Name(), "Div") && !strings.HasPrefix(fn.Name(), "Rem")
	}
	return false
}
