package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// target is a statement that break or continue may leave.
type target struct {
	label          string // in the user's source
	mark           string // the label before the statement, with a colon
	rename         string // its name in the result, or ""
	loop           bool
	leavesFrame    bool   // control leaves the frame
	closed         bool   // the cursor is closed at the destination
	cont           string // label that replaces continue, or ""
	contUsed       bool
	breakCursor    cursor // at the destination of break
	continueCursor cursor // at the destination of continue
}

// newTarget returns a target with a label, or without one.
func newTarget(label string) target {
	t := target{label: label, breakCursor: unreachableCursor, continueCursor: unreachableCursor}
	if label != "" {
		t.mark = label + ": "
	}
	return t
}

// labeled rewrites a statement with a label. A label that goto uses stays in its place. If break or continue also
// use it, the statement gets a second label, because it is in a block with the code before it.
func (f *frame) labeled(s *ast.LabeledStmt) string {
	t := newTarget(s.Label.Name)
	jumped := f.labelUsed(s, true)
	before, here := "", ""
	if jumped {
		before = f.syncCursor() + f.writeCount()
		f.cursor = cursor{}
		here = f.raw(s.Pos(), s.Stmt.Pos())
		here += f.begin()
		t.mark = ""
		if f.labelUsed(s, false) {
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

// labelUsed reports whether a goto (if jump is set), or else a break or continue, uses the label.
func (f *frame) labelUsed(s *ast.LabeledStmt, jump bool) bool {
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
		return f.syncCursor() + text
	}
	if s.Tok == token.GOTO {
		return f.jump(s) + text
	}
	t := f.target(s)
	if t == nil || t.leavesFrame {
		return f.exitText() + text
	}
	switch {
	case s.Tok == token.CONTINUE && t.cont != "":
		t.contUsed = true
		text = "goto " + t.cont
	case s.Label != nil && t.rename != "":
		text = s.Tok.String() + " " + t.rename
	}
	before := f.syncCursor()
	if t.closed {
		before = f.yield()
	}
	if s.Tok == token.CONTINUE {
		t.continueCursor = join(t.continueCursor, f.cursor)
	} else {
		t.breakCursor = join(t.breakCursor, f.cursor)
	}
	f.setUnreachable()
	return before + text
}

// jump returns the code before a goto.
func (f *frame) jump(s *ast.BranchStmt) string {
	label, ok := f.Info.Uses[s.Label].(*types.Label)
	if f.outer != nil && ok && (label.Pos() < f.node.Pos() || label.Pos() >= f.node.End()) {
		return f.exitText()
	}
	before := f.syncCursor() + f.writeCount()
	f.setUnreachable()
	return before
}

// target returns the statement that break or continue leaves, or nil if it is outside the frame.
func (f *frame) target(s *ast.BranchStmt) *target {
	for i := len(f.targets) - 1; i >= 0; i-- {
		t := f.targets[i]
		if s.Label != nil && t.label == s.Label.Name || s.Label == nil && (t.loop || s.Tok == token.BREAK) {
			return t
		}
	}
	return nil
}
