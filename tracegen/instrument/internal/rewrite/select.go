package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// selectStmt rewrites a select. Channels and values to send are evaluated before it, in the order of the clauses.
func (f *frame) selectStmt(s *ast.SelectStmt, t *target) string {
	f.chargeLine(f.line(s.Select))
	var operands []ast.Expr
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		f.chargeSpan(c, c.Pos(), c.Colon)
		operands = append(operands, communicated(c.Comm)...)
	}
	pre := f.evaluate(operands...) + f.yield()
	f.targets = append(f.targets, t)
	entry, end := f.cursor, unreachableCursor
	var b strings.Builder
	at := s.Select
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		received := f.received(c.Comm)
		text, after := f.conditional(entry, func(begin string) string {
			return f.clauseBody(c.Colon, c.Body, c.End(), begin+received())
		})
		b.WriteString(f.raw(at, c.Pos()) + f.commHead(c) + text)
		end, at = join(end, after), c.End()
	}
	b.WriteString(f.raw(at, s.End()))
	f.targets = f.targets[:len(f.targets)-1]
	f.cursor = join(end, t.breakCursor)
	return inBlock(pre, t.mark+b.String(), false)
}

// communicated returns the expressions that a clause evaluates before any channel is ready.
func communicated(s ast.Stmt) []ast.Expr {
	switch s := s.(type) {
	case *ast.SendStmt:
		return []ast.Expr{s.Chan, s.Value}
	case *ast.ExprStmt:
		return []ast.Expr{receiveIn(s.X).X}
	case *ast.AssignStmt:
		return []ast.Expr{receiveIn(s.Rhs[0]).X}
	}
	return nil
}

func receiveIn(e ast.Expr) *ast.UnaryExpr { return ast.Unparen(e).(*ast.UnaryExpr) }

// received makes a clause receive into variables if its places are recorded. It returns a function for the code
// that assigns the variables to the places.
func (f *frame) received(s ast.Stmt) func() string {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN || f.Mode != Trace || !f.anyRecorded(a.Lhs) {
		return func() string { return "" }
	}
	names, values := make([]string, len(a.Lhs)), make([]ast.Expr, len(a.Lhs))
	for i := range a.Lhs {
		names[i] = "_"
		if !blank(a.Lhs[i]) {
			names[i] = f.temp()
		}
		values[i] = &ast.BadExpr{}
		f.subst[values[i]] = names[i]
		if i == 1 && names[i] != "_" {
			f.subst[values[i]] = "(" + names[i] + " != (0 != 0))"
		}
	}
	f.subst[a] = strings.Join(names, ", ") + " := " + f.text(a.Rhs[0])
	return func() string { return f.hoistPlaces(a.Lhs) + f.assignAll(a.Lhs, values) + "; " }
}

// commHead returns a clause up to its colon.
func (f *frame) commHead(c *ast.CommClause) string {
	if c.Comm == nil {
		return f.raw(c.Pos(), c.Colon)
	}
	return f.between(c.Pos(), c.Colon, c.Comm)
}
