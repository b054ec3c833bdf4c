package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// prepareCall returns the code before a call that the following statement makes.
func (f *frame) prepareCall(call *ast.CallExpr) string {
	f.findBoxed(call)
	operands := append([]ast.Expr{call.Fun}, call.Args...)
	s, e := f.evaluate(operands...), f.Effect(call)
	if f.Mode == Trace {
		s += f.atomic(call)
		if e >= code.Records {
			s += f.hook(call) + f.closeCursor()
		}
	}
	if e == code.Communicates {
		s += f.yield()
	}
	return s
}

// findBoxed finds arguments of a call that are structs or arrays and become interface values. gc first copies them
// into variables.
func (f *frame) findBoxed(call *ast.CallExpr) {
	sig, ok := code.Core(f.Info.TypeOf(call.Fun)).(*types.Signature)
	if !ok || call.Ellipsis.IsValid() {
		return
	}
	for i, a := range call.Args {
		switch code.Core(f.Info.TypeOf(a)).(type) {
		case *types.Struct, *types.Array:
			f.boxed[a] = code.IsInterface(paramType(sig, i))
		}
	}
}

// paramType returns the type of the parameter for argument i.
func paramType(sig *types.Signature, i int) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 {
		if s, ok := code.Core(sig.Params().At(n - 1).Type()).(*types.Slice); ok {
			return s.Elem()
		}
	}
	return sig.Params().At(min(i, n-1)).Type()
}

// hook makes a call record references that only the runtime sees: memory that built-in functions use and allocate,
// and memory that conversions copy.
func (f *frame) hook(call *ast.CallExpr) string {
	if f.Info.Types[call.Fun].IsType() {
		f.hookConversion(call)
		return ""
	}
	if !f.Info.Types[call.Fun].IsBuiltin() {
		if f.Assembly && f.makesNoZero(call) {
			f.wrap(call, "Made", "")
		}
		return ""
	}
	switch name := code.BuiltinName(call); name {
	case "append":
		s := ""
		if _, done := f.subst[call.Args[0]]; !done {
			s = f.keep(call.Args[0])
		}
		if f.Assembly && call.Ellipsis.IsValid() {
			f.hookSource(call.Args[1])
		}
		f.wrap(call, "Append", f.text(call.Args[0])+", ")
		return s
	case "copy":
		if f.moves[call] != "" {
			break // which records
		}
		hook := "Copy"
		if code.IsString(f.Info.TypeOf(call.Args[1])) {
			hook = "CopyString"
		}
		f.subst[call] = fmt.Sprintf("%s(%s, %s, %s)", f.hookName(hook), f.name.t, f.text(call.Args[0]), f.text(call.Args[1]))
	case "clear":
		f.wrap(call.Args[0], "Clear", "")
	case "make":
		f.wrap(call, "Made", "")
	case "new":
		f.wrap(call, "New", "")
	}
	return ""
}

// hookSource records the load of the elements that an append copies.
func (f *frame) hookSource(e ast.Expr) {
	switch t := f.Info.TypeOf(e); {
	case code.IsString(t):
		f.wrap(e, "Bytes", "")
	case code.IsSlice(t):
		f.wrap(e, "Elements", "")
	}
}

// makesNoZero reports whether a call makes a slice of bytes as make does, but leaves its contents open.
func (f *frame) makesNoZero(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := f.Info.Uses[s.Sel].(*types.Func)
	return ok && fn.FullName() == "internal/bytealg.MakeNoZero"
}

// hookConversion records the copy of a conversion between strings and slices.
func (f *frame) hookConversion(call *ast.CallExpr) {
	if code.IsString(f.Info.TypeOf(call)) {
		f.wrap(call.Args[0], "Elements", "")
		f.wrap(call, "Text", "")
		return
	}
	f.wrap(call.Args[0], "Bytes", "")
	f.wrap(call, "Listed", "")
}

// scan records a load of all elements of a slice or a string.
func (f *frame) scan(e ast.Expr, t types.Type) string {
	hook := "Elements"
	if code.IsString(t) {
		hook = "Bytes"
	}
	s := f.closeCursor()
	f.countSite()
	return s + fmt.Sprintf("%s(%s, %s); ", f.hookName(hook), f.name.t, f.text(e))
}

