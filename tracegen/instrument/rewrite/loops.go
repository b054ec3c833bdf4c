package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// loop is a for statement that is being rewritten.
type loop struct {
	*frame
	*target
	s     *ast.ForStmt
	pre   string // before the loop
	head  string // at the start of the body
	first string // variable that is true from the first post statement on, or ""

	counted *block // the body's first
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
	block, head := f.block, f.enter()
	l.pre += head.text
	body := l.body()
	f.targets = f.targets[:len(f.targets)-1]
	f.rejoin(block, false)
	f.afterLoop(head, t, l.counted)
	if s.Cond == nil && t.exit.gone {
		f.dead() // nothing leaves it but return, goto and panic
	}
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
// each iteration has its own copy, but gets its value before if that takes a call
// that records.
func (l *loop) init() {
	if l.s.Init == nil {
		return
	}
	i := l.simple(l.s.Init)
	l.charge(l.s.Init)
	l.pre = i.pre
	d, ok := l.s.Init.(*ast.AssignStmt)
	switch {
	case ok && d.Tok == token.DEFINE && l.closed:
		vars := make([]string, len(d.Lhs))
		for k, e := range d.Lhs {
			if vars[k] = "_"; !blank(e) {
				vars[k] = l.temp()
			}
		}
		l.pre += strings.Join(vars, ", ") + " := " + l.text(d.Rhs[0]) + "; "
		l.subst[l.s.Init] = l.declaration(d.Lhs, vars)
	case ok && d.Tok == token.DEFINE, i.plain():
		l.subst[l.s.Init] = i.text
	default:
		l.pre += i.text + "; " + i.post
		l.subst[l.s.Init] = ""
	}
}

// declaration is the text that declares those variables that are not blank, with
// values.
func (f *frame) declaration(vars []ast.Expr, values []string) string {
	var names, used []string
	for i, e := range vars {
		if !blank(e) {
			names, used = append(names, f.text(e)), append(used, values[i])
		}
	}
	return strings.Join(names, ", ") + " := " + strings.Join(used, ", ")
}

// body rewrites the body, with the condition and the post statement if they move.
// Their lines belong to the body's first block wherever they are.
func (l *loop) body() string {
	moved := l.s.Post != nil && l.active(l.s.Post)
	if moved && l.sharesCopies() {
		l.first = l.temp()
		l.pre += l.first + " := false; "
		l.head = l.post("if "+l.first+" { ", "}; ") + l.first + " = true; "
	}
	if l.s.Cond != nil && (l.first != "" || l.active(l.s.Cond) || l.divided(l.s.Cond)) {
		l.head += l.condition()
	}
	l.counted = &block{}
	begin := l.beginAs(l.counted)
	if l.s.Cond != nil {
		l.charge(l.s.Cond)
	}
	if l.s.Post != nil {
		l.charge(l.s.Post)
	}
	if l.s.Post != nil && !moved {
		l.subst[l.s.Post] = l.text(l.s.Post)
	}
	l.tripCount(l.counted)
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

// condition is the test of the loop's condition, as the first thing in the body.
func (l *loop) condition() string {
	s := l.begin()
	s += l.evaluate(l.s.Cond) + l.ready()
	l.exit = join(l.exit, l.cursor)
	s += fmt.Sprintf("if !(%s) { break }; ", l.text(l.s.Cond))
	l.subst[l.s.Cond] = ""
	return s
}

// post rewrites the post statement, between other texts, as a block of its own.
func (l *loop) post(before, after string) string {
	entry := l.cursor
	s := before + l.begin()
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
		l.cursor = join(l.cursor, l.again)
		l.again = gone
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
		if ok && l.shared[v]&(addressed|enclosed) != 0 {
			return true
		}
	}
	return false
}
