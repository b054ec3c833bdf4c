package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// hoist takes parts out of the operands of one statement, in the same order as gc's order pass. These are calls,
// and if there are any, all other parts that gc evaluates between them. Allocations, which gc does not take out,
// come last.
func (f *frame) hoist(exprs ...ast.Expr) string { return f.hoistWith(nil, exprs...) }

// hoistWith is hoist for operands in a statement that evaluates other expressions after them.
func (f *frame) hoistWith(others []ast.Expr, exprs ...ast.Expr) string {
	h := &hoister{frame: f}
	for _, e := range slices.Concat(exprs, others) {
		h.takesCalls = h.takesCalls || f.hasEffects(e)
		h.records = h.records || f.Mode == Trace && e != nil && f.MayRecord(e)
	}
	var b strings.Builder
	for _, e := range exprs {
		b.WriteString(h.expr(e))
	}
	if h.takesCalls {
		h.allocations = true
		for _, e := range exprs {
			b.WriteString(h.expr(e))
		}
	}
	return b.String()
}

// hasEffects reports whether evaluating e calls anything that could have an effect.
func (f *frame) hasEffects(e ast.Expr) bool {
	if e == nil {
		return false
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || f.subst[n] == "" && f.Effect(n) > code.Pure
		case *ast.UnaryExpr:
			found = found || f.subst[n] == "" && (n.Op == token.ARROW || f.Allocates(n))
		case *ast.CompositeLit:
			found = found || f.subst[n] == "" && f.Allocates(n)
		}
		return !found
	})
	return found
}

// hoister takes calls out of expressions.
type hoister struct {
	*frame
	takesCalls  bool // otherwise only && and || whose right operand records
	records     bool // the statement records, so the order of panics matters
	allocations bool // calls are done, allocations remain
}

// expr hoists parts of e, operands first.
func (h *hoister) expr(e ast.Expr) string {
	if _, done := h.subst[e]; e == nil || done || h.Constant(e) {
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
		if h.takesCalls && h.takesOut(e) || h.records && h.isEarlyPureCall(e) {
			return h.call(e)
		}
	case *ast.UnaryExpr:
		if e.Op == token.ARROW && h.takesCalls {
			return h.hoistReceive(e)
		}
		if h.allocations && h.Allocates(e) {
			return h.pointerTo(e)
		}
	case *ast.CompositeLit:
		if h.allocations && h.Allocates(e) {
			return h.sliceLiteral(e)
		}
	}
	s := h.children(e)
	if (h.takesCalls || h.records) && h.isEvaluatedEarly(e) || h.takesCalls && h.boxed[e] {
		s += h.evaluateAndKeep(e)
	}
	return s
}

// takesOut reports whether to hoist e now: a call, or a conversion that copies. gc makes slices of strings in
// order. It makes strings of slices only when the statement runs, like an allocation.
func (h *hoister) takesOut(e *ast.CallExpr) bool {
	if !h.Info.Types[e.Fun].IsType() {
		return true
	}
	return h.Copies(e) && (h.allocations || !code.IsString(h.Info.TypeOf(e)))
}

// isEarlyPureCall reports whether e is a call without effect that gc makes before it evaluates other operands, and
// whose own operands load or can panic.
func (h *hoister) isEarlyPureCall(e *ast.CallExpr) bool {
	if h.Info.Types[e.Fun].IsType() || h.Effect(e) > code.Pure {
		return false
	}
	for _, a := range e.Args {
		switch ast.Unparen(a).(type) {
		case *ast.Ident, *ast.BasicLit:
			if h.Recorded(a) {
				return true
			}
		default:
			if !h.Constant(a) {
				return true
			}
		}
	}
	return false
}

// isEvaluatedEarly reports whether gc evaluates e before calls to its right, although e has no effect.
func (h *hoister) isEvaluatedEarly(e ast.Expr) bool {
	switch e.(type) {
	case *ast.SliceExpr, *ast.TypeAssertExpr:
		return true
	}
	return false
}

// evaluateAndKeep evaluates e, which has no effect, here and keeps its value.
func (h *hoister) evaluateAndKeep(e ast.Expr) string {
	s := h.children(e)
	if h.Mode == Trace {
		s += (&hoister{frame: h.frame, takesCalls: true, allocations: true}).children(e)
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

// logical hoists a conditional operator whose right operand has an effect that depends on the left operand.
func (h *hoister) logical(e *ast.BinaryExpr) string {
	separate := h.countedSeparately(e)
	if !h.takesCalls && !separate && !h.active(e.Y) {
		return h.expr(e.X)
	}
	s := h.evaluate(e.X)
	v, untyped := h.temp(), h.untyped(e.X)
	s += fmt.Sprintf("%s := %s; ", v, h.text(e.X)) + h.syncCursor()
	not := ""
	if e.Op == token.LOR {
		not = "!"
	}
	entry := h.cursor
	right, end := h.conditional(entry, func(begin string) string {
		s := begin + h.evaluate(e.Y)
		if separate {
			h.charge(e.Y)
		}
		y := h.text(e.Y)
		if untyped && !h.untyped(e.Y) {
			y = "(" + y + " != (0 != 0))" // of a named type, which the variable does not have
		}
		return s + fmt.Sprintf("%s = %s; ", v, y) + h.syncCursor()
	})
	s += fmt.Sprintf("if %s%s { %s}; ", not, v, right)
	h.cursor = join(entry, end)
	if h.subst[e] = v; untyped {
		h.substituteTruth(e, v)
	}
	return s
}

// call hoists a call.
func (h *hoister) call(e *ast.CallExpr) string {
	if h.Effect(e) == code.Pure && resultsOf(h.Info.TypeOf(e)) == 1 {
		return h.evaluateAndKeep(e)
	}
	s := h.prepareCall(e)
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

// hoistReceive hoists a receive operation.
func (h *hoister) hoistReceive(e *ast.UnaryExpr) string {
	return h.evaluate(e.X) + h.yield() + h.keep(e)
}
