package code

import (
	"go/ast"
	"go/token"
	"go/types"
)

// noCopyConversions returns conversions between strings and slices for which the compiler makes no copy. They are
// operands of a comparison or a concatenation, map indices, operands of range loops, and tags of switches.
func noCopyConversions(p *Package) map[*ast.CallExpr]bool {
	passing := map[*ast.CallExpr]bool{}
	add := func(e ast.Expr) {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && p.Info.Types[call.Fun].IsType() && len(call.Args) == 1 {
			from, to := p.Info.TypeOf(call.Args[0]), p.Info.TypeOf(call)
			passing[call] = p.Info.Types[call].Value == nil && (IsSlice(from) && IsString(to) || IsString(from) && IsSlice(to))
		}
	}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				add(n.X)
				add(n.Y)
			case *ast.IndexExpr:
				add(n.Index)
			case *ast.RangeStmt:
				add(n.X)
			case *ast.SwitchStmt:
				if n.Tag != nil {
					add(n.Tag)
				}
			}
			return true
		})
	}
	return passing
}

// Copies reports whether a conversion copies the bytes of a string or a slice.
func (c *Facts) Copies(call *ast.CallExpr) bool {
	if c.Constant(call) || len(call.Args) != 1 {
		return false
	}
	from, to := c.Info.TypeOf(call.Args[0]), c.Info.TypeOf(call)
	return IsString(from) && IsSlice(to) || IsSlice(from) && IsString(to)
}

// Allocates reports whether e is a literal that allocates memory.
func (c *Facts) Allocates(e ast.Expr) bool {
	if !c.recording.Trace {
		return false
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		_, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return e.Op == token.AND && ok
	case *ast.CompositeLit:
		_, slice := Core(c.Info.TypeOf(e)).(*types.Slice)
		return slice && e.Type != nil
	}
	return false
}

// AllocatesIn reports whether n contains such a literal.
func (c *Facts) AllocatesIn(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && c.Allocates(e)
		return !found
	})
	return found
}
