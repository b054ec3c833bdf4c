package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// tripCount counts the first block of the loop's body for all iterations at once,
// before the loop, if it can be told how many there will be.
func (l *loop) tripCount(b *block) {
	if l.first != "" || l.head != "" || !l.steady(l.s, l.s.Body) {
		return
	}
	if condition, trips := l.trips(); trips != "" {
		l.pre += l.beforeLoop(b, condition, trips)
	}
}

// steady reports whether a loop ends by its header alone, and nobody learns the
// count before.
func (f *frame) steady(s ast.Stmt, body *ast.BlockStmt) bool {
	return !escapes(s) && !breaks(body) && f.within(body) < communicates && f.universe(s, "uint64")
}

// breaks reports whether a statement in a loop's body leaves the loop.
func breaks(body *ast.BlockStmt) bool {
	e := escape{}
	for _, s := range body.List {
		e.walk(s, true, false)
		if b, ok := s.(*ast.BranchStmt); ok {
			e.found = e.found || e.leaves(b, true, false)
		}
	}
	return e.found
}

// trips is the number of iterations of i := A; i < B; i++ and its like, in an
// expression that holds if the condition does; "" if it is not known.
func (l *loop) trips() (condition, trips string) {
	i, from := l.induction()
	c, ok := l.s.Cond.(*ast.BinaryExpr)
	if i == nil || !ok || l.Info.Uses[identOf(c.X)] != i || !l.fixed(c.Y) || !l.fixed(from) {
		return "", ""
	}
	a, b := l.text(from), l.text(c.Y)
	step, up := l.step(i)
	switch {
	case step == 0:
		return "", ""
	case up && (c.Op == token.LSS || c.Op == token.LEQ):
	case !up && (c.Op == token.GTR || c.Op == token.GEQ):
		a, b = b, a
	default:
		return "", ""
	}
	if l.constant(from) && l.constant(c.Y) {
		return "", "" // untyped constants; such a loop has few iterations
	}
	open := c.Op == token.LSS || c.Op == token.GTR
	return tripsBetween(a, b, step, open)
}

// tripsBetween is the number of steps from a to b, b excluded if open.
func tripsBetween(a, b string, step int64, open bool) (condition, trips string) {
	compare, add := "<", step-1
	if !open {
		compare, add = "<=", step
	}
	condition = fmt.Sprintf("(%s) %s (%s)", a, compare, b)
	trips = fmt.Sprintf("uint64((%s)-(%s))", b, a)
	if a == "0" {
		trips = fmt.Sprintf("uint64(%s)", b)
	}
	if add > 0 {
		trips = fmt.Sprintf("(%s+%d)", trips, add)
	}
	if step > 1 {
		trips = fmt.Sprintf("(%s/%d)", trips, step)
	}
	return condition, trips
}

func identOf(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}

// induction is the variable that the init statement declares, and its first value.
func (l *loop) induction() (*types.Var, ast.Expr) {
	d, ok := l.s.Init.(*ast.AssignStmt)
	if !ok || d.Tok != token.DEFINE || len(d.Lhs) != 1 || len(d.Rhs) != 1 {
		return nil, nil
	}
	v, ok := l.Info.Defs[d.Lhs[0].(*ast.Ident)].(*types.Var)
	if !ok || l.shared[v]&(addressed|captured) != 0 || assigns(l.Info, l.s.Body, v) || !isInteger(v.Type()) {
		return nil, nil
	}
	return v, d.Rhs[0]
}

// step is what the post statement adds to i, or takes from it; 0 if that is not
// known.
func (l *loop) step(i *types.Var) (step int64, up bool) {
	switch p := l.s.Post.(type) {
	case *ast.IncDecStmt:
		if l.Info.Uses[identOf(p.X)] == i {
			return 1, p.Tok == token.INC
		}
	case *ast.AssignStmt:
		if p.Tok != token.ADD_ASSIGN && p.Tok != token.SUB_ASSIGN || l.Info.Uses[identOf(p.Lhs[0])] != i {
			return 0, false
		}
		if n, ok := constantInt(l.Info, p.Rhs[0]); ok && n > 0 && n < 1<<20 {
			return n, p.Tok == token.ADD_ASSIGN
		}
	}
	return 0, false
}

// fixed reports whether e is made of constants and local variables that the loop
// does not change, and has no effect.
func (l *loop) fixed(e ast.Expr) bool { return l.fixedIn(e, l.s.Body) }

func (f *frame) fixedIn(e ast.Expr, body *ast.BlockStmt) bool {
	if f.constant(e) {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.fixedIn(e.X, body)
	case *ast.Ident:
		v, ok := f.Info.Uses[e].(*types.Var)
		local := ok && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
		return local && f.shared[v]&(addressed|captured) == 0 && !assigns(f.Info, body, v)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL:
			return f.fixedIn(e.X, body) && f.fixedIn(e.Y, body)
		}
	case *ast.CallExpr:
		if f.Info.Types[e.Fun].IsBuiltin() && builtinName(e) == "len" && !isPointer(f.Info.TypeOf(e.Args[0])) {
			return f.fixedIn(e.Args[0], body)
		}
	}
	return false
}

// assigns reports whether a statement assigns to v.
func assigns(info *types.Info, s ast.Stmt, v *types.Var) bool {
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
