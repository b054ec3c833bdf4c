package weigh

import (
	"go/ast"
	"go/token"
)

// regionsOf finds the regions of a file that was parsed after [SplitStatements].
func regionsOf(s Source, f *ast.File) *fileRegions {
	b := &regionBuilder{file: s.Fset.File(f.FileStart)}
	b.out.at = make([]lineInfo, b.file.LineCount()+1)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			b.decl = d.Name.Name
			r := b.function(d, d.Body, b.line(d.Type.Func))
			r.inlined = s.Inlined != nil && s.Inlined(d)
			continue
		}
		b.decl = ""
		b.expressions(d, nil)
	}
	return &b.out
}

type regionBuilder struct {
	file *token.File
	decl string // name of the declaration
	out  fileRegions
}

// line returns the line in the split file, ignoring line information.
func (b *regionBuilder) line(p token.Pos) int { return b.file.PositionFor(p, false).Line }

func (b *regionBuilder) mark(n ast.Node, r *region) {
	b.markFrom(n.Pos(), n.End(), lineInfo{region: r})
}

func (b *regionBuilder) markFrom(from, to token.Pos, p lineInfo) {
	for l := b.line(from); l <= b.line(to-1); l++ {
		b.out.at[l] = p
	}
}

// function adds a function. Its charges go to line. If line is 0, they go to the line of the first statement: the
// lines of a literal also belong to other statements.
func (b *regionBuilder) function(n ast.Node, body *ast.BlockStmt, line int) *region {
	r := &region{kind: funcRegion, decl: b.decl, line: line, start: b.line(n.Pos()), end: b.line(n.End() - 1)}
	r.fn = r
	if line > 0 {
		b.mark(n, r)
	} else if len(body.List) > 0 {
		b.markFrom(body.List[0].Pos(), body.Rbrace+1, lineInfo{region: r})
	}
	b.out.funcs = append(b.out.funcs, r)
	b.block(body, r)
	return r
}

// child returns a new region within r.
func (b *regionBuilder) child(kind regionKind, r *region) *region {
	c := &region{kind: kind, parent: r}
	if r != nil {
		c.fn, c.loop, c.again = r.fn, r.loop, r.again
	}
	return c
}

// block adds the statements of a block that is executed as often as r.
func (b *regionBuilder) block(s *ast.BlockStmt, r *region) {
	last := b.list(s.List, r)
	if len(s.List) > 0 {
		b.markFrom(s.Rbrace, s.Rbrace+1, lineInfo{region: last})
	}
}

// list adds statements, and returns the region at their end.
func (b *regionBuilder) list(l []ast.Stmt, r *region) *region {
	for i, s := range l {
		if label, ok := s.(*ast.LabeledStmt); ok && hasGotoTo(l, label.Label.Name) {
			r = b.child(afterRegion, r)
			r.again = r
		}
		b.statement(s, r)
		if i+1 < len(l) && canExitEarly(s) {
			r = b.child(afterRegion, r)
		}
	}
	return r
}

// branch adds a list that is executed as often as its first statement.
func (b *regionBuilder) branch(l []ast.Stmt, end token.Pos, r *region) *region {
	if len(l) == 0 {
		return nil
	}
	c := b.child(branchRegion, r)
	last := b.list(l, c)
	if end.IsValid() {
		b.markFrom(end, end+1, lineInfo{region: last})
	}
	return c
}

// lastOperand returns the operand of a condition that is evaluated last.
func lastOperand(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return lastOperand(x.X)
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return lastOperand(x.Y)
		}
	}
	return e
}

func (b *regionBuilder) statement(s ast.Stmt, r *region) {
	b.mark(s, r)
	switch s := s.(type) {
	case *ast.BlockStmt:
		b.block(s, r)
		return
	case *ast.LabeledStmt:
		b.statement(s.Stmt, r)
		return
	case *ast.EmptyStmt:
		return
	}
	b.setChargeLine(s, r)
	switch s := s.(type) {
	case *ast.ForStmt:
		b.forLoop(s, r)
	case *ast.RangeStmt:
		b.rangeLoop(s, r)
	case *ast.IfStmt:
		b.ifElse(s, r)
	case *ast.SwitchStmt:
		b.cases(s.Body, r, s.Init, s.Tag)
	case *ast.TypeSwitchStmt:
		b.cases(s.Body, r, s.Init, s.Assign)
	case *ast.SelectStmt:
		b.cases(s.Body, r)
	default:
		b.expressions(s, r)
	}
}

