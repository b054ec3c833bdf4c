package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// lowered is a simple statement that is rewritten.
type lowered struct {
	pre  string // what must run before it
	text string // the statement, or what is in its place; simple if pre may stand elsewhere
	post string // what must run after it, after a semicolon
	many bool   // text is more than one simple statement
}

func (l lowered) plain() bool { return l.pre == "" && l.post == "" && !l.many }

func (l lowered) String() string { return l.pre + l.text + l.post }

// assign rewrites an assignment or a definition of variables.
func (f *frame) assign(s *ast.AssignStmt) lowered {
	if f.Mode == Count {
		return f.assignCounted(s)
	}
	switch {
	case s.Tok != token.DEFINE && s.Tok != token.ASSIGN:
		return f.update(s, s.Lhs[0], s.Rhs[0])
	case s.Tok == token.DEFINE || !f.stores(s.Lhs):
		return f.assignLocal(s)
	case len(s.Lhs) == 1:
		return f.assignOne(s, s.Lhs[0], s.Rhs[0])
	case len(s.Lhs) == len(s.Rhs):
		return lowered{text: f.hoistBoth(s.Lhs, s.Rhs...) + f.assignAll(s.Lhs, s.Rhs), many: true}
	}
	return f.assignResults(s)
}

// assignCounted rewrites an assignment of counting code.
func (f *frame) assignCounted(s *ast.AssignStmt) lowered {
	places := operandsOf(s.Lhs)
	if len(s.Rhs) == 1 && len(places) == 0 {
		return lowered{pre: f.evaluateRoot(s.Rhs[0]), text: f.text(s)}
	}
	return lowered{pre: f.evaluate(append(places, s.Rhs...)...), text: f.text(s)}
}

// stores reports whether any of the places is recorded.
func (f *frame) stores(places []ast.Expr) bool {
	for _, p := range places {
		if f.recorded(p) {
			return true
		}
	}
	return false
}

// assignLocal rewrites an assignment to places that are not recorded.
func (f *frame) assignLocal(s *ast.AssignStmt) lowered {
	l := lowered{pre: f.hoistPlaces(s.Lhs, s.Rhs...)}
	l.pre += f.rightSide(s.Rhs)
	st := &steps{frame: f}
	for _, p := range s.Lhs {
		if _, ok := p.(*ast.Ident); !ok {
			st.path(p)
		}
	}
	l.pre += f.emit(st.list)
	l.text = f.text(s)
	if s.Tok == token.DEFINE {
		l.post = f.defined(s.Lhs)
	}
	return l
}

// rightSide evaluates the right side of an assignment: calls in it are made in the
// assignment itself if it is nothing but one.
func (f *frame) rightSide(rhs []ast.Expr) string {
	if len(rhs) == 1 {
		return f.evaluateRoot(rhs[0])
	}
	return f.evaluate(rhs...)
}

// evaluateRoot evaluates an expression that is all of what the statement evaluates
// last: if it is an operation with an effect, only its operands come before.
func (f *frame) evaluateRoot(e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if f.effect(x) > pure || resultsOf(f.Info.TypeOf(x)) != 1 {
			return f.invoke(x)
		}
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return f.evaluate(x.X) + f.yield()
		}
	case *ast.IndexExpr, *ast.TypeAssertExpr:
		return f.evaluateTested(x)
	}
	return f.evaluate(e)
}

// evaluateTested evaluates the operands of an operation that may have two results:
// its value, and whether there is one.
func (f *frame) evaluateTested(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.TypeAssertExpr:
		return f.evaluate(e.X)
	case *ast.IndexExpr:
		if _, ok := core(f.Info.TypeOf(e.X)).(*types.Map); ok {
			f.hidden(e.Pos())
			return f.evaluate(e.X, e.Index)
		}
	}
	return f.evaluate(e)
}

// hidden reports an operation on a map.
func (f *frame) hidden(at token.Pos) {
	if f.Mode == Trace {
		f.found(at, "element of a map, whose place is not known")
	}
}

// defined records the stores to variables that a statement has just declared.
func (f *frame) defined(vars []ast.Expr) string {
	s := ""
	for _, e := range vars {
		id, ok := e.(*ast.Ident)
		if !ok || id.Name == "_" {
			continue
		}
		v, ok := f.Info.ObjectOf(id).(*types.Var)
		if ok && f.inMemory(v) {
			s += f.put("&"+id.Name, id, v.Type(), true)
		}
	}
	return orNothing("; ", s)
}

// hoistPlaces takes calls out of the operands of places, to which values are
// assigned.
func (f *frame) hoistPlaces(places []ast.Expr, values ...ast.Expr) string {
	return f.hoistWith(values, operandsOf(places)...)
}

// hoistBoth takes calls out of the operands of places and the values for them.
func (f *frame) hoistBoth(places []ast.Expr, values ...ast.Expr) string {
	return f.hoist(append(operandsOf(places), values...)...)
}

// operandsOf are the expressions whose values lead to places.
func operandsOf(places []ast.Expr) (operands []ast.Expr) {
	for _, p := range places {
		switch p := ast.Unparen(p).(type) {
		case *ast.IndexExpr:
			operands = append(operands, p.X, p.Index)
		case *ast.SelectorExpr:
			operands = append(operands, p.X)
		case *ast.StarExpr:
			operands = append(operands, p.X)
		}
	}
	return operands
}

// assignOne rewrites an assignment of one value to a place that is recorded.
func (f *frame) assignOne(s ast.Stmt, place, value ast.Expr) lowered {
	pre := f.hoistBoth([]ast.Expr{place}, value)
	st := &steps{frame: f}
	st.eval(value, false)
	st.path(place)
	st.add(stepStore, place)
	return lowered{pre: pre + f.emit(st.list), text: f.text(s)}
}

// update rewrites place op= value, or place++ if value is nil.
func (f *frame) update(s ast.Stmt, place, value ast.Expr) lowered {
	pre := f.hoistBoth([]ast.Expr{place}, value)
	st := &steps{frame: f}
	st.path(place)
	if f.recorded(place) {
		st.add(stepLoad, place)
	}
	st.eval(value, false)
	if f.recorded(place) {
		st.add(stepStore, place)
	}
	return lowered{pre: pre + f.emit(st.list), text: f.text(s)}
}

// assignResults rewrites an assignment of several results of one operation.
func (f *frame) assignResults(s *ast.AssignStmt) lowered {
	var b strings.Builder
	b.WriteString(f.hoistPlaces(s.Lhs, s.Rhs...) + f.evaluateRoot(s.Rhs[0]))
	vars, values := make([]string, len(s.Lhs)), make([]ast.Expr, len(s.Lhs))
	for i, l := range s.Lhs {
		vars[i] = "_"
		if id, ok := l.(*ast.Ident); !ok || id.Name != "_" {
			vars[i] = f.temp()
		}
		values[i] = &ast.BadExpr{}
		f.subst[values[i]] = vars[i]
	}
	if truth := len(s.Lhs) - 1; resultsOf(f.Info.TypeOf(s.Rhs[0])) == 2 && vars[truth] != "_" && !isCall(s.Rhs[0]) {
		f.subst[values[truth]] = "(" + vars[truth] + " != (0 != 0))"
	}
	fmt.Fprintf(&b, "%s := %s; ", strings.Join(vars, ", "), f.text(s.Rhs[0]))
	b.WriteString(f.assignAll(s.Lhs, values))
	return lowered{text: b.String(), many: true}
}

func isCall(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok
}
