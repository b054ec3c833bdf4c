package rewrite

import (
	"go/ast"
	"go/token"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// list rewrites the statements between two positions.
func (f *frame) list(l []ast.Stmt, from, to token.Pos) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(f.raw(from, s.Pos()))
		b.WriteString(f.beginIfSplit())
		b.WriteString(f.stmt(s))
		from = max(from, s.End())
	}
	b.WriteString(f.raw(from, to))
	return b.String()
}

// nested rewrites the statements of a block in braces; head is rewritten code before them.
func (f *frame) nested(b *ast.BlockStmt, head string) string {
	list := f.list(b.List, b.Lbrace+1, b.Rbrace)
	return f.raw(b.Lbrace, b.Lbrace+1) + " " + head + appendCode(list, f.syncCursor()) + f.raw(b.Rbrace, b.End())
}

// conditional rewrites statements that run only in some cases. They start from the cursor entry. It returns the
// cursor at their end.
func (f *frame) conditional(entry cursor, rewrite func(begin string) string) (string, cursor) {
	block, split := f.block, f.split
	f.cursor = entry
	s := rewrite(f.begin())
	end := f.cursor
	f.resumeBlock(block, split)
	return s, end
}

// stmt rewrites one statement.
func (f *frame) stmt(s ast.Stmt) string {
	parts := f.splitsBlock(s)
	var text string
	switch s := s.(type) {
	case *ast.BlockStmt:
		text = f.raw(s.Lbrace, s.Lbrace+1) + f.list(s.List, s.Lbrace+1, s.Rbrace) + f.raw(s.Rbrace, s.End())
	case *ast.LabeledStmt:
		text = f.labeled(s)
	case *ast.IfStmt:
		text = f.ifStmt(s)
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		text = f.compound(s, newTarget(""))
	case *ast.ReturnStmt:
		text = f.returnStmt(s)
	case *ast.BranchStmt:
		text = f.branchStmt(s)
	default:
		l := f.simple(s)
		f.charge(s)
		text = braced(l.String(), l.declares(s))
	}
	if f.Mode == Trace && !parts && !f.split && loops(s) {
		f.split, f.continued = true, f.block
	}
	f.split = f.split || parts
	return text
}

// braced puts statements into braces, unless they declare variables for later statements. A goto may jump over a
// block, but not over a declaration.
func braced(text string, declares bool) string {
	if declares || !strings.Contains(text, " := ") {
		return text
	}
	return "{ " + text + " }"
}

// declares reports whether a statement declares variables for later statements.
func (l loweredStmt) declares(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE
	case *ast.DeclStmt:
		return true
	}
	return l.pre == "" && l.post == "" && !l.multiple
}

// compound rewrites a statement that break can leave.
func (f *frame) compound(s ast.Stmt, t target) string {
	switch s := s.(type) {
	case *ast.ForStmt:
		return f.forStmt(s, &t)
	case *ast.RangeStmt:
		return f.rangeStmt(s, &t)
	case *ast.SwitchStmt:
		return f.switchStmt(s, &t)
	case *ast.TypeSwitchStmt:
		return f.typeSwitch(s, &t)
	case *ast.SelectStmt:
		return f.selectStmt(s, &t)
	}
	return f.stmt(s)
}

// simple rewrites a statement that is not compound and does not jump.
func (f *frame) simple(s ast.Stmt) loweredStmt {
	switch s := s.(type) {
	case *ast.ExprStmt:
		l := loweredStmt{pre: f.evaluateRoot(s.X), text: f.text(s)}
		if f.panics(s.X) {
			f.setUnreachable()
		}
		return l
	case *ast.AssignStmt:
		return f.assign(s)
	case *ast.IncDecStmt:
		if f.Mode == Count {
			return loweredStmt{pre: f.evaluate(placeOperands([]ast.Expr{s.X})...), text: f.text(s)}
		}
		return f.update(s, s.X, nil)
	case *ast.SendStmt:
		pre := f.evaluate(s.Chan, s.Value) + f.yield()
		return loweredStmt{pre: pre, text: f.text(s)}
	case *ast.GoStmt:
		if !f.Goroutines {
			f.report(s.Pos(), "a goroutine is started, but Options.Goroutines is not set")
		}
		return f.deferred(s, s.Call)
	case *ast.DeferStmt:
		return f.deferred(s, s.Call)
	case *ast.DeclStmt:
		return f.declare(s)
	}
	return loweredStmt{text: f.text(s)}
}

// panics reports whether e is a call of panic; no code may follow it.
func (f *frame) panics(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && f.Info.Types[call.Fun].IsBuiltin() && code.BuiltinName(call) == "panic"
}

// yield returns the code before a statement that may wait for other ranks.
func (f *frame) yield() string {
	f.split = true
	if f.Mode == Count {
		return f.flush(true)
	}
	return f.closeCursor()
}

// deferred rewrites a statement that evaluates the operands of a call now and makes the call later.
func (f *frame) deferred(s ast.Stmt, call *ast.CallExpr) loweredStmt {
	return loweredStmt{pre: f.evaluate(append([]ast.Expr{call.Fun}, call.Args...)...), text: f.text(s)}
}

// declare rewrites a declaration of variables, one by one.
func (f *frame) declare(s *ast.DeclStmt) loweredStmt {
	d := s.Decl.(*ast.GenDecl)
	if d.Tok != token.VAR {
		return loweredStmt{text: f.text(s)}
	}
	var b strings.Builder
	plain := true
	for i, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		pre := ""
		if len(spec.Values) > 0 {
			pre = f.rightSide(spec.Values)
		}
		vars := make([]ast.Expr, len(spec.Names))
		for k, id := range spec.Names {
			vars[k] = id
		}
		post := ""
		if len(spec.Values) > 0 && f.Mode == Trace {
			post = f.recordDefined(vars)
		}
		plain = plain && pre == "" && post == ""
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(pre + "var " + f.text(spec) + post)
	}
	if plain {
		return loweredStmt{text: f.text(s)}
	}
	return loweredStmt{text: b.String(), multiple: true}
}

// returnStmt rewrites a return.
func (f *frame) returnStmt(s *ast.ReturnStmt) string {
	pre := ""
	if len(s.Results) > 0 {
		pre = f.rightSide(s.Results)
	}
	f.charge(s)
	pre += f.exitText()
	return braced(pre+f.text(s), false)
}

// splitsBlock reports whether the code after s may run less often than the code before it, or at another time.
func (f *frame) splitsBlock(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.BlockStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
		return code.CanExit(s) || f.EffectWithin(s) == code.Communicates
	case *ast.SelectStmt, *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// loops reports whether s contains a loop.
func loops(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}
