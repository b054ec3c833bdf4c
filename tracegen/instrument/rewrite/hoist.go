package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// hoist takes out of the operands of one statement what gc's order pass takes out
// of it, in the same order: calls, and if there are any, whatever else gc evaluates
// between them. Allocations, which gc leaves where they are, come last.
func (f *frame) hoist(exprs ...ast.Expr) string { return f.hoistWith(nil, exprs...) }

// hoistWith is hoist of operands in a statement that evaluates others after them.
func (f *frame) hoistWith(others []ast.Expr, exprs ...ast.Expr) string {
	h := &hoister{frame: f}
	for _, e := range slices.Concat(exprs, others) {
		h.all = h.all || f.busy(e)
		h.records = h.records || f.Mode == Trace && e != nil && f.touches(e)
	}
	var b strings.Builder
	for _, e := range exprs {
		b.WriteString(h.expr(e))
	}
	if h.all {
		h.allocations = true
		for _, e := range exprs {
			b.WriteString(h.expr(e))
		}
	}
	return b.String()
}

// busy reports whether evaluating e calls anything that could have an effect.
func (f *frame) busy(e ast.Expr) bool {
	if e == nil {
		return false
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || f.subst[n] == "" && f.effect(n) > pure
		case *ast.UnaryExpr:
			found = found || f.subst[n] == "" && (n.Op == token.ARROW || f.allocates(n))
		case *ast.CompositeLit:
			found = found || f.subst[n] == "" && f.allocates(n)
		}
		return !found
	})
	return found
}

// hoister takes calls out of expressions.
type hoister struct {
	*frame
	all         bool // not only && and || whose right operand records
	records     bool // the statement records, so that the order of panics matters
	allocations bool // calls are done, allocations are left
}

// expr takes out of e what is to be taken out, operands first.
func (h *hoister) expr(e ast.Expr) string {
	if _, done := h.subst[e]; e == nil || done || h.constant(e) {
		return ""
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		return ""
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return h.logical(e)
		}
	case *ast.CallExpr:
		if h.all && h.calls(e) || h.records && h.computes(e) {
			return h.call(e)
		}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW && h.all {
			return h.receive(e)
		}
		if h.allocations && h.allocates(e) {
			return h.pointerTo(e)
		}
	case *ast.CompositeLit:
		if h.allocations && h.allocates(e) {
			return h.listed(e)
		}
	}
	s := h.children(e)
	if (h.all || h.records) && h.early(e) || h.all && h.boxed[e] {
		s += h.kept(e)
	}
	return s
}

// calls reports whether e is to be taken out now: a call, or a conversion that
// copies. Gc makes slices of strings in order, but strings of slices only when the
// statement runs, like an allocation.
func (h *hoister) calls(e *ast.CallExpr) bool {
	if !h.Info.Types[e.Fun].IsType() {
		return true
	}
	return h.copies(e) && (h.allocations || !isString(h.Info.TypeOf(e)))
}

// computes reports whether e is a call without effect that gc makes before it
// evaluates what is beside it, and whose operands load or can panic.
func (h *hoister) computes(e *ast.CallExpr) bool {
	if h.Info.Types[e.Fun].IsType() || h.effect(e) > pure {
		return false
	}
	for _, a := range e.Args {
		switch ast.Unparen(a).(type) {
		case *ast.Ident, *ast.BasicLit:
			if h.recorded(a) {
				return true
			}
		default:
			if !h.constant(a) {
				return true
			}
		}
	}
	return false
}

// early reports whether gc evaluates e before calls to the right of it, though it
// has no effect.
func (h *hoister) early(e ast.Expr) bool {
	switch e.(type) {
	case *ast.SliceExpr, *ast.TypeAssertExpr:
		return true
	}
	return false
}

// kept evaluates e, which has no effect, here and keeps its value.
func (h *hoister) kept(e ast.Expr) string {
	s := h.children(e)
	if h.Mode == Trace {
		s += (&hoister{frame: h.frame, all: true, allocations: true}).children(e)
		st := &steps{frame: h.frame}
		st.eval(e, false)
		s += h.emit(st.list)
	}
	if _, done := h.subst[e]; done {
		return s
	}
	return s + h.keep(e)
}

// children visits the operands of e in source order.
func (h *hoister) children(e ast.Expr) string {
	var b strings.Builder
	ast.Inspect(e, func(n ast.Node) bool {
		if n == e {
			return true
		}
		if x, ok := n.(ast.Expr); ok {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				b.WriteString(h.keyValue(kv))
			} else {
				b.WriteString(h.expr(x))
			}
		}
		return false
	})
	return b.String()
}

func (h *hoister) keyValue(kv *ast.KeyValueExpr) string {
	if id, ok := kv.Key.(*ast.Ident); ok && isField(h.Info.Uses[id]) {
		return h.expr(kv.Value)
	}
	return h.expr(kv.Key) + h.expr(kv.Value)
}

// logical takes out a conditional operator whose right operand has something to do
// that must not be done when the left one decides.
func (h *hoister) logical(e *ast.BinaryExpr) string {
	separate := h.separate(e)
	if !h.all && !separate && !h.active(e.Y) {
		return h.expr(e.X)
	}
	s := h.evaluate(e.X)
	v, untyped := h.temp(), h.untyped(e.X)
	s += fmt.Sprintf("%s := %s; ", v, h.text(e.X)) + h.ready()
	not := ""
	if e.Op == token.LOR {
		not = "!"
	}
	entry := h.cursor
	right, end := h.branch(entry, func(begin string) string {
		s := begin + h.evaluate(e.Y)
		if separate {
			h.charge(e.Y)
		}
		y := h.text(e.Y)
		if untyped && !h.untyped(e.Y) {
			y = "(" + y + " != (0 != 0))" // of a named type, which the variable does not have
		}
		return s + fmt.Sprintf("%s = %s; ", v, y) + h.ready()
	})
	s += fmt.Sprintf("if %s%s { %s}; ", not, v, right)
	h.cursor = join(entry, end)
	if h.subst[e] = v; untyped {
		h.standTruth(e, v)
	}
	return s
}

// call takes out a call.
func (h *hoister) call(e *ast.CallExpr) string {
	if h.effect(e) == pure && resultsOf(h.Info.TypeOf(e)) == 1 {
		return h.kept(e)
	}
	s := h.invoke(e)
	vars := make([]string, resultsOf(h.Info.TypeOf(e)))
	for i := range vars {
		vars[i] = h.temp()
	}
	list := strings.Join(vars, ", ")
	s += fmt.Sprintf("%s := %s; ", list, h.text(e))
	h.subst[e] = list
	return s
}

func resultsOf(t types.Type) int {
	if t, ok := t.(*types.Tuple); ok {
		return t.Len()
	}
	return 1
}

// receive takes out a receive operation.
func (h *hoister) receive(e *ast.UnaryExpr) string {
	return h.evaluate(e.X) + h.yield() + h.keep(e)
}
