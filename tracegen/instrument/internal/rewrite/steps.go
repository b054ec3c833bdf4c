package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"spoor/tracegen/instrument/internal/code"
)

// step is an action before a statement whose operands have no effect, in the order of evaluation.
type step struct {
	kind stepKind
	e    ast.Expr
}

type stepKind int

const (
	stepLoad        stepKind = iota + 1 // write the word of a load of e
	stepLoadTarget                      // write the word of a load of the target of pointer e
	stepStore                           // write the word of a store to e
	stepStoreTarget                     // write the word of a store to the target of pointer e
	stepKeep                            // store the value of e in a variable
	stepTrap                            // the same, if a later step can also panic
	stepScan                            // record a load of all elements of e, a slice or a string
)

// steps collects the steps of a statement.
type steps struct {
	*frame
	list []step
}

func (s *steps) add(k stepKind, e ast.Expr) { s.list = append(s.list, step{k, e}) }

// eval collects the steps of evaluating e. If inner is set, e leads to a place that is referenced. Its value is
// then kept for the statement, which need not load it again.
func (s *steps) eval(e ast.Expr, inner bool) {
	if _, done := s.subst[e]; e == nil || done || s.Constant(e) {
		return
	}
	if s.Recorded(e) {
		s.path(e)
		s.add(stepLoad, e)
		if inner || code.IsScalar(s.Info.TypeOf(e)) {
			s.add(stepKeep, e)
		}
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		s.eval(e.X, inner)
	case *ast.BinaryExpr:
		s.eval(e.X, inner)
		s.eval(e.Y, inner)
		if s.mayTrap(e) {
			s.add(stepTrap, e)
		}
	case *ast.UnaryExpr:
		s.unary(e, inner)
	case *ast.SelectorExpr:
		s.selector(e, inner)
	case *ast.IndexExpr:
		s.index(e)
	case *ast.SliceExpr:
		s.slice(e)
	case *ast.TypeAssertExpr:
		s.eval(e.X, inner)
		s.add(stepTrap, e)
	default:
		s.operands(e, inner)
	}
}

// index collects the steps of an element of a map, or of an array that is not recorded. Instances of generic
// functions have the same syntax.
func (s *steps) index(e *ast.IndexExpr) {
	t := code.Core(s.Info.TypeOf(e.X))
	switch t.(type) {
	case *types.Signature:
		return
	case nil:
		s.report(e.Pos(), "element of a value that is a string or a slice, depending on a type parameter")
	}
	s.path(e)
	if _, ok := t.(*types.Array); !ok || s.Info.Types[e.Index].Value == nil {
		s.add(stepTrap, e)
	}
}

// operands collects the steps of calls without effect and of literals.
func (s *steps) operands(e ast.Expr, inner bool) {
	switch e := e.(type) {
	case *ast.CallExpr:
		s.eval(e.Fun, inner)
		for _, a := range e.Args {
			s.eval(a, inner)
		}
		if s.NoCopy[e] {
			s.add(stepScan, e.Args[0])
		}
		s.conversion(e)
	case *ast.CompositeLit:
		if t := s.Info.TypeOf(e); e.Type == nil && (code.IsSlice(t) || code.IsPointer(t)) {
			s.report(e.Pos(), "initialization of memory by a literal within a literal")
		}
		for _, x := range e.Elts {
			s.element(x, inner)
		}
	}
}

// conversion reports a conversion that may copy, depending on a type parameter.
func (s *steps) conversion(e *ast.CallExpr) {
	if !s.Info.Types[e.Fun].IsType() || len(e.Args) != 1 || s.Constant(e) {
		return
	}
	from, to := code.Core(s.Info.TypeOf(e.Args[0])), code.Core(s.Info.TypeOf(e))
	if from == nil && (code.IsString(to) || code.IsSlice(to)) || to == nil && (code.IsString(from) || code.IsSlice(from)) {
		s.report(e.Pos(), "conversion that copies a string or a slice, depending on a type parameter")
	}
}

// element collects the steps of an element of a composite literal. In a struct literal the key is a name.
func (s *steps) element(x ast.Expr, inner bool) {
	kv, ok := x.(*ast.KeyValueExpr)
	if !ok {
		s.eval(x, inner)
		return
	}
	if id, ok := kv.Key.(*ast.Ident); !ok || !isField(s.Info.Uses[id]) {
		s.eval(kv.Key, inner)
	}
	s.eval(kv.Value, inner)
}