// setChargeLine allows charges of r on the first line of n. If it is the first such line of r, it also gets the
// charges without a line. A line on which a literal begins is excluded. It belongs to the function around the
// literal, and could be taken for a line of the literal.
func (b *regionBuilder) setChargeLine(n ast.Node, r *region) {
	line := b.line(n.Pos())
	literal := false
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.FuncLit); ok {
			literal = literal || b.line(l.Pos()) == line
		}
		return !literal
	})
	if literal {
		return
	}
	b.out.at[line].chargeable = b.out.at[line].region == r
	if r.line == 0 {
		r.line = line
	}
}

func (b *regionBuilder) forLoop(s *ast.ForStmt, r *region) {
	body := b.child(bodyRegion, r)
	body.loop, body.tests, body.again = body, s.Cond != nil, nil
	if s.Init != nil {
		b.statement(s.Init, r)
	}
	if s.Cond != nil {
		test := b.child(testRegion, r)
		test.loop, test.derived = body, true
		b.mark(s.Cond, test)
		b.expressions(s.Cond, test)
	}
	if s.Post != nil {
		post := body
		if canExitEarly(&ast.BlockStmt{List: s.Body.List}) {
			post = b.child(postRegion, body)
			post.derived = true
		}
		b.mark(s.Post, post)
		b.expressions(s.Post, post)
	}
	b.loopBody(s.Body, body, s.Post, s.Cond)
}

// loopBody adds the statements of a loop's body. If there are none, charges go to the line of one of the other
// nodes.
func (b *regionBuilder) loopBody(s *ast.BlockStmt, body *region, others ...ast.Node) {
	b.block(s, body)
	for _, n := range others {
		if body.line == 0 && n != nil {
			b.setChargeLine(n, body)
		}
	}
}

func (b *regionBuilder) rangeLoop(s *ast.RangeStmt, r *region) {
	body := b.child(bodyRegion, r)
	body.loop, body.tests, body.again = body, true, nil
	b.markFrom(s.For, s.Body.Lbrace+1, lineInfo{region: r, loopBody: body})
	b.out.at[b.line(s.For)].chargeable = true
	b.expressions(s.X, r)
	clause := s.Key
	if clause == nil {
		clause = s.X
	}
	b.loopBody(s.Body, body, clause)
}

func (b *regionBuilder) ifElse(s *ast.IfStmt, r *region) {
	if s.Init != nil {
		b.statement(s.Init, r)
	}
	b.expressions(s.Cond, r)
	then := b.branch(s.Body.List, s.Body.Rbrace, r)
	for l := b.line(lastOperand(s.Cond).Pos()); l <= b.line(s.Cond.End()); l++ {
		b.out.at[l].thenBranch = then
	}
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		b.branch(e.List, e.Rbrace, r)
	case *ast.IfStmt:
		b.branch([]ast.Stmt{e}, token.NoPos, r)
	}
}

func (b *regionBuilder) cases(body *ast.BlockStmt, r *region, heads ...ast.Node) {
	for _, h := range heads {
		b.expressions(h, r)
	}
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, e := range c.List {
				b.expressions(e, r)
			}
			b.branch(c.Body, token.NoPos, r)
		case *ast.CommClause:
			if c.Comm != nil {
				b.expressions(c.Comm, r)
			}
			b.branch(c.Body, token.NoPos, r)
		}
	}
}

// expressions adds the right operands and function literals within n.
func (b *regionBuilder) expressions(n ast.Node, r *region) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			b.function(n, n.Body, 0)
			return false
		case *ast.BinaryExpr:
			if r == nil || n.Op != token.LAND && n.Op != token.LOR {
				return true
			}
			b.expressions(n.X, r)
			c := b.child(operandRegion, r)
			b.mark(n.Y, c)
			b.setChargeLine(n.Y, c)
			b.expressions(n.Y, c)
			return false
		}
		return true
	})
}
