package rewrite

import (
	"go/ast"
	"strings"
)

// header rewrites the simple statement init, if any, and the expressions of the
// header of an if or switch. Separate says that init cannot stay in it: its text
// is then part of pre.
func (f *frame) header(init ast.Stmt, exprs ...ast.Expr) (pre string, separate bool) {
	first, open := lowered{}, true
	if init != nil {
		first = f.simple(init)
		f.charge(init)
		open = !f.closed
	}
	second := ""
	for _, e := range exprs {
		if e != nil {
			second += f.evaluate(e)
			f.charge(e)
		}
	}
	if init == nil {
		return second + f.ready(), false
	}
	if first.post == "" && !first.many && second == "" && open {
		f.subst[init] = first.text
		return first.pre + f.ready(), false
	}
	return first.pre + first.text + "; " + first.post + orNothing("; ", second) + f.ready(), true
}

// ifStmt rewrites an if statement.
func (f *frame) ifStmt(s *ast.IfStmt) string {
	f.chargeLine(f.line(s.If))
	pre, separate := f.header(s.Init, s.Cond)
	head := ""
	if separate {
		head = "if " + f.text(s.Cond) + " "
	} else {
		head = f.between(s.If, s.Body.Pos(), present(s.Init, s.Cond)...)
	}
	entry := f.cursor
	body, end := f.branch(entry, func(begin string) string { return f.nested(s.Body, begin) })
	text, other := head+body, entry
	if s.Else != nil {
		var alternative string
		alternative, other = f.branch(entry, func(begin string) string { return f.alternative(s.Else, begin) })
		text += f.raw(s.Body.End(), s.Else.Pos()) + alternative
	}
	f.cursor = join(end, other)
	return inBlock(pre, text, separate)
}

// alternative rewrites what follows else.
func (f *frame) alternative(s ast.Stmt, begin string) string {
	if b, ok := s.(*ast.BlockStmt); ok {
		return f.nested(b, begin)
	}
	return "{ " + begin + f.stmt(s) + orNothing("; ", f.ready()) + " }"
}

// inBlock puts what comes before a statement with it, into a block if something
// is declared.
func inBlock(pre, text string, declares bool) string {
	if declares || strings.Contains(pre, " := ") {
		return "{ " + pre + text + " }"
	}
	return pre + text
}

// present are those of two nodes of a header that there are.
func present(init ast.Stmt, e ast.Expr) (nodes []ast.Node) {
	if init != nil {
		nodes = append(nodes, init)
	}
	if e != nil {
		nodes = append(nodes, e)
	}
	return nodes
}
