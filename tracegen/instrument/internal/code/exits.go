package code

import (
	"go/ast"
	"go/token"
)

// CanExit reports whether control may leave s other than at its end.
func CanExit(s ast.Stmt) bool {
	e := exitFinder{labels: map[string]bool{}}
	ast.Inspect(s, func(n ast.Node) bool {
		if l, ok := n.(*ast.LabeledStmt); ok {
			e.labels[l.Label.Name] = true
		}
		return true
	})
	e.walk(s, false, false)
	return e.found
}

type exitFinder struct {
	labels map[string]bool // within the statement
	found  bool
}

// walk searches n. It is in a loop if loop is set, and in a statement that break leaves if breakable is set.
func (e *exitFinder) walk(n ast.Node, loop, breakable bool) {
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
			e.found = e.exits(m, loop, breakable)
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			e.walk(m, loop, breakable)
			return false
		}
		return !e.found
	})
}

func (e *exitFinder) exits(s *ast.BranchStmt, loop, breakable bool) bool {
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

// HasBreak reports whether a statement in a loop's body leaves the loop.
func HasBreak(body *ast.BlockStmt) bool {
	e := exitFinder{}
	for _, s := range body.List {
		e.walk(s, true, false)
		if b, ok := s.(*ast.BranchStmt); ok {
			e.found = e.found || e.exits(b, true, false)
		}
	}
	return e.found
}
