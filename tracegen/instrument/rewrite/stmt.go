package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// list rewrites the statements between two places.
func (f *frame) list(l []ast.Stmt, from, to token.Pos) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(f.raw(from, s.Pos()))
		b.WriteString(f.resume())
		b.WriteString(f.stmt(s))
		from = max(from, s.End())
	}
	b.WriteString(f.raw(from, to))
	return b.String()
}

// nested rewrites statements that stand in braces and run by themselves: head is
// what comes before them, which has been rewritten already.
func (f *frame) nested(b *ast.BlockStmt, head string) string {
	list := f.list(b.List, b.Lbrace+1, b.Rbrace)
	return f.raw(b.Lbrace, b.Lbrace+1) + " " + head + then(list, f.ready()) + f.raw(b.Rbrace, b.End())
}

// branch rewrites statements that run only in some cases, from the cursor that all
// cases have, and returns the cursor at their end.
func (f *frame) branch(entry cursor, rewrite func(begin string) string) (string, cursor) {
	block, split := f.block, f.split
	f.cursor = entry
	s := rewrite(f.begin())
	end := f.cursor
	f.rejoin(block, split)
	return s, end
}

// stmt rewrites one statement.
func (f *frame) stmt(s ast.Stmt) string {
	parts := f.parts(s)
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
		f.split, f.after = true, f.block
	}
	f.split = f.split || parts
	return text
}

// braced puts statements into braces, unless they declare what the statements
// after them use: goto may jump over a block, but not over a declaration.
func braced(text string, declares bool) string {
	if declares || !strings.Contains(text, " := ") {
		return text
	}
	return "{ " + text + " }"
}

// declares reports whether a statement declares variables for those after it.
func (l lowered) declares(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE
	case *ast.DeclStmt:
		return true
	}
	return l.pre == "" && l.post == "" && !l.many
}

// newTarget is a statement with a label, or without one.
func newTarget(label string) target {
	t := target{label: label, exit: gone, again: gone}
	if label != "" {
		t.mark = label + ": "
	}
	return t
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

// labeled rewrites a statement with a label. A label that goto uses stays where
// it is; if the statement is one that break or continue name, it gets a second
// one, because what comes before the statement proper is in a block with it.
func (f *frame) labeled(s *ast.LabeledStmt) string {
	t := newTarget(s.Label.Name)
	jumped := f.named(s, true)
	before, here := "", ""
	if jumped {
		before = f.ready() + f.unload()
		f.cursor = cursor{}
		here = f.raw(s.Pos(), s.Stmt.Pos())
		here += f.begin()
		t.mark = ""
		if f.named(s, false) {
			t.rename = f.newLabel()
			t.mark = t.rename + ": "
		}
	}
	switch s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		if !jumped {
			here = f.raw(s.Colon+1, s.Stmt.Pos())
		}
		return before + here + f.compound(s.Stmt, t)
	}
	if !jumped {
		here = f.raw(s.Pos(), s.Stmt.Pos())
	}
	return before + here + f.stmt(s.Stmt)
}

// named reports whether a goto, if jump, or a break or continue names the label.
func (f *frame) named(s *ast.LabeledStmt, jump bool) bool {
	label := f.Info.Defs[s.Label]
	found := false
	ast.Inspect(f.ast, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		if ok && b.Label != nil && f.Info.Uses[b.Label] == label && (b.Tok == token.GOTO) == jump {
			found = true
		}
		return !found
	})
	return found
}

// simple rewrites a statement that is neither compound nor leaves the place.
func (f *frame) simple(s ast.Stmt) lowered {
	switch s := s.(type) {
	case *ast.ExprStmt:
		l := lowered{pre: f.evaluateRoot(s.X), text: f.text(s)}
		if f.panics(s.X) {
			f.dead()
		}
		return l
	case *ast.AssignStmt:
		return f.assign(s)
	case *ast.IncDecStmt:
		if f.Mode == Count {
			return lowered{pre: f.evaluate(operandsOf([]ast.Expr{s.X})...), text: f.text(s)}
		}
		return f.update(s, s.X, nil)
	case *ast.SendStmt:
		pre := f.evaluate(s.Chan, s.Value) + f.yield()
		return lowered{pre: pre, text: f.text(s)}
	case *ast.GoStmt:
		if !f.Goroutines {
			f.found(s.Pos(), "a goroutine is started, where code is said to run on those of ranks alone")
		}
		return f.deferred(s, s.Call)
	case *ast.DeferStmt:
		return f.deferred(s, s.Call)
	case *ast.DeclStmt:
		return f.declare(s)
	}
	return lowered{text: f.text(s)}
}

