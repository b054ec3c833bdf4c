package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// target is a statement that break or continue may leave.
type target struct {
	label    string // of the user
	mark     string // the label as it stands in front of the statement, with a colon
	rename   string // what it is called in the result, or ""
	loop     bool
	leaves   bool   // the frame
	closed   bool   // where control goes, the cursor is closed
	cont     string // label that stands for continue, or ""
	contUsed bool
	exit     cursor // where break leads to
	again    cursor // where continue leads to
}

// newTarget is a statement with a label, or without one.
func newTarget(label string) target {
	t := target{label: label, exit: gone, again: gone}
	if label != "" {
		t.mark = label + ": "
	}
	return t
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
