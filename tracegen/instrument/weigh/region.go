package weigh

import (
	"go/ast"
	"go/token"
)

// A region is a part of a function's source that is executed as a whole: its
// statements as often as each other, apart from those in regions within it. A
// rewriter that counts has one counter for it, unless it is free.
type region struct {
	kind   regionKind
	parent *region // executed when this one is; nil of a function
	fn     *region // the function
	loop   *region // the body of the innermost loop around it; itself, of a body
	line   int     // a line that is this region's alone, 0 if there is none
	start  int     // of functions: line of the func keyword
	end    int     // of functions: last line
	free   bool    // no counter: how often it is executed follows from others
	tests  bool    // of a body: the loop tests before each iteration
}

type regionKind uint8

const (
	noRegion      regionKind = iota
	funcRegion               // a function's body up to the first way out
	bodyRegion               // a loop's body
	testRegion               // a loop's condition: once more than the body for each normal end
	postRegion               // a loop's post statement, where the body can be left early
	branchRegion             // a branch of an if, switch or select
	operandRegion            // right operand of && or ||
	afterRegion              // what follows a statement that can leave the list it is in
)

// A place is what the lines of one statement belong to. A range clause is
// evaluated once, and then again in each iteration: inside is the body then.
type place struct {
	region, inside *region
	then           *region // first branch, on the line of an if's condition, or of its last operand
}

// fileRegions are the regions of a file.
type fileRegions struct {
	at    []place // by line, from 1
	funcs []*region
}

// within returns the region of line, as seen from the loop whose body is loop.
func (f *fileRegions) within(line int, loop *region) *region {
	if line < 1 || line >= len(f.at) {
		return nil
	}
	p := f.at[line]
	if p.inside != nil && inLoop(loop, p.inside) {
		return p.inside
	}
	return p.region
}

// inLoop reports whether loop is body or a loop within it.
func inLoop(loop, body *region) bool {
	for loop != nil && loop != body {
		if loop.parent == nil {
			return false
		}
		loop = loop.parent.loop
	}
	return loop != nil
}

// regionsOf finds the regions of a file that was parsed after [Explode].
func regionsOf(fset *token.FileSet, f *ast.File) *fileRegions {
	b := &regionBuilder{file: fset.File(f.FileStart)}
	b.out.at = make([]place, b.file.LineCount()+1)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			b.function(d, d.Body, b.file.Line(d.Type.Func))
			continue
		}
		b.expressions(d, nil)
	}
	return &b.out
}

type regionBuilder struct {
	file *token.File
	out  fileRegions
}

func (b *regionBuilder) mark(n ast.Node, r *region) { b.markFrom(n.Pos(), n.End(), place{region: r}) }

func (b *regionBuilder) markFrom(from, to token.Pos, p place) {
	for l := b.file.Line(from); l <= b.file.Line(to-1); l++ {
		b.out.at[l] = p
	}
}

// function enters a function. Its line is line, or the first of its body's if
// line is 0, as of literals, which begin within lines of other statements.
func (b *regionBuilder) function(n ast.Node, body *ast.BlockStmt, line int) {
	r := &region{kind: funcRegion, line: line, start: b.file.Line(n.Pos()), end: b.file.Line(n.End() - 1)}
	r.fn = r
	if line > 0 {
		b.mark(n, r)
	} else if len(body.List) > 0 {
		r.line = b.file.Line(body.List[0].Pos())
		b.markFrom(body.List[0].Pos(), body.Rbrace+1, place{region: r})
	}
	b.out.funcs = append(b.out.funcs, r)
	b.block(body, r)
}

// child enters a region within r that begins at pos.
func (b *regionBuilder) child(kind regionKind, r *region, pos token.Pos) *region {
	c := &region{kind: kind, parent: r, line: b.file.Line(pos)}
	if r != nil {
		c.fn, c.loop = r.fn, r.loop
	}
	return c
}

// block enters the statements of a block that is executed as r.
func (b *regionBuilder) block(s *ast.BlockStmt, r *region) {
	last := b.list(s.List, r)
	if len(s.List) > 0 {
		b.markFrom(s.Rbrace, s.Rbrace+1, place{region: last})
	}
}

// list enters statements, and returns the region in which their end is.
func (b *regionBuilder) list(l []ast.Stmt, r *region) *region {
	for i, s := range l {
		if label, ok := s.(*ast.LabeledStmt); ok && i > 0 && jumped(l, label.Label.Name) {
			r = b.child(afterRegion, r, s.Pos())
		}
		b.statement(s, r)
		if i+1 < len(l) && leaves(s) {
			r = b.child(afterRegion, r, l[i+1].Pos())
		}
	}
	return r
}

// branch enters a list that is executed as often as its own first statement.
func (b *regionBuilder) branch(l []ast.Stmt, end token.Pos, r *region) *region {
	if len(l) == 0 {
		return nil
	}
	c := b.child(branchRegion, r, l[0].Pos())
	last := b.list(l, c)
	if end.IsValid() {
		b.markFrom(end, end+1, place{region: last})
	}
	return c
}

// lastOperand returns what decides about a condition last.
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
	case *ast.LabeledStmt:
		b.statement(s.Stmt, r)
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

func (b *regionBuilder) forLoop(s *ast.ForStmt, r *region) {
	at := s.Body.Lbrace
	if len(s.Body.List) > 0 {
		at = s.Body.List[0].Pos()
	}
	body := b.child(bodyRegion, r, at)
	body.loop = body
	if s.Init != nil {
		b.statement(s.Init, r)
	}
	if s.Post != nil {
		body.line = b.file.Line(s.Post.Pos())
	}
	if s.Cond != nil {
		body.line, body.tests = b.file.Line(s.Cond.Pos()), true
		test := b.child(testRegion, r, s.Cond.Pos())
		test.loop, test.free = body, true
		b.mark(s.Cond, test)
		b.expressions(s.Cond, test)
	}
	if s.Post != nil {
		post := body
		if leaves(&ast.BlockStmt{List: s.Body.List}) {
			post = b.child(postRegion, body, s.Post.Pos())
			post.free = true
		}
		b.statement(s.Post, post)
	}
	b.block(s.Body, body)
}

func (b *regionBuilder) rangeLoop(s *ast.RangeStmt, r *region) {
	clause := s.Range
	if s.Key != nil {
		clause = s.Key.Pos()
	}
	body := b.child(bodyRegion, r, clause)
	body.loop, body.tests = body, true
	b.markFrom(s.For, s.Body.Lbrace+1, place{region: r, inside: body})
	b.expressions(s.X, r)
	b.block(s.Body, body)
}

func (b *regionBuilder) ifElse(s *ast.IfStmt, r *region) {
	if s.Init != nil {
		b.statement(s.Init, r)
	}
	b.expressions(s.Cond, r)
	then := b.branch(s.Body.List, s.Body.Rbrace, r)
	for l := b.file.Line(lastOperand(s.Cond).Pos()); l <= b.file.Line(s.Cond.End()); l++ {
		b.out.at[l].then = then
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

// expressions enters the right operands and function literals within n.
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
			c := b.child(operandRegion, r, n.Y.Pos())
			b.mark(n.Y, c)
			b.expressions(n.Y, c)
			return false
		}
		return true
	})
}
