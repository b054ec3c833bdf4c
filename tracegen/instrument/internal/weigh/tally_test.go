package weigh

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// A tallier rewrites an exploded file so that it counts how often each line is
// executed: the plainest form of what weights are for, and independent of how
// weigh divides a function into regions.
type tallier struct {
	file     *token.File
	next     int   // counter that is next
	lines    []int // counter of each line, 0 if it has none
	inserted []insertion
}

type insertion struct {
	at   int
	text string
}

// tallyFile returns the rewritten source; next is the first counter that is free,
// above 0, and then again.
func tallyFile(fset *token.FileSet, f *ast.File, src []byte, next *int) ([]byte, []int) {
	t := &tallier{file: fset.File(f.FileStart), next: *next}
	t.lines = make([]int, t.file.LineCount()+1)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			t.function(d, d.Body)
			continue
		}
		t.literals(d, 0)
	}
	t.insert(f.Name.End(), "; import tally__ \"spoor/tracegen/instrument/internal/weigh/testdata/tally\"")
	*next = t.next
	slices.SortStableFunc(t.inserted, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var out bytes.Buffer
	last := 0
	for _, i := range t.inserted {
		out.Write(src[last:i.at])
		out.WriteString(i.text)
		last = i.at
	}
	out.Write(src[last:])
	return append(out.Bytes(), "\nvar _ = tally__.N\n"...), t.lines
}

func (t *tallier) insert(p token.Pos, text string) {
	t.inserted = append(t.inserted, insertion{t.file.Offset(p), text})
}

// open begins a new counter at p.
func (t *tallier) open(p token.Pos) int {
	k := t.next
	t.next++
	t.insert(p, fmt.Sprintf(" tally__.N[%d]++; ", k))
	return k
}

func (t *tallier) mark(n ast.Node, k int) {
	for l := t.file.Line(n.Pos()); l <= t.file.Line(n.End()-1); l++ {
		t.lines[l] = k
	}
}

func (t *tallier) function(n ast.Node, body *ast.BlockStmt) {
	k := t.open(body.Lbrace + 1)
	if _, ok := n.(*ast.FuncDecl); ok {
		t.mark(n, k)
	}
	t.block(body, k)
}

func (t *tallier) block(b *ast.BlockStmt, k int) {
	last := t.list(b.List, k)
	if len(b.List) > 0 {
		t.lines[t.file.Line(b.Rbrace)] = last
	}
}

func (t *tallier) list(l []ast.Stmt, k int) int {
	for i, s := range l {
		t.stmt(s, k)
		if i+1 < len(l) && mayLeave(s) {
			k = t.open(l[i+1].Pos())
		}
	}
	return k
}

// mayLeave is a coarse form of leaves.
func mayLeave(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		}
		return true
	})
	return found
}

func (t *tallier) branch(b *ast.BlockStmt) {
	if len(b.List) > 0 {
		t.block(b, t.open(b.Lbrace+1))
	}
}

func (t *tallier) stmt(s ast.Stmt, k int) {
	t.mark(s, k)
	switch s := s.(type) {
	case *ast.BlockStmt:
		t.block(s, k)
	case *ast.LabeledStmt:
		t.stmt(s.Stmt, k)
	case *ast.ForStmt:
		body := t.open(s.Body.Lbrace + 1)
		if s.Init != nil {
			t.stmt(s.Init, k)
		}
		if s.Cond != nil {
			t.mark(s.Cond, body)
			t.literals(s.Cond, body)
		}
		if s.Post != nil {
			t.stmt(s.Post, body)
		}
		t.block(s.Body, body)
	case *ast.RangeStmt:
		body := t.open(s.Body.Lbrace + 1)
		clause := s.Range
		if s.Key != nil {
			clause = s.Key.Pos()
		}
		for l := t.file.Line(clause); l <= t.file.Line(s.Body.Lbrace); l++ {
			t.lines[l] = body
		}
		t.literals(s.X, k)
		t.block(s.Body, body)
	case *ast.IfStmt:
		t.ifElse(s, k)
	case *ast.SwitchStmt:
		t.cases(s.Body, k, s.Init, s.Tag)
	case *ast.TypeSwitchStmt:
		t.cases(s.Body, k, s.Init, s.Assign)
	case *ast.SelectStmt:
		t.cases(s.Body, k)
	default:
		t.literals(s, k)
	}
}

func (t *tallier) ifElse(s *ast.IfStmt, k int) {
	if s.Init != nil {
		t.stmt(s.Init, k)
	}
	t.literals(s.Cond, k)
	t.branch(s.Body)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		t.branch(e)
	case *ast.IfStmt:
		t.insert(e.Pos(), "{")
		t.stmt(e, t.open(e.Pos()))
		t.insert(e.End(), "}")
	}
}

func (t *tallier) cases(body *ast.BlockStmt, k int, heads ...ast.Node) {
	for _, h := range heads {
		t.literals(h, k)
	}
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, e := range c.List {
				t.literals(e, k)
			}
			t.clause(c.Body, c.Colon)
		case *ast.CommClause:
			t.clause(c.Body, c.Colon)
		}
	}
}

func (t *tallier) clause(l []ast.Stmt, colon token.Pos) {
	if len(l) > 0 {
		t.list(l, t.open(colon+1))
	}
}

// literals enters function literals and the right operands of && and ||.
func (t *tallier) literals(n ast.Node, k int) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			t.function(n, n.Body)
			return false
		case *ast.BinaryExpr:
			if k == 0 || n.Op != token.LAND && n.Op != token.LOR {
				return true
			}
			t.literals(n.X, k)
			c := t.next
			t.next++
			t.mark(n.Y, c)
			t.insert(n.Y.Pos(), fmt.Sprintf("tally__.Tick(%d) && (", c))
			t.literals(n.Y, c)
			t.insert(n.Y.End(), ")")
			return false
		}
		return true
	})
}
