package rewrite

import (
	"go/ast"
	"go/types"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// parallelAssignment is an assignment of several values at once, split like gc does it (cmd/compile/internal/walk,
// ascompatee). Operands that an earlier assignment may change are evaluated before all assignments, the others with
// their own.
type parallelAssignment struct {
	*frame
	assigned map[types.Object]bool // local variables
	memory   bool                  // memory that other code may see
	early    strings.Builder
}

// assignAll assigns values to places whose calls have been hoisted.
func (f *frame) assignAll(places, values []ast.Expr) string {
	t := &parallelAssignment{frame: f, assigned: map[types.Object]bool{}}
	for i, p := range places {
		t.save(p, values[i])
		t.assign(p)
	}
	var late strings.Builder
	for i, p := range places {
		if id, ok := p.(*ast.Ident); ok && id.Name == "_" {
			late.WriteString(f.discard(values[i]))
			continue
		}
		st := &steps{frame: f}
		st.eval(values[i], false)
		st.path(p)
		if f.Recorded(p) {
			st.add(stepStore, p)
		}
		late.WriteString(f.emit(st.list) + f.text(p) + " = " + f.text(values[i]) + "; ")
	}
	return t.early.String() + strings.TrimSuffix(late.String(), "; ")
}

// discard evaluates a value that is assigned to the blank identifier.
func (f *frame) discard(e ast.Expr) string {
	if s, done := f.subst[e]; done && s == "_" {
		return ""
	}
	st := &steps{frame: f}
	st.eval(e, false)
	return f.emit(st.list) + "_ = " + f.text(e) + "; "
}

// save keeps the operands of a place, and its value, if earlier assignments may change them.
func (t *parallelAssignment) save(place, value ast.Expr) {
	for {
		switch p := place.(type) {
		case *ast.ParenExpr:
			place = p.X
			continue
		case *ast.IndexExpr:
			t.keepAffected(p.Index, true)
			if _, ok := code.Core(t.Info.TypeOf(p.X)).(*types.Array); ok {
				place = p.X
				continue
			}
			t.keepAffected(p.X, true)
		case *ast.StarExpr:
			t.keepAffected(p.X, true)
		case *ast.SelectorExpr:
			if code.IsPointer(t.Info.TypeOf(p.X)) {
				t.keepAffected(p.X, true)
			} else if t.Info.Selections[p] != nil {
				place = p.X
				continue
			}
		}
		break
	}
	t.keepAffected(value, false)
}

// keepAffected evaluates e early if it is affected.
func (t *parallelAssignment) keepAffected(e ast.Expr, base bool) {
	if _, done := t.subst[e]; done || t.Constant(e) || !t.affected(e) {
		return
	}
	st := &steps{frame: t.frame}
	if base && t.Recorded(e) {
		st.base(e)
	} else {
		st.eval(e, false)
	}
	t.early.WriteString(t.emit(st.list))
	if _, done := t.subst[e]; !done {
		t.early.WriteString(t.keep(e))
	}
}

// affected reports whether the value of e depends on earlier assignments.
func (t *parallelAssignment) affected(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || found {
			return false
		}
		if _, done := t.subst[x]; done {
			return false
		}
		if id, ok := x.(*ast.Ident); ok {
			found = t.assigned[t.Info.Uses[id]]
		}
		found = found || t.memory && t.reads(x)
		return !found
	})
	return found
}

// reads reports whether evaluating e itself reads memory that other code may write.
func (t *parallelAssignment) reads(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := t.Info.Uses[e].(*types.Var)
		return ok && !v.IsField() && (t.InMemory(v) || t.Shared[v]&code.Enclosed != 0)
	case *ast.IndexExpr, *ast.StarExpr, *ast.SelectorExpr:
		return t.Info.Types[e].Value == nil
	}
	return false
}

// assign records that a place is assigned to.
func (t *parallelAssignment) assign(place ast.Expr) {
	id, ok := ast.Unparen(place).(*ast.Ident)
	if !ok {
		t.memory = true
		return
	}
	v, ok := t.Info.ObjectOf(id).(*types.Var)
	switch {
	case !ok: // blank
	case t.InMemory(v) || t.Shared[v]&code.Enclosed != 0:
		t.memory = true
	default:
		t.assigned[v] = true
	}
}
