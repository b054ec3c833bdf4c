package code

import (
	"go/ast"
	"go/types"
	"strings"
)

// Inlined returns the functions of a package that count nothing, because the compiler inlines them everywhere. The
// lines of their callers have the weight of these copies. Such a function meets these conditions:
//
//   - It has no branches, loops, function literals or deferred calls.
//   - Its cost is within the compiler's budget for inlining.
//   - It calls only conversions, built-in functions, functions that the compiler replaces by instructions, and
//     other functions of this kind.
//   - It is not recursive and not generic. It is only called, never used as a value. It has no compiler directive.
//   - No interface calls a method of its name.
//
// The compiler inlines fewer functions only into functions of more than 5000 nodes.
func Inlined(p *Package) map[*types.Func]bool {
	c := &inlineCheck{p: p, body: map[*types.Func]*ast.FuncDecl{}, costs: map[*types.Func]int{}}
	valued := functionsUsedAsValues(p)
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !hasDirective(d.Doc) {
				if fn, ok := p.Info.Defs[d.Name].(*types.Func); ok && !valued[fn] && isPlain(fn) && !(fn.Signature().Recv() != nil && p.Dynamic[fn.Name()]) {
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

// isPlain reports whether fn is an ordinary function: not init or main, and not generic.
func isPlain(fn *types.Func) bool {
	s := fn.Signature()
	plain := s.TypeParams().Len() == 0 && s.RecvTypeParams().Len() == 0
	return plain && (s.Recv() != nil || fn.Name() != "init" && fn.Name() != "main")
}

// hasDirective reports whether a function has a compiler directive.
func hasDirective(doc *ast.CommentGroup) bool {
	if doc != nil {
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return true
			}
		}
	}
	return false
}

// functionsUsedAsValues returns the functions of the package that are used as values.
func functionsUsedAsValues(p *Package) map[*types.Func]bool {
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

// BuiltinName returns the name of the built-in function that is called.
func BuiltinName(call *ast.CallExpr) string {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name // of package unsafe
	}
	return ""
}

// StaticCallee returns the function or concrete method that is called, or nil.
func StaticCallee(info *types.Info, call *ast.CallExpr) *types.Func {
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
		if s := info.Selections[x]; s != nil && (s.Kind() != types.MethodVal || IsInterfaceMethod(fn)) {
			return nil
		}
		return fn
	}
	return nil
}

// IsInterfaceMethod reports whether fn is a method of an interface.
func IsInterfaceMethod(fn *types.Func) bool {
	return fn != nil && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type())
}

// isMath reports whether the result of fn depends only on its arguments, and fn cannot panic.
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
