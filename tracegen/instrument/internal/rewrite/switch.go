package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
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

// headerText returns the header of a switch. If separate is set, init is before it.
func (f *frame) headerText(from, to token.Pos, init ast.Stmt, e ast.Expr, separate bool) string {
	if !separate {
		return f.between(from, to, existing(init, e)...)
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

// activeCases reports whether evaluating an expression of a case records or flushes anything.
func (f *frame) activeCases(body *ast.BlockStmt) bool {
	for _, c := range body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if !f.Constant(e) && (f.active(e) || f.hasSeparateOperand(e)) {
				return true
			}
		}
	}
	return false
}

// clauses rewrites the clauses of a switch, which all start from the current cursor. The function head returns a
// clause up to its colon.
func (f *frame) clauses(t *target, body *ast.BlockStmt, head func(*ast.CaseClause) string) string {
	var b strings.Builder
	entry := f.cursor
	end, complete, fallen := unreachableCursor, false, unreachableCursor
	b.WriteString(f.raw(body.Lbrace, body.Lbrace+1))
	at := body.Lbrace + 1
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		complete = complete || c.List == nil
		text, after := f.conditional(join(entry, fallen), func(begin string) string { return f.clauseBody(c.Colon, c.Body, c.End(), begin) })
		b.WriteString(f.raw(at, c.Pos()) + head(c) + text)
		if fallen = unreachableCursor; endsFalling(c) {
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
	f.cursor = join(end, t.breakCursor)
	return b.String()
}

// caseHead returns a clause up to its colon.
func (f *frame) caseHead(c *ast.CaseClause) string {
	var nodes []ast.Node
	for _, e := range c.List {
		nodes = append(nodes, e)
	}
	return f.between(c.Pos(), c.Colon, nodes...)
}

// clauseBody returns a clause from its colon on.
func (f *frame) clauseBody(colon token.Pos, body []ast.Stmt, to token.Pos, begin string) string {
	list := f.list(body, colon+1, to)
	return ": " + begin + appendCode(list, f.syncCursor())
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
		nodes := existing(s.Init, nil)
		head = f.between(s.Switch, s.Body.Lbrace, append(nodes, s.Assign)...)
	}
	return inBlock(pre, t.mark+head+f.clauses(t, s.Body, f.caseHead), separate)
}

// assertedIn returns the operand of a type switch.
func assertedIn(s ast.Stmt) ast.Expr {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return ast.Unparen(s.X).(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		return ast.Unparen(s.Rhs[0]).(*ast.TypeAssertExpr).X
	}
	return nil
}

// chain rewrites a switch with a case that records or counts. Its tests are made one after the other. They are
// inside a switch statement, so that break works.
func (f *frame) chain(s *ast.SwitchStmt, t *target, pre string, separate bool) string {
	c := &caseChain{frame: f, target: t, switched: s}
	if !separate && s.Init != nil {
		pre += f.text(s.Init) + "; "
	}
	if s.Tag != nil {
		c.tag = f.temp()
		pre += fmt.Sprintf("%s := %s; ", c.tag, f.text(s.Tag))
	}
	if fallsThrough(s.Body) {
		return "{ " + pre + c.numbers() + " }"
	}
	return "{ " + pre + t.mark + "switch { default: " + c.branches() + "} }"
}

// caseChain is a switch whose cases are tested one after the other.
type caseChain struct {
	*frame
	*target
	switched *ast.SwitchStmt
	tag      string // variable that holds the value of the tag, or ""
}

func (c *caseChain) clauses() (list []*ast.CaseClause, otherwise *ast.CaseClause) {
	for _, s := range c.switched.Body.List {
		clause := s.(*ast.CaseClause)
		if clause.List == nil {
			otherwise = clause
		} else {
			list = append(list, clause)
		}
	}
	return list, otherwise
}

// branches returns the chain as if and else. Each if is in the else block of the one before.
func (c *caseChain) branches() string {
	var b strings.Builder
	list, otherwise := c.clauses()
	outer, end, split := c.block, unreachableCursor, c.split
	for _, clause := range list {
		b.WriteString(c.tests(clause))
		text, after := c.conditional(c.cursor, func(begin string) string {
			return begin + appendCode(c.list(clause.Body, clause.Colon+1, clause.End()), c.syncCursor())
		})
		b.WriteString("{ " + text + "} else { ")
		end = join(end, after)
		c.block = &block{} // the following code may not run
	}
	if otherwise != nil {
		text, after := c.conditional(c.cursor, func(begin string) string {
			return begin + appendCode(c.list(otherwise.Body, otherwise.Colon+1, otherwise.End()), c.syncCursor())
		})
		b.WriteString(text)
		c.cursor = after
	}
	c.block, c.split = outer, split
	c.cursor = join(join(end, c.cursor), c.breakCursor)
	return b.String() + strings.Repeat("}", len(list))
}

// tests returns the test of a clause, as the start of an if statement.
func (c *caseChain) tests(clause *ast.CaseClause) string {
	if len(clause.List) == 1 {
		e := clause.List[0]
		return c.evaluate(e) + c.syncCursor() + "if " + c.test(e) + " "
	}
	v := c.temp()
	s := ""
	for i, e := range clause.List {
		if i == 0 {
			s += c.evaluate(e) + c.syncCursor() + fmt.Sprintf("%s := %s; ", v, c.test(e))
			continue
		}
		text, end := c.conditional(c.cursor, func(begin string) string {
			return begin + c.evaluate(e) + fmt.Sprintf("%s = %s; ", v, c.test(e)) + c.syncCursor()
		})
		s += "if !" + v + " { " + text + "}; "
		c.cursor = join(c.cursor, end)
	}
	return s + "if " + v + " "
}

// test returns the condition of an expression of a case, of type bool.
func (c *caseChain) test(e ast.Expr) string {
	if c.tag == "" {
		return "(" + c.text(e) + ") == (0 == 0)"
	}
	return c.tag + " == (" + c.text(e) + ")"
}

// numbers returns the chain as tests that find the number of the clause, and a switch on this number. It is for
// clauses that fall through.
func (c *caseChain) numbers() string {
	var b strings.Builder
	number := c.temp()
	fmt.Fprintf(&b, "%s := 0; ", number)
	list, _ := c.clauses()
	index := map[*ast.CaseClause]int{}
	outer, end := c.block, unreachableCursor
	for i, clause := range list {
		index[clause] = i + 1
		b.WriteString(c.tests(clause) + fmt.Sprintf("{ %s = %d } else { ", number, i+1))
		end = join(end, c.cursor)
		c.block = &block{} // the following code may not run
	}
	b.WriteString(strings.Repeat("}", len(list)) + "; ")
	c.block, c.cursor = outer, join(end, c.cursor)
	body := c.frame.clauses(c.target, c.switched.Body, func(clause *ast.CaseClause) string {
		if clause.List == nil {
			return c.caseHead(clause)
		}
		return fmt.Sprintf("case %d", index[clause])
	})
	return b.String() + c.mark + "switch " + number + " " + body
}

func fallsThrough(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool { return endsFalling(s.(*ast.CaseClause)) })
}
