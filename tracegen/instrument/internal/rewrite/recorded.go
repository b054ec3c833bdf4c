package rewrite

import (
	"go/ast"
	"go/types"
)

// recorded reports whether e denotes memory whose references are recorded.
func (w *rewriter) recorded(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.recorded(e.X)
	case *ast.Ident:
		v, ok := w.Info.Uses[e].(*types.Var)
		return ok && w.inMemory(v)
	case *ast.StarExpr:
		return !w.Info.Types[e].IsType()
	case *ast.IndexExpr:
		return w.recordedElement(e)
	case *ast.SelectorExpr:
		return w.recordedField(e)
	}
	return false
}

// inMemory reports whether references to a variable are recorded.
func (w *rewriter) inMemory(v *types.Var) bool {
	if v.IsField() || v.Pkg() == nil {
		return false
	}
	if v.Parent() == v.Pkg().Scope() {
		return true
	}
	s := w.shared[v]
	return s&addressed != 0 || w.Headers && s&(captured|assigned) == captured|assigned
}

func (w *rewriter) recordedElement(e *ast.IndexExpr) bool {
	if w.constant(e.X) && !isString(w.Info.TypeOf(e.X)) {
		return false // an instance of a generic type
	}
	switch t := core(w.Info.TypeOf(e.X)).(type) {
	case *types.Slice:
		return true
	case *types.Pointer:
		return true
	case *types.Array:
		return w.recorded(e.X)
	case *types.Basic:
		return t.Info()&types.IsString != 0 && w.Info.Types[e].Value == nil
	}
	return false
}

func (w *rewriter) recordedField(e *ast.SelectorExpr) bool {
	s := w.Info.Selections[e]
	if s == nil { // qualified by a package
		v, ok := w.Info.Uses[e.Sel].(*types.Var)
		return ok && w.inMemory(v)
	}
	if s.Kind() != types.FieldVal {
		return false
	}
	return s.Indirect() || w.recorded(e.X)
}
