package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// emit returns the code of the steps of a statement.
func (f *frame) emit(list []step) string {
	var b strings.Builder
	last := -1 // last step that can panic
	for i, s := range list {
		if s.kind != stepKeep {
			last = i
		}
	}
	for i, s := range list {
		if s.kind == stepTrap && i == last {
			continue
		}
		b.WriteString(f.step(s))
	}
	return b.String()
}

func (f *frame) step(s step) string {
	switch t := f.Info.TypeOf(s.e); s.kind {
	case stepLoad, stepStore:
		return f.put(f.pointer(s.e), s.e, t, s.kind == stepStore)
	case stepLoadTarget, stepStoreTarget:
		e := &ast.StarExpr{X: s.e}
		f.subst[e] = "*" + f.text(s.e)
		return f.put(f.text(s.e), e, code.Core(t).(*types.Pointer).Elem(), s.kind == stepStoreTarget)
	case stepScan:
		return f.scan(s.e, t)
	}
	return f.keep(s.e)
}

// pointer returns the address of the place e.
func (f *frame) pointer(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return f.text(e.X)
	case *ast.IndexExpr:
		if code.IsString(f.Info.TypeOf(e.X)) {
			f.file.uses.hooks = true
			return fmt.Sprintf("%s.Byte(%s, %s)", f.name.hooks, f.text(e.X), f.text(e.Index))
		}
		return "&" + f.text(e)
	default:
		return "&" + f.text(e)
	}
}

// keep returns code that stores the value of e in a variable, and substitutes the variable for e from here on.
func (f *frame) keep(e ast.Expr) string {
	v := f.temp()
	s := fmt.Sprintf("%s := %s; ", v, f.text(e))
	if f.untyped(e) {
		f.substituteTruth(e, v)
	} else {
		f.subst[e] = v
	}
	return s
}

// substituteTruth substitutes a variable for a truth value that takes its type from its context.
func (f *frame) substituteTruth(e ast.Expr, v string) {
	f.subst[e], f.untypedTruth[e] = "("+v+" != (0 != 0))", true
}

// untyped reports whether the text for e is an untyped truth value: a comparison, or made of comparisons.
func (f *frame) untyped(e ast.Expr) bool {
	if _, done := f.subst[e]; done {
		return f.untypedTruth[e]
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.untyped(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.NOT && f.untyped(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			return f.untyped(e.X) && f.untyped(e.Y)
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		}
	}
	return false
}

// evaluate returns the code before a statement that evaluates the expressions. It makes their calls and records
// their loads. The texts of the expressions are then the remaining parts.
func (f *frame) evaluate(exprs ...ast.Expr) string {
	if f.Mode == Count && !f.hasSeparateOperand(exprs...) {
		return f.flushFor(exprs...)
	}
	s := f.hoist(exprs...)
	if f.Mode == Count {
		return s
	}
	st := &steps{frame: f}
	for _, e := range exprs {
		st.eval(e, false)
	}
	return s + f.emit(st.list)
}

// hasSeparateOperand reports whether the expressions contain right operands of && or || that are separate blocks.
func (f *frame) hasSeparateOperand(exprs ...ast.Expr) bool {
	found := false
	for _, e := range exprs {
		if e == nil {
			continue
		}
		ast.Inspect(e, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok || found {
				return false
			}
			if x, ok := n.(ast.Expr); ok && (f.subst[x] != "" || f.Constant(x)) {
				return false
			}
			b, ok := n.(*ast.BinaryExpr)
			found = ok && (b.Op == token.LAND || b.Op == token.LOR) && f.countedSeparately(b)
			return !found
		})
	}
	return found
}

// flushFor flushes the count if evaluating the expressions may communicate.
func (f *frame) flushFor(exprs ...ast.Expr) string {
	for _, e := range exprs {
		if e != nil && f.EffectWithin(e) == code.Communicates {
			return f.yield()
		}
	}
	return ""
}
