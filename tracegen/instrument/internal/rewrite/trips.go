package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"spoor/tracegen/instrument/internal/code"
)

// tripCount counts the first block of the loop's body for all iterations at once, before the loop, if their number
// is known.
func (l *loop) tripCount(b *block) {
	if l.first != "" || l.head != "" || !l.runsAllIterations(l.s, l.s.Body) {
		return
	}
	if condition, trips := l.trips(); trips != "" {
		l.pre += l.beforeLoop(b, condition, trips)
	}
}

// runsAllIterations reports whether only the header ends a loop, and no code observes the count before the end.
func (f *frame) runsAllIterations(s ast.Stmt, body *ast.BlockStmt) bool {
	return !code.CanExit(s) && !code.HasBreak(body) && f.EffectWithin(body) < code.Communicates && f.universe(s, "uint64")
}

// trips returns an expression for the number of iterations of i := A; i < B; i++ and similar loops, or "" if it is
// not known. The expression is valid if the condition is true.
func (l *loop) trips() (condition, trips string) {
	i, from := l.induction()
	c, ok := l.s.Cond.(*ast.BinaryExpr)
	if i == nil || !ok || l.Info.Uses[identOf(c.X)] != i || !l.invariant(c.Y) || !l.invariant(from) {
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
	if l.Constant(from) && l.Constant(c.Y) {
		return "", "" // untyped constants; such a loop has few iterations
	}
	open := c.Op == token.LSS || c.Op == token.GTR
	return tripsBetween(a, b, step, open)
}

// tripsBetween returns the number of steps from a to b, without b if open is set.
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

// induction returns the variable that the init statement declares, and its first value.
func (l *loop) induction() (*types.Var, ast.Expr) {
	d, ok := l.s.Init.(*ast.AssignStmt)
	if !ok || d.Tok != token.DEFINE || len(d.Lhs) != 1 || len(d.Rhs) != 1 {
		return nil, nil
	}
	v, ok := l.Info.Defs[d.Lhs[0].(*ast.Ident)].(*types.Var)
	if !ok || l.Shared[v]&(code.Addressed|code.Captured) != 0 || code.Assigns(l.Info, l.s.Body, v) || !code.IsInteger(v.Type()) {
		return nil, nil
	}
	return v, d.Rhs[0]
}

// step returns the amount that the post statement adds to i, or subtracts from it, or 0 if it is not known.
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
		if n, ok := code.ConstantInt(l.Info, p.Rhs[0]); ok && n > 0 && n < 1<<20 {
			return n, p.Tok == token.ADD_ASSIGN
		}
	}
	return 0, false
}

// invariant reports whether e consists of constants and of local variables that the loop does not change, and has
// no effect.
func (l *loop) invariant(e ast.Expr) bool { return l.InvariantIn(e, l.s.Body) }
