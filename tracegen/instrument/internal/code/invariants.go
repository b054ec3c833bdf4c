package code

import (
	"go/ast"
	"go/token"
	"go/types"
)

// InvariantIn reports whether e consists of constants and of local variables that a loop's body does not change, and has
// no effect.
func (c *Facts) InvariantIn(e ast.Expr, body *ast.BlockStmt) bool {
	if c.Constant(e) {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.InvariantIn(e.X, body)
	case *ast.Ident:
		v, ok := c.Info.Uses[e].(*types.Var)
		local := ok && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
		return local && c.Shared[v]&(Addressed|Captured) == 0 && !Assigns(c.Info, body, v)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL:
			return c.InvariantIn(e.X, body) && c.InvariantIn(e.Y, body)
		}
	case *ast.CallExpr:
		if c.Info.Types[e.Fun].IsBuiltin() && BuiltinName(e) == "len" && !IsPointer(c.Info.TypeOf(e.Args[0])) {
			return c.InvariantIn(e.Args[0], body)
		}
	}
	return false
}

// Assigns reports whether a statement assigns to v.
func Assigns(info *types.Info, s ast.Stmt, v *types.Var) bool {
	found := false
	is := func(e ast.Expr) {
		if id := rootOf(info, e); id != nil && info.Uses[id] == v {
			found = true
		}
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				is(l)
			}
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				is(n.Key)
				is(n.Value)
			}
		}
		return !found
	})
	return found
}
