package weigh

import (
	"go/ast"
	"go/token"
)

// canExitEarly reports whether control can leave s other than at its end. Then the code after s may be executed
// less often than s.
func canExitEarly(s ast.Stmt) bool {
	l := earlyExitFinder{labels: map[string]bool{}}
	l.walk(s, false, false)
	return l.found
}

type earlyExitFinder struct {
	labels map[string]bool // of the enclosing statements
	found  bool
}

// walk searches n. The arguments breaks and continues say whether break and continue without a label stay within n.
func (l *earlyExitFinder) walk(n ast.Node, breaks, continues bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			l.found = true
		case *ast.BranchStmt:
			l.branch(m, breaks, continues)
		case *ast.LabeledStmt:
			l.labels[m.Label.Name] = true
		case *ast.ForStmt, *ast.RangeStmt:
			if m != n {
				l.walk(m, true, true)
				return false
			}
			breaks, continues = true, true
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if m != n {
				l.walk(m, true, continues)
				return false
			}
			breaks = true
		}
		return !l.found
	})
}

func (l *earlyExitFinder) branch(s *ast.BranchStmt, breaks, continues bool) {
	switch {
	case s.Tok == token.GOTO:
		l.found = true
	case s.Label != nil:
		l.found = l.found || !l.labels[s.Label.Name]
	case s.Tok == token.BREAK:
		l.found = l.found || !breaks
	case s.Tok == token.CONTINUE:
		l.found = l.found || !continues
	}
}

// hasGotoTo reports whether l contains a goto to label.
func hasGotoTo(l []ast.Stmt, label string) bool {
	found := false
	ast.Inspect(&ast.BlockStmt{List: l}, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.GOTO && s.Label.Name == label {
			found = true
		}
		return !found
	})
	return found
}
