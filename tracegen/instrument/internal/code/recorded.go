package code

import (
	"go/ast"
	"go/types"
)

// Recorded reports whether e denotes memory whose references are recorded.
func (c *Facts) Recorded(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.Recorded(e.X)
	case *ast.Ident:
		v, ok := c.Info.Uses[e].(*types.Var)
		return ok && c.InMemory(v)
	case *ast.StarExpr:
		return !c.Info.Types[e].IsType()
	case *ast.IndexExpr:
		return c.recordedElement(e)
	case *ast.SelectorExpr:
		return c.recordedField(e)
	}
	return false
}

// InMemory reports whether references to a variable are recorded.
func (c *Facts) InMemory(v *types.Var) bool {
	if v.IsField() || v.Pkg() == nil {
		return false
	}
	if v.Parent() == v.Pkg().Scope() {
		return true
	}
	s := c.Shared[v]
	return s&Addressed != 0 || c.recording.Headers && s&(Captured|assigned) == Captured|assigned
}

func (c *Facts) recordedElement(e *ast.IndexExpr) bool {
	if c.Constant(e.X) && !IsString(c.Info.TypeOf(e.X)) {
		return false // an instance of a generic type
	}
	switch t := Core(c.Info.TypeOf(e.X)).(type) {
	case *types.Slice:
		return true
	case *types.Pointer:
		return true
	case *types.Array:
		return c.Recorded(e.X)
	case *types.Basic:
		return t.Info()&types.IsString != 0 && c.Info.Types[e].Value == nil
	}
	return false
}

func (c *Facts) recordedField(e *ast.SelectorExpr) bool {
	s := c.Info.Selections[e]
	if s == nil { // qualified by a package
		v, ok := c.Info.Uses[e.Sel].(*types.Var)
		return ok && c.InMemory(v)
	}
	if s.Kind() != types.FieldVal {
		return false
	}
	return s.Indirect() || c.Recorded(e.X)
}
