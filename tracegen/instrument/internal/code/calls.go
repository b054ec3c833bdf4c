package code

import (
	"go/ast"
	"go/token"
	"go/types"

	"spoor/tracegen/instrument/internal/assembly"
)

// Effect is what a call may do besides computing its results.
type Effect int

const (
	Pure         Effect = iota // nothing, and the result depends only on the arguments
	quiet                      // anything except recording
	Records                    // writes to the tape
	Communicates               // also records events, or lets other ranks run
)

// findEffects returns the effect of calling each function of the package. It is the greatest of the function's own
// effect and those of the functions that it calls.
func (c *Facts) findEffects() map[*types.Func]Effect {
	c.effects = map[*types.Func]Effect{}
	bodies := map[*types.Func]*ast.FuncDecl{}
	for _, f := range c.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if fn, ok := c.Info.Defs[d.Name].(*types.Func); ok {
					bodies[fn], c.effects[fn] = d, c.ownEffect(fn, d)
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		clear(c.litEffects) // they depend on those of functions
		for fn, d := range bodies {
			if e := max(c.effects[fn], c.EffectWithin(d.Body)); e > c.effects[fn] {
				c.effects[fn], changed = e, true
			}
		}
	}
	clear(c.litEffects)
	return c.effects
}

// ownEffect returns the effect of the code that is added to a function.
func (c *Facts) ownEffect(fn *types.Func, d *ast.FuncDecl) Effect {
	if !c.recording.Trace || c.Inlined[fn] && !c.MayRecord(d.Body) && !c.AllocatesIn(d.Body) {
		return quiet
	}
	return Records
}

// MayRecord reports whether anything in n may be recorded.
func (c *Facts) MayRecord(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || c.NoCopy[e]
		case ast.Expr:
			found = found || c.Recorded(e)
		}
		return !found
	})
	return found
}

// EffectWithin returns the greatest effect of the calls in n.
func (c *Facts) EffectWithin(n ast.Node) Effect {
	greatest := Pure
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // calls of it are assumed to communicate
		case *ast.CallExpr:
			greatest = max(greatest, c.Effect(n))
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				greatest = Communicates
			}
		case *ast.SendStmt, *ast.SelectStmt:
			greatest = Communicates
		case *ast.RangeStmt:
			switch Core(c.Info.TypeOf(n.X)).(type) {
			case *types.Signature, *types.Chan:
				greatest = Communicates
			}
		}
		return greatest < Communicates
	})
	return greatest
}

// Effect returns the effect of a call, without the evaluation of its operands.
func (c *Facts) Effect(call *ast.CallExpr) Effect {
	tv := c.Info.Types[call.Fun]
	if tv.IsType() {
		if c.recording.Trace && c.Copies(call) && !c.NoCopy[call] {
			return Records
		}
		return Pure
	}
	if tv.IsBuiltin() {
		return c.builtinEffect(call)
	}
	fn := StaticCallee(c.Info, call)
	if fn == nil {
		return c.dynamicEffect(call)
	}
	fn = fn.Origin()
	switch {
	case fn.Pkg() == c.Types:
		e, ok := c.effects[fn]
		if !ok {
			e = quiet // no body in Go
			if c.recording.Trace && c.Routine(fn) != nil {
				e = Records
			}
		}
		return max(e, quiet)
	case isMath(fn):
		return Pure
	case c.recording.Communicates != nil:
		if c.recording.Communicates(fn) {
			return Communicates
		}
		return quiet
	case fn.Pkg() != nil && fn.Pkg().Path() == "spoor/tracegen/spmd", c.passesCode(call, fn):
		return Communicates
	}
	return quiet
}

func (c *Facts) builtinEffect(call *ast.CallExpr) Effect {
	switch BuiltinName(call) {
	case "append", "copy", "clear", "new", "make":
		_, slice := Core(c.Info.TypeOf(call.Args[0])).(*types.Slice)
		if c.recording.Trace && (slice || BuiltinName(call) == "new") {
			return Records
		}
		return quiet
	case "delete", "close", "print", "println", "recover":
		return quiet
	case "panic":
		return Communicates // deferred functions run
	}
	return Pure
}

// dynamicEffect returns the effect of calling a function value or a method of an interface.
func (c *Facts) dynamicEffect(call *ast.CallExpr) Effect {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		return max(c.literalEffect(fun), quiet)
	case *ast.Ident:
		if v, ok := c.Info.Uses[fun].(*types.Var); ok && c.lits[v] != nil {
			return max(c.literalEffect(c.lits[v]), quiet)
		}
	}
	return Communicates
}

// literalEffect returns the effect of calling a function literal. A literal that calls a variable bound to itself
// is assumed to communicate.
func (c *Facts) literalEffect(lit *ast.FuncLit) Effect {
	e, ok := c.litEffects[lit]
	if !ok {
		c.litEffects[lit] = Communicates
		e = c.EffectWithin(lit.Body)
		if c.recording.Trace {
			e = max(e, Records)
		}
		c.litEffects[lit] = e
	}
	return e
}

// passesCode reports whether a function of another package gets a value through which it can call code of this
// package.
func (c *Facts) passesCode(call *ast.CallExpr, fn *types.Func) bool {
	for _, a := range call.Args {
		if tv := c.Info.Types[a]; tv.Value == nil && tv.Type != nil && holdsCode(tv.Type) {
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

// Routine returns the routine in assembly that a function is, or nil.
func (c *Facts) Routine(fn *types.Func) *assembly.Routine {
	if !c.recording.Assembly || fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return nil
	}
	return assembly.Find(fn.Pkg().Path(), fn.Name())
}
