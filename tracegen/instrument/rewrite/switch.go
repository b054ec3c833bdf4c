package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// switchStmt rewrites an expression switch.
func (f *frame) switchStmt(s *ast.SwitchStmt, t *target) string {
	f.chargeLine(f.line(s.Switch))
	pre, separate := f.header(s.Init, s.Tag)
	f.chargeCases(s.Body)
	f.targets = append(f.targets, t)
	defer func() { f.targets = f.targets[:len(f.targets)-1] }()
	if f.activeCases(s.Body) {
		return f.chain(s, t, pre, separate)
	}
	head := t.mark + f.headerText(s.Switch, s.Body.Lbrace, s.Init, s.Tag, separate)
	body := f.clauses(t, s.Body, f.caseHead)
	return inBlock(pre, head+body, separate)
}

// headerText is the header of a switch: separate says that init stands before.
func (f *frame) headerText(from, to token.Pos, init ast.Stmt, e ast.Expr, separate bool) string {
	if !separate {
		return f.between(from, to, present(init, e)...)
	}
	if e == nil {
		return f.raw(from, from+token.Pos(len("switch"))) + " "
	}
	return f.raw(from, from+token.Pos(len("switch"))) + " " + f.between(e.Pos(), to, e)
}

// chargeCases adds the lines of the cases to the block before the switch.
func (f *frame) chargeCases(body *ast.BlockStmt) {
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		f.chargeSpan(c, c.Pos(), c.Colon)
	}
}

// activeCases reports whether evaluating an expression of a case has anything to
// record or to flush.
func (f *frame) activeCases(body *ast.BlockStmt) bool {
	for _, c := range body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if !f.constant(e) && (f.active(e) || f.divided(e)) {
				return true
			}
		}
	}
	return false
}

// clauses rewrites the clauses of a switch, which all start from where the cursor
// is. Head writes a clause up to its colon.
func (f *frame) clauses(t *target, body *ast.BlockStmt, head func(*ast.CaseClause) string) string {
	var b strings.Builder
	entry := f.cursor
	end, complete, fallen := gone, false, gone
	b.WriteString(f.raw(body.Lbrace, body.Lbrace+1))
	at := body.Lbrace + 1
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		complete = complete || c.List == nil
		text, after := f.branch(join(entry, fallen), func(begin string) string { return f.clauseBody(c.Colon, c.Body, c.End(), begin) })
		b.WriteString(f.raw(at, c.Pos()) + head(c) + text)
		if fallen = gone; endsFalling(c) {
			fallen = after
		} else {
			end = join(end, after)
		}
		at = c.End()
	}
	b.WriteString(f.raw(at, body.End()))
	if !complete {
		end = join(end, entry)
	}
	f.cursor = join(end, t.exit)
	return b.String()
}

// caseHead is a clause up to its colon.
func (f *frame) caseHead(c *ast.CaseClause) string {
	var nodes []ast.Node
	for _, e := range c.List {
		nodes = append(nodes, e)
	}
	return f.between(c.Pos(), c.Colon, nodes...)
}

// clauseBody is a clause from its colon on.
func (f *frame) clauseBody(colon token.Pos, body []ast.Stmt, to token.Pos, begin string) string {
	list := f.list(body, colon+1, to)
	return ": " + begin + then(list, f.ready())
}

func endsFalling(c *ast.CaseClause) bool {
	if len(c.Body) == 0 {
		return false
	}
	b, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// typeSwitch rewrites a type switch.
func (f *frame) typeSwitch(s *ast.TypeSwitchStmt, t *target) string {
	f.chargeLine(f.line(s.Switch))
	f.charge(s.Assign)
	x := assertedIn(s.Assign)
	pre, separate := f.header(s.Init, x)
	f.targets = append(f.targets, t)
	defer func() { f.targets = f.targets[:len(f.targets)-1] }()
	head := ""
	if separate {
		head = "switch " + f.text(s.Assign) + " "
	} else {
		nodes := present(s.Init, nil)
		head = f.between(s.Switch, s.Body.Lbrace, append(nodes, s.Assign)...)
	}
	return inBlock(pre, t.mark+head+f.clauses(t, s.Body, f.caseHead), separate)
}

// assertedIn is the operand of a type switch.
func assertedIn(s ast.Stmt) ast.Expr {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return ast.Unparen(s.X).(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		return ast.Unparen(s.Rhs[0]).(*ast.TypeAssertExpr).X
	}
	return nil
}

// chain rewrites a switch some of whose cases have something to record or to
// flush: tests one after the other decide on the number of the clause, and a
// switch on that number runs it.
func (f *frame) chain(s *ast.SwitchStmt, t *target, pre string, separate bool) string {
	var b strings.Builder
	b.WriteString(pre)
	if !separate && s.Init != nil {
		b.WriteString(f.text(s.Init) + "; ")
	}
	tag := ""
	if s.Tag != nil {
		tag = f.temp()
		fmt.Fprintf(&b, "%s := %s; ", tag, f.text(s.Tag))
	}
	number := f.temp()
	fmt.Fprintf(&b, "%s := 0; %s; ", number, f.tests(s.Body, tag, number))
	index := map[*ast.CaseClause]int{}
	for i, c := range s.Body.List {
		index[c.(*ast.CaseClause)] = i + 1
	}
	clauses := f.clauses(t, s.Body, func(c *ast.CaseClause) string {
		if c.List == nil {
			return f.caseHead(c)
		}
		return fmt.Sprintf("case %d", index[c])
	})
	return "{ " + b.String() + t.mark + "switch " + number + " " + clauses + " }"
}

// tests sets the variable number to that of the first clause that applies.
func (f *frame) tests(body *ast.BlockStmt, tag, number string) string {
	var b strings.Builder
	open, outer, end := 0, f.block, gone
	for i, c := range body.List {
		for _, e := range c.(*ast.CaseClause).List {
			b.WriteString(f.evaluate(e) + f.ready())
			end = join(end, f.cursor)
			fmt.Fprintf(&b, "if %s { %s = %d } else { ", f.test(tag, e), number, i+1)
			open++
			f.block = &block{} // what follows may not run
		}
	}
	f.block, f.cursor = outer, end
	return b.String() + strings.Repeat("}", open)
}

// test is the condition under which an expression of a case applies.
func (f *frame) test(tag string, e ast.Expr) string {
	if tag == "" {
		return f.text(e)
	}
	return tag + " == (" + f.text(e) + ")"
}