// panics reports whether e is a call of panic, after which nothing may follow.
func (f *frame) panics(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && f.Info.Types[call.Fun].IsBuiltin() && builtinName(call) == "panic"
}

// yield is what comes before a statement that may wait for others.
func (f *frame) yield() string {
	f.split = true
	if f.Mode == Count {
		return f.flush(true)
	}
	return f.close()
}

// deferred rewrites a statement that evaluates a call's operands, and calls later.
func (f *frame) deferred(s ast.Stmt, call *ast.CallExpr) lowered {
	return lowered{pre: f.evaluate(append([]ast.Expr{call.Fun}, call.Args...)...), text: f.text(s)}
}

// declare rewrites a declaration of variables, one after the other.
func (f *frame) declare(s *ast.DeclStmt) lowered {
	d := s.Decl.(*ast.GenDecl)
	if d.Tok != token.VAR {
		return lowered{text: f.text(s)}
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
			post = f.defined(vars)
		}
		plain = plain && pre == "" && post == ""
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(pre + "var " + f.text(spec) + post)
	}
	if plain {
		return lowered{text: f.text(s)}
	}
	return lowered{text: b.String(), many: true}
}

// returnStmt rewrites a return.
func (f *frame) returnStmt(s *ast.ReturnStmt) string {
	pre := ""
	if len(s.Results) > 0 {
		pre = f.rightSide(s.Results)
	}
	f.charge(s)
	pre += f.leave()
	return braced(pre+f.text(s), false)
}

// branchStmt rewrites break, continue, goto and fallthrough.
func (f *frame) branchStmt(s *ast.BranchStmt) string {
	f.charge(s)
	text := f.text(s)
	if s.Tok == token.FALLTHROUGH {
		return f.ready() + text
	}
	if s.Tok == token.GOTO {
		return f.jump(s) + text
	}
	t := f.target(s)
	if t == nil || t.leaves {
		return f.leave() + text
	}
	switch {
	case s.Tok == token.CONTINUE && t.cont != "":
		t.contUsed = true
		text = "goto " + t.cont
	case s.Label != nil && t.rename != "":
		text = s.Tok.String() + " " + t.rename
	}
	before := f.ready()
	if t.closed {
		before = f.yield()
	}
	if s.Tok == token.CONTINUE {
		t.again = join(t.again, f.cursor)
	} else {
		t.exit = join(t.exit, f.cursor)
	}
	f.dead()
	return before + text
}

// jump is what comes before a goto.
func (f *frame) jump(s *ast.BranchStmt) string {
	label, ok := f.Info.Uses[s.Label].(*types.Label)
	if f.outer != nil && ok && (label.Pos() < f.node.Pos() || label.Pos() >= f.node.End()) {
		return f.leave()
	}
	before := f.ready() + f.unload()
	f.dead()
	return before
}

// target is the statement that break or continue means, nil if it is outside the
// frame.
func (f *frame) target(s *ast.BranchStmt) *target {
	for i := len(f.targets) - 1; i >= 0; i-- {
		t := f.targets[i]
		if s.Label != nil && t.label == s.Label.Name || s.Label == nil && (t.loop || s.Tok == token.BREAK) {
			return t
		}
	}
	return nil
}

// parts reports whether what follows s may run another number of times than what
// precedes it, or at another time.
func (f *frame) parts(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.BlockStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
		return escapes(s) || f.within(s) == communicates
	case *ast.SelectStmt, *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// loops reports whether there is a loop in s.
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

// escapes reports whether control may leave s in another way than by its end.
func escapes(s ast.Stmt) bool {
	e := escape{labels: map[string]bool{}}
	ast.Inspect(s, func(n ast.Node) bool {
		if l, ok := n.(*ast.LabeledStmt); ok {
			e.labels[l.Label.Name] = true
		}
		return true
	})
	e.walk(s, false, false)
	return e.found
}

type escape struct {
	labels map[string]bool // within the statement
	found  bool
}

// walk looks into n, which stands in a loop or in another statement that break
// leaves.
func (e *escape) walk(n ast.Node, loop, breakable bool) {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		loop, breakable = true, true
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		breakable = true
	}
	ast.Inspect(n, func(m ast.Node) bool {
		if m == n || e.found {
			return !e.found
		}
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			e.found = true
		case *ast.BranchStmt:
			e.found = e.leaves(m, loop, breakable)
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			e.walk(m, loop, breakable)
			return false
		}
		return !e.found
	})
}

func (e *escape) leaves(s *ast.BranchStmt, loop, breakable bool) bool {
	switch {
	case s.Tok == token.GOTO:
		return true
	case s.Label != nil:
		return !e.labels[s.Label.Name]
	case s.Tok == token.BREAK:
		return !breakable
	case s.Tok == token.CONTINUE:
		return !loop
	}
	return false
}
