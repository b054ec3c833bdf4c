package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// loweredStmt is a rewritten simple statement.
type loweredStmt struct {
	pre      string // code before it
	text     string // the statement, or its replacement; a simple statement if pre may be moved away from it
	post     string // code after it, after a semicolon
	multiple bool   // text is more than one simple statement
}

func (l loweredStmt) unchanged() bool { return l.pre == "" && l.post == "" && !l.multiple }

func (l loweredStmt) String() string { return l.pre + l.text + l.post }

// assign rewrites an assignment or a definition of variables.
func (f *frame) assign(s *ast.AssignStmt) loweredStmt {
	if f.Mode == Count {
		return f.assignCounted(s)
	}
	switch {
	case s.Tok != token.DEFINE && s.Tok != token.ASSIGN:
		return f.update(s, s.Lhs[0], s.Rhs[0])
	case s.Tok == token.DEFINE || !f.anyRecorded(s.Lhs):
		return f.assignLocal(s)
	case len(s.Lhs) == 1:
		return f.assignOne(s, s.Lhs[0], s.Rhs[0])
	case len(s.Lhs) == len(s.Rhs):
		return loweredStmt{text: f.hoistBoth(s.Lhs, s.Rhs...) + f.assignAll(s.Lhs, s.Rhs), multiple: true}
	}
	return f.assignResults(s)
}

// assignCounted rewrites an assignment of counting code.
func (f *frame) assignCounted(s *ast.AssignStmt) loweredStmt {
	places := placeOperands(s.Lhs)
	if len(s.Rhs) == 1 && len(places) == 0 {
		return loweredStmt{pre: f.evaluateRoot(s.Rhs[0]), text: f.text(s)}
	}
	return loweredStmt{pre: f.evaluate(append(places, s.Rhs...)...), text: f.text(s)}
}

// anyRecorded reports whether stores to any of the places are recorded. A place is an expression that can be
// assigned to.
func (f *frame) anyRecorded(places []ast.Expr) bool {
	for _, p := range places {
		if f.Recorded(p) {
			return true
		}
	}
	return false
}

// assignLocal rewrites an assignment to places that are not recorded.
func (f *frame) assignLocal(s *ast.AssignStmt) loweredStmt {
	l := loweredStmt{pre: f.hoistPlaces(s.Lhs, s.Rhs...)}
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
		l.post = f.recordDefined(s.Lhs)
	}
	return l
}

// rightSide evaluates the right side of an assignment. If it is a single call, the assignment itself makes the
// call.
func (f *frame) rightSide(rhs []ast.Expr) string {
	if len(rhs) == 1 {
		return f.evaluateRoot(rhs[0])
	}
	return f.evaluate(rhs...)
}

// evaluateRoot evaluates an expression that the statement evaluates last. If it is an operation with an effect,
// only its operands are evaluated before the statement.
func (f *frame) evaluateRoot(e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if f.Effect(x) > code.Pure || resultsOf(f.Info.TypeOf(x)) != 1 {
			return f.prepareCall(x)
		}
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return f.evaluate(x.X) + f.yield()
		}
	case *ast.IndexExpr, *ast.TypeAssertExpr:
		return f.evaluateCommaOK(x)
	}
	return f.evaluate(e)
}

// evaluateCommaOK evaluates the operands of an operation that may have a second result, which says whether there is
// a value.
func (f *frame) evaluateCommaOK(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.TypeAssertExpr:
		return f.evaluate(e.X)
	case *ast.IndexExpr:
		if _, ok := code.Core(f.Info.TypeOf(e.X)).(*types.Map); ok {
			f.reportMap(e.Pos())
			return f.evaluate(e.X, e.Index)
		}
	}
	return f.evaluate(e)
}

// reportMap reports an operation on a map.
func (f *frame) reportMap(at token.Pos) {
	if f.Mode == Trace {
		f.report(at, "element of a map, because its address is not known")
	}
}

// recordDefined records the stores to variables that a statement has just declared.
func (f *frame) recordDefined(vars []ast.Expr) string {
	s := ""
	for _, e := range vars {
		id, ok := e.(*ast.Ident)
		if !ok || id.Name == "_" {
			continue
		}
		v, ok := f.Info.ObjectOf(id).(*types.Var)
		if ok && f.InMemory(v) {
			s += f.put("&"+id.Name, id, v.Type(), true)
		}
	}
	return orNothing("; ", s)
}

// hoistPlaces hoists calls out of the operands of places, to which values are assigned.
func (f *frame) hoistPlaces(places []ast.Expr, values ...ast.Expr) string {
	return f.hoistWith(values, placeOperands(places)...)
}

// hoistBoth hoists calls out of the operands of places and out of their values.
func (f *frame) hoistBoth(places []ast.Expr, values ...ast.Expr) string {
	return f.hoist(append(placeOperands(places), values...)...)
}

// placeOperands returns the expressions whose values determine places.
func placeOperands(places []ast.Expr) (operands []ast.Expr) {
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
func (f *frame) assignOne(s ast.Stmt, place, value ast.Expr) loweredStmt {
	pre := f.hoistBoth([]ast.Expr{place}, value)
	st := &steps{frame: f}
	st.eval(value, false)
	st.path(place)
	st.add(stepStore, place)
	return loweredStmt{pre: pre + f.emit(st.list), text: f.text(s)}
}

// update rewrites place op= value, or place++ if value is nil.
func (f *frame) update(s ast.Stmt, place, value ast.Expr) loweredStmt {
	pre := f.hoistBoth([]ast.Expr{place}, value)
	st := &steps{frame: f}
	st.path(place)
	if f.Recorded(place) {
		st.add(stepLoad, place)
	}
	st.eval(value, false)
	if f.Recorded(place) {
		st.add(stepStore, place)
	}
	return loweredStmt{pre: pre + f.emit(st.list), text: f.text(s)}
}

// assignResults rewrites an assignment of several results of one operation.
func (f *frame) assignResults(s *ast.AssignStmt) loweredStmt {
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
	return loweredStmt{text: b.String(), multiple: true}
}

func isCall(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok
}
