package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// loop is a for statement that is being rewritten.
type loop struct {
	*frame
	*target
	s     *ast.ForStmt
	pre   string // before the loop
	head  string // at the start of the body
	first string // variable that is true from the first post statement on, or ""

	counted *block // first block of the body
}

// forStmt rewrites a for statement. It moves the condition and the post statement into the body if they record
// anything.
func (f *frame) forStmt(s *ast.ForStmt, t *target) string {
	t.loop = true
	l := &loop{frame: f, target: t, s: s}
	f.chargeLine(f.line(s.For))
	l.init()
	l.pre += f.syncCursor()
	f.targets = append(f.targets, t)
	block, head := f.block, f.beginLoop()
	l.pre += head.text
	body := l.body()
	f.targets = f.targets[:len(f.targets)-1]
	f.resumeBlock(block, false)
	f.endLoop(head, t, l.counted)
	if s.Cond == nil && t.breakCursor.unreachable {
		f.setUnreachable() // only return, goto and panic leave the loop
	}
	header := f.between(s.For, s.Body.Lbrace, l.header()...)
	return inBlock(l.pre, t.mark+header+body, false)
}

// header returns the parts of the header that are not nil.
func (l *loop) header() []ast.Node {
	nodes := existing(l.s.Init, l.s.Cond)
	if l.s.Post != nil {
		nodes = append(nodes, l.s.Post)
	}
	return nodes
}

// init rewrites the init statement. Its declarations stay in the header, because each iteration has its own copies.
// Their values are computed before the loop if that takes a call that records.
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
	case ok && d.Tok == token.DEFINE, i.unchanged():
		l.subst[l.s.Init] = i.text
	default:
		l.pre += i.text + "; " + i.post
		l.subst[l.s.Init] = ""
	}
}

// declaration returns code that declares the variables that are not blank, with values.
func (f *frame) declaration(vars []ast.Expr, values []string) string {
	var names, used []string
	for i, e := range vars {
		if !blank(e) {
			names, used = append(names, f.text(e)), append(used, values[i])
		}
	}
	return strings.Join(names, ", ") + " := " + strings.Join(used, ", ")
}

// body rewrites the body, with the condition and the post statement if they move. Their lines always belong to the
// first block of the body.
func (l *loop) body() string {
	moved := l.s.Post != nil && l.active(l.s.Post)
	if moved && l.sharesCopies() {
		l.first = l.temp()
		l.pre += l.first + " := false; "
		l.head = l.post("if "+l.first+" { ", "}; ") + l.first + " = true; "
	}
	if l.s.Cond != nil && (l.first != "" || l.active(l.s.Cond) || l.hasSeparateOperand(l.s.Cond)) {
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

// active reports whether evaluating n records or flushes anything.
func (f *frame) active(n ast.Node) bool {
	if f.EffectWithin(n) == code.Communicates {
		return true
	}
	return f.Mode == Trace && (f.MayRecord(n) || f.EffectWithin(n) >= code.Records || f.AllocatesIn(n))
}

// condition returns the test of the loop's condition at the start of the body.
func (l *loop) condition() string {
	s := l.begin()
	s += l.evaluate(l.s.Cond) + l.syncCursor()
	l.breakCursor = join(l.breakCursor, l.cursor)
	s += fmt.Sprintf("if !(%s) { break }; ", l.text(l.s.Cond))
	l.subst[l.s.Cond] = ""
	return s
}

// post rewrites the post statement as a block of its own, between two texts.
func (l *loop) post(before, after string) string {
	entry := l.cursor
	s := before + l.begin()
	p := l.simple(l.s.Post)
	s += braced(p.String(), false) + orNothing("; ", l.syncCursor()) + after
	l.subst[l.s.Post] = ""
	l.cursor = join(entry, l.cursor)
	return s
}

// bodyThenPost puts the post statement after the body, at the destination of continue. There, the declarations of
// the body are not visible.
func (l *loop) bodyThenPost(begin string) string {
	l.cont = l.newLabel()
	body := l.nested(l.s.Body, "")
	mark := ""
	if l.contUsed {
		mark = l.cont + ": "
		l.cursor = join(l.cursor, l.continueCursor)
		l.continueCursor = unreachableCursor
	}
	return "{ " + l.head + begin + body + "; " + mark + l.post("", "") + " }"
}

// sharesCopies reports whether code can observe which iteration's copy of the loop variables the post statement
// changes.
func (l *loop) sharesCopies() bool {
	d, ok := l.s.Init.(*ast.AssignStmt)
	if !ok || d.Tok != token.DEFINE {
		return false
	}
	for _, e := range d.Lhs {
		v, ok := l.Info.Defs[e.(*ast.Ident)].(*types.Var)
		if ok && l.Shared[v]&(code.Addressed|code.Enclosed) != 0 {
			return true
		}
	}
	return false
}
