package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// effect is what a call may do besides computing its results.
type effect int

const (
	pure         effect = iota // nothing, and the result depends only on the arguments
	quiet                      // anything except recording
	records                    // writes to the tape
	communicates               // also records events, or lets other ranks run
)

// findEffects returns the effect of calling each function of the package. It is the greatest of the function's own
// effect and those of the functions that it calls.
func (w *rewriter) findEffects() map[*types.Func]effect {
	w.effects = map[*types.Func]effect{}
	bodies := map[*types.Func]*ast.FuncDecl{}
	for _, f := range w.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if fn, ok := w.Info.Defs[d.Name].(*types.Func); ok {
					bodies[fn], w.effects[fn] = d, w.ownEffect(fn, d)
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		clear(w.litEffects) // they depend on those of functions
		for fn, d := range bodies {
			if e := max(w.effects[fn], w.effectWithin(d.Body)); e > w.effects[fn] {
				w.effects[fn], changed = e, true
			}
		}
	}
	clear(w.litEffects)
	return w.effects
}

// ownEffect returns the effect of the code that is added to a function.
func (w *rewriter) ownEffect(fn *types.Func, d *ast.FuncDecl) effect {
	if w.Mode == Count || w.inlined[fn] && !w.mayRecord(d.Body) && !w.allocatesIn(d.Body) {
		return quiet
	}
	return records
}

// mayRecord reports whether anything in n may be recorded.
func (w *rewriter) mayRecord(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || w.noCopy[e]
		case ast.Expr:
			found = found || w.recorded(e)
		}
		return !found
	})
	return found
}

// effectWithin returns the greatest effect of the calls in n.
func (w *rewriter) effectWithin(n ast.Node) effect {
	greatest := pure
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // calls of it are assumed to communicate
		case *ast.CallExpr:
			greatest = max(greatest, w.effect(n))
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				greatest = communicates
			}
		case *ast.SendStmt, *ast.SelectStmt:
			greatest = communicates
		case *ast.RangeStmt:
			switch core(w.Info.TypeOf(n.X)).(type) {
			case *types.Signature, *types.Chan:
				greatest = communicates
			}
		}
		return greatest < communicates
	})
	return greatest
}

// effect returns the effect of a call, without the evaluation of its operands.
func (w *rewriter) effect(call *ast.CallExpr) effect {
	tv := w.Info.Types[call.Fun]
	if tv.IsType() {
		if w.Mode == Trace && w.copies(call) && !w.noCopy[call] {
			return records
		}
		return pure
	}
	if tv.IsBuiltin() {
		return w.builtinEffect(call)
	}
	fn := staticCallee(w.Info, call)
	if fn == nil {
		return w.dynamicEffect(call)
	}
	fn = fn.Origin()
	switch {
	case fn.Pkg() == w.Types:
		e, ok := w.effects[fn]
		if !ok {
			e = quiet // no body in Go
			if w.Mode == Trace && w.routine(fn) != nil {
				e = records
			}
		}
		return max(e, quiet)
	case isMath(fn):
		return pure
	case w.Communicates != nil:
		if w.Communicates(fn) {
			return communicates
		}
		return quiet
	case fn.Pkg() != nil && fn.Pkg().Path() == "spoor/tracegen/spmd", w.passesCode(call, fn):
		return communicates
	}
	return quiet
}

func (w *rewriter) builtinEffect(call *ast.CallExpr) effect {
	switch builtinName(call) {
	case "append", "copy", "clear", "new", "make":
		_, slice := core(w.Info.TypeOf(call.Args[0])).(*types.Slice)
		if w.Mode == Trace && (slice || builtinName(call) == "new") {
			return records
		}
		return quiet
	case "delete", "close", "print", "println", "recover":
		return quiet
	case "panic":
		return communicates // deferred functions run
	}
	return pure
}

// dynamicEffect returns the effect of calling a function value or a method of an interface.
func (w *rewriter) dynamicEffect(call *ast.CallExpr) effect {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		return max(w.literalEffect(fun), quiet)
	case *ast.Ident:
		if v, ok := w.Info.Uses[fun].(*types.Var); ok && w.lits[v] != nil {
			return max(w.literalEffect(w.lits[v]), quiet)
		}
	}
	return communicates
}

// literalEffect returns the effect of calling a function literal. A literal that calls a variable bound to itself
// is assumed to communicate.
func (w *rewriter) literalEffect(lit *ast.FuncLit) effect {
	e, ok := w.litEffects[lit]
	if !ok {
		w.litEffects[lit] = communicates
		e = w.effectWithin(lit.Body)
		if w.Mode == Trace {
			e = max(e, records)
		}
		w.litEffects[lit] = e
	}
	return e
}

// passesCode reports whether a function of another package gets a value through which it can call code of this
// package.
func (w *rewriter) passesCode(call *ast.CallExpr, fn *types.Func) bool {
	for _, a := range call.Args {
		if tv := w.Info.Types[a]; tv.Value == nil && tv.Type != nil && holdsCode(tv.Type) {
			return true
		}
	}
	params := fn.Signature().Params()
	for i := range params.Len() {
		if holdsCode(params.At(i).Type()) {
			return true
		}
	}
	recv := fn.Signature().Recv()
	return recv != nil && holdsCode(recv.Type())
}
