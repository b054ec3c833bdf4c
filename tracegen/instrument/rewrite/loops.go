package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// loop is a for statement that is being rewritten.
type loop struct {
	*frame
	*target
	s     *ast.ForStmt
	pre   string // before the loop
	head  string // at the start of the body
	tail  string // at its end
	first string // variable that is true from the first post statement on, or ""
}

// forStmt rewrites a for statement. A condition or a post statement that has
// something to record is moved into the body.
func (f *frame) forStmt(s *ast.ForStmt, t *target) string {
	t.loop = true
	l := &loop{frame: f, target: t, s: s}
	f.chargeLine(f.line(s.For))
	l.init()
	l.pre += f.ready()
	f.targets = append(f.targets, t)
	block := f.block
	f.cursor = cursor{}
	body := l.body()
	f.targets = f.targets[:len(f.targets)-1]
	f.block, f.cursor = block, cursor{}
	header := f.between(s.For, s.Body.Lbrace, l.header()...)
	return inBlock(l.pre, t.mark+header+body, false)
}

// header are the parts of the header that there are.
func (l *loop) header() []ast.Node {
	nodes := present(l.s.Init, l.s.Cond)
	if l.s.Post != nil {
		nodes = append(nodes, l.s.Post)
	}
	return nodes
}

// init rewrites the init statement. What it declares stays in the header, because
// each iteration has its own copy.
func (l *loop) init() {
	if l.s.Init == nil {
		return
	}
	l.charge(l.s.Init)
	i := l.simple(l.s.Init)
	l.pre = i.pre
	if d, ok := l.s.Init.(*ast.AssignStmt); ok && d.Tok == token.DEFINE {
		l.subst[l.s.Init] = i.text
		return
	}
	if i.plain() {
		l.subst[l.s.Init] = i.text
		return
	}
	l.pre += i.text + "; " + i.post
	l.subst[l.s.Init] = ""
}

// body rewrites the body, with the condition and the post statement if they move.
func (l *loop) body() string {
	moved := l.s.Post != nil && l.active(l.s.Post)
	if moved && l.sharesCopies() {
		l.first = l.temp()
		l.pre += l.first + " := false; "
		l.head = l.post("if "+l.first+" { ", "}; ") + l.first + " = true; "
	}
	if l.s.Cond != nil && (l.first != "" || l.active(l.s.Cond)) {
		l.head += l.condition()
	}
	b := &block{}
	begin := l.beginAs(b)
	if l.s.Cond != nil {
		l.charge(l.s.Cond)
	}
	if l.s.Post != nil && !moved {
		l.charge(l.s.Post)
		l.subst[l.s.Post] = l.text(l.s.Post)
	}
	l.tripCount(b)
	if moved && l.first == "" {
		return l.bodyThenPost(begin)
	}
	return l.nested(l.s.Body, l.head+begin)
}

// active reports whether evaluating n has something to record or to flush.
func (f *frame) active(n ast.Node) bool {
	if f.within(n) == communicates {
		return true
	}
	return f.Mode == Trace && (f.touches(n) || f.within(n) >= records || f.allocatesIn(n))
}

func (f *frame) allocatesIn(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		found = found || ok && f.allocates(e)
		return !found
	})
	return found
}

// condition is the test of the loop's condition, as the first thing in the body.
func (l *loop) condition() string {
	s := l.beginAs(&block{})
	l.charge(l.s.Cond)
	s += l.evaluate(l.s.Cond) + l.ready()
	s += fmt.Sprintf("if !(%s) { break }; ", l.text(l.s.Cond))
	l.subst[l.s.Cond] = ""
	return s
}

// post rewrites the post statement, between other texts, as a block of its own.
func (l *loop) post(before, after string) string {
	entry := l.cursor
	s := before + l.beginAs(&block{})
	l.charge(l.s.Post)
	p := l.simple(l.s.Post)
	s += braced(p.String(), false) + orNothing("; ", l.ready()) + after
	l.subst[l.s.Post] = ""
	l.cursor = join(entry, l.cursor)
	return s
}

// bodyThenPost puts the post statement behind the body, where continue goes to.
// What the body declares is not seen there.
func (l *loop) bodyThenPost(begin string) string {
	l.cont = l.newLabel()
	body := l.nested(l.s.Body, "")
	mark := ""
	if l.contUsed {
		mark = l.cont + ": "
		l.cursor = cursor{}
	}
	return "{ " + l.head + begin + body + "; " + mark + l.post("", "") + " }"
}

// sharesCopies reports whether anybody could tell which iteration's copy of the
// loop's variables the post statement changes.
func (l *loop) sharesCopies() bool {
	d, ok := l.s.Init.(*ast.AssignStmt)
	if !ok || d.Tok != token.DEFINE {
		return false
	}
	for _, e := range d.Lhs {
		v, ok := l.Info.Defs[e.(*ast.Ident)].(*types.Var)
		if ok && l.shared[v]&(addressed|captured) != 0 {
			return true
		}
	}
	return false
}