// wrap puts a call of a hook around an expression. Extra are arguments between the tape and the expression.
func (f *frame) wrap(e ast.Expr, hook, extra string) {
	f.subst[e] = fmt.Sprintf("%s(%s, %s%s)", f.hookName(hook), f.name.t, extra, f.text(e))
}

func (f *frame) hookName(name string) string {
	f.uses.tape, f.file.uses.hooks = true, true
	return f.name.hooks + "." + name
}

// atomic records the loads and stores of an operation of sync/atomic.
func (f *frame) atomic(call *ast.CallExpr) string {
	fn := code.StaticCallee(f.Info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" {
		return ""
	}
	var at ast.Expr // the operand, or a pointer to it
	switch fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); {
	case ok && fn.Signature().Recv() != nil:
		if at = fun.X; len(f.Info.Selections[fun].Index()) > 1 {
			f.report(call.Pos(), "atomic operation through an embedded field")
			return ""
		}
	case len(call.Args) > 0:
		at = call.Args[0]
	default:
		return ""
	}
	s, name := "", fn.Name()
	if !strings.HasPrefix(name, "Store") {
		s += f.atomicWord(at, false)
	}
	if !strings.HasPrefix(name, "Load") {
		s += f.atomicWord(at, true)
	}
	return s
}

// atomicWord records a load or a store of the place at, or of its target if it is a pointer.
func (f *frame) atomicWord(at ast.Expr, isStore bool) string {
	kinds := [2]stepKind{stepLoad, stepStore}
	if code.IsPointer(f.Info.TypeOf(at)) {
		kinds = [2]stepKind{stepLoadTarget, stepStoreTarget}
	}
	if isStore {
		return f.step(step{kinds[1], at})
	}
	return f.step(step{kinds[0], at})
}

// pointerTo hoists a pointer to a literal, and records the stores that initialize it.
func (h *hoister) pointerTo(e *ast.UnaryExpr) string {
	lit := ast.Unparen(e.X).(*ast.CompositeLit)
	s := h.literalOperands(lit)
	v := h.temp()
	s += h.closeCursor()
	s += fmt.Sprintf("%s := %s(%s, %s); ", v, h.hookName("New"), h.name.t, h.text(e))
	h.subst[e] = v
	return s + h.initialized(lit, v)
}

// sliceLiteral hoists a slice literal.
func (h *hoister) sliceLiteral(e *ast.CompositeLit) string {
	s := h.literalOperands(e) + h.closeCursor()
	v := h.temp()
	s += fmt.Sprintf("%s := %s(%s, %s); ", v, h.hookName("Listed"), h.name.t, h.text(e))
	h.subst[e] = v
	return s
}

func (h *hoister) literalOperands(e *ast.CompositeLit) string {
	s := h.children(e)
	st := &steps{frame: h.frame}
	st.operands(e, false)
	return s + h.emit(st.list)
}

// initialized records the stores of the fields with values in a literal. For a literal that is not a struct, it
// records one store of the whole.
func (f *frame) initialized(lit *ast.CompositeLit, place string) string {
	t := f.Info.TypeOf(lit)
	st, ok := code.Core(t).(*types.Struct)
	if !ok {
		if len(lit.Elts) == 0 || code.Parametric(t) {
			return ""
		}
		return f.put(place, lit, t, true)
	}
	s := ""
	for i, x := range lit.Elts {
		field := st.Field(i)
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			field, x = f.Info.Uses[kv.Key.(*ast.Ident)].(*types.Var), kv.Value
		}
		s += f.initializedField(x, field, place)
	}
	return s
}

func (f *frame) initializedField(value ast.Expr, field *types.Var, place string) string {
	if field.Name() == "_" {
		return ""
	}
	if lit, ok := ast.Unparen(value).(*ast.CompositeLit); ok {
		if _, ok := code.Core(f.Info.TypeOf(lit)).(*types.Struct); ok {
			return f.initialized(lit, place+"."+field.Name())
		}
	}
	e := &ast.BadExpr{}
	f.subst[e] = place + "." + field.Name()
	return f.put("&"+place+"."+field.Name(), e, field.Type(), true)
}