func isField(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.IsField()
}

func (s *steps) unary(e *ast.UnaryExpr, inner bool) {
	if e.Op != token.AND {
		s.eval(e.X, inner)
		return
	}
	if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
		s.eval(lit, inner)
		return
	}
	s.path(e.X)
}

func (s *steps) slice(e *ast.SliceExpr) {
	if _, ok := code.Core(s.Info.TypeOf(e.X)).(*types.Array); ok {
		s.path(e.X)
	} else {
		s.eval(e.X, false)
	}
	for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
		s.eval(i, false)
	}
	s.add(stepTrap, e)
}

// selector collects the steps of a field of a value that is not recorded, or of the receiver of a method.
func (s *steps) selector(e *ast.SelectorExpr, inner bool) {
	sel := s.Info.Selections[e]
	if sel == nil {
		return
	}
	if sel.Kind() == types.FieldVal {
		s.path(e)
		return
	}
	s.receiver(e, sel, inner)
}

// receiver collects the steps of the receiver of a method: its address, its value, or the value of its target.
func (s *steps) receiver(e *ast.SelectorExpr, sel *types.Selection, inner bool) {
	recv := sel.Obj().(*types.Func).Signature().Recv()
	from, to := code.IsPointer(sel.Recv()), recv != nil && code.IsPointer(recv.Type())
	switch {
	case sel.Kind() != types.MethodVal: // a method expression
	case to && !from:
		s.path(e.X)
	case from && !to && len(sel.Index()) == 1:
		s.base(e.X)
		s.add(stepLoadTarget, e.X)
	default:
		s.eval(e.X, inner)
	}
}

// path collects the steps of the expressions that lead to the place e.
func (s *steps) path(e ast.Expr) {
	if _, done := s.subst[e]; done {
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
	case *ast.ParenExpr:
		s.path(e.X)
	case *ast.StarExpr:
		s.base(e.X)
	case *ast.SelectorExpr:
		if s.Info.Selections[e] == nil {
			return
		}
		if code.IsPointer(s.Info.TypeOf(e.X)) {
			s.base(e.X)
		} else {
			s.path(e.X)
		}
	case *ast.IndexExpr:
		switch code.Core(s.Info.TypeOf(e.X)).(type) {
		case *types.Array:
			s.path(e.X)
		case *types.Map:
			s.reportMap(e.Pos())
			s.base(e.X)
		default:
			s.base(e.X)
		}
		s.eval(e.Index, true)
	default:
		s.eval(e, true)
	}
}

// base collects the steps of a pointer, slice, string or map that leads to a place. Its value is kept, because the
// compiler cannot know that the recording code does not change it.
func (s *steps) base(e ast.Expr) {
	if _, done := s.subst[e]; done || s.Constant(e) {
		return
	}
	if s.Recorded(e) {
		s.path(e)
		if s.Headers || !s.isNotElement(e) {
			s.add(stepLoad, e)
		}
		s.add(stepKeep, e)
		return
	}
	s.eval(e, true)
	if !s.isLocal(e) {
		s.add(stepKeep, e)
	}
}

// isNotElement reports whether e is a variable, a field or the target of a pointer, not an element of an array.
func (s *steps) isNotElement(e ast.Expr) bool {
	_, element := ast.Unparen(e).(*ast.IndexExpr)
	return !element
}

// isLocal reports whether e is a local variable or part of one.
func (s *steps) isLocal(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.ParenExpr:
		return s.isLocal(e.X)
	case *ast.SelectorExpr:
		return s.isLocal(e.X)
	}
	return false
}

// mayTrap reports whether an operator itself can panic.
func (s *steps) mayTrap(e *ast.BinaryExpr) bool {
	switch e.Op {
	case token.QUO, token.REM:
		return code.IsInteger(s.Info.TypeOf(e)) && s.Info.Types[e.Y].Value == nil
	case token.SHL, token.SHR:
		count := s.Info.Types[e.Y]
		return count.Value == nil && s.Info.Types[e.X].Value == nil && !code.IsUnsigned(count.Type)
	case token.EQL, token.NEQ:
		return code.IsInterface(s.Info.TypeOf(e.X)) && code.IsInterface(s.Info.TypeOf(e.Y))
	}
	return false
}
