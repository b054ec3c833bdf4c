package weigh

import (
	"go/ast"
	"go/token"
)

// leaves reports whether control can leave s for another place than its end, so
// that what follows s can be executed less often than s.
func leaves(s ast.Stmt) bool {
	l := leaver{labels: map[string]bool{}}
	l.walk(s, false, false)
	return l.found
}

type leaver struct {
	labels map[string]bool // of the statements around
	found  bool
}

// walk looks through n; breaks and continues say whether such statements without
// a label end within it.
func (l *leaver) walk(n ast.Node, breaks, continues bool) {
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

func (l *leaver) branch(s *ast.BranchStmt, breaks, continues bool) {
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

// jumped reports whether a goto within l leads to label.
func jumped(l []ast.Stmt, label string) bool {
	found := false
	ast.Inspect(&ast.BlockStmt{List: l}, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.GOTO && s.Label.Name == label {
			found = true
		}
		return !found
	})
	return found
}
