package rewrite

import (
	"go/ast"
	"strings"
)

// header rewrites the simple statement init, if any, and the expressions in the header of an if or switch. If init
// cannot stay in the header, separate is true and its text is part of pre.
func (f *frame) header(init ast.Stmt, exprs ...ast.Expr) (pre string, separate bool) {
	first, open := loweredStmt{}, true
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
		return second + f.syncCursor(), false
	}
	if first.post == "" && !first.multiple && second == "" && open {
		f.subst[init] = first.text
		return first.pre + f.syncCursor(), false
	}
	return first.pre + first.text + "; " + first.post + orNothing("; ", second) + f.syncCursor(), true
}

// ifStmt rewrites an if statement.
func (f *frame) ifStmt(s *ast.IfStmt) string {
	f.chargeLine(f.line(s.If))
	pre, separate := f.header(s.Init, s.Cond)
	head := ""
	if separate {
		head = "if " + f.text(s.Cond) + " "
	} else {
		head = f.between(s.If, s.Body.Pos(), existing(s.Init, s.Cond)...)
	}
	entry := f.cursor
	body, end := f.conditional(entry, func(begin string) string { return f.nested(s.Body, begin) })
	text, other := head+body, entry
	if s.Else != nil {
		var alternative string
		alternative, other = f.conditional(entry, func(begin string) string { return f.alternative(s.Else, begin) })
		text += f.raw(s.Body.End(), s.Else.Pos()) + alternative
	}
	f.cursor = join(end, other)
	return inBlock(pre, text, separate)
}

// alternative rewrites the part after else.
func (f *frame) alternative(s ast.Stmt, begin string) string {
	if b, ok := s.(*ast.BlockStmt); ok {
		return f.nested(b, begin)
	}
	return "{ " + begin + f.stmt(s) + orNothing("; ", f.syncCursor()) + " }"
}

// inBlock joins a statement and the code before it. It puts both into a block if they declare anything.
func inBlock(pre, text string, declares bool) string {
	if declares || strings.Contains(pre, " := ") {
		return "{ " + pre + text + " }"
	}
	return pre + text
}

// existing returns those of the two nodes of a header that are not nil.
func existing(init ast.Stmt, e ast.Expr) (nodes []ast.Node) {
	if init != nil {
		nodes = append(nodes, init)
	}
	if e != nil {
		nodes = append(nodes, e)
	}
	return nodes
}
