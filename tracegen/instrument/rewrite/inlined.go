package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// maxInlined is the nodes of the syntax tree that a function may have and be taken
// for inlined. The compiler's own budget is 80, in nodes of a similar tree that has
// no names of types, but counts 57 for a call.
const maxInlined = 40

// Inlined are the functions of a package that count nothing, because the compiler
// puts them wherever they are called: the lines of their callers carry the weight of
// these copies. They are straight-line code (statements without branches, loops,
// function literals or deferred calls) of at most maxInlined nodes, which calls
// nothing but conversions, built-in functions, functions for which there are
// instructions, and other functions of this kind, whose nodes count; they are not
// recursive, not generic, are used in no other way than by calling them, and no
// directive speaks of them.
func Inlined(p *Package) map[*types.Func]bool {
	c := &inlineCheck{p: p, body: map[*types.Func]*ast.FuncDecl{}, is: map[*types.Func]bool{}, busy: map[*types.Func]bool{}, size: map[*types.Func]int{}}
	valued := valuedFunctions(p)
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !directed(d.Doc) {
				if fn, ok := p.Info.Defs[d.Name].(*types.Func); ok && !valued[fn] && isPlain(fn) {
					c.body[fn] = d
				}
			}
		}
	}
	inlined := map[*types.Func]bool{}
	for fn := range c.body {
		if c.inlined(fn) {
			inlined[fn] = true
		}
	}
	return inlined
}

// isPlain reports whether fn is a function that is called by its own name: not init
// or main, and not generic.
func isPlain(fn *types.Func) bool {
	s := fn.Signature()
	plain := s.TypeParams().Len() == 0 && s.RecvTypeParams().Len() == 0
	return plain && (s.Recv() != nil || fn.Name() != "init" && fn.Name() != "main")
}

// directed reports whether a directive for the compiler stands before a function.
func directed(doc *ast.CommentGroup) bool {
	if doc != nil {
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return true
			}
		}
	}
	return false
}

// valuedFunctions are the functions of the package that are used as values.
func valuedFunctions(p *Package) map[*types.Func]bool {
	valued := map[*types.Func]bool{}
	called := map[*ast.Ident]bool{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				switch fun := ast.Unparen(call.Fun).(type) {
				case *ast.Ident:
					called[fun] = true
				case *ast.SelectorExpr:
					called[fun.Sel] = true
				}
			}
			if id, ok := n.(*ast.Ident); ok && !called[id] {
				if fn, ok := p.Info.Uses[id].(*types.Func); ok {
					valued[fn.Origin()] = true
				}
			}
			return true
		})
	}
	return valued
}

type inlineCheck struct {
	p    *Package
	body map[*types.Func]*ast.FuncDecl
	is   map[*types.Func]bool
	busy map[*types.Func]bool
	size map[*types.Func]int // nodes, with those of the functions it calls
}

func (c *inlineCheck) inlined(fn *types.Func) bool {
	if is, known := c.is[fn]; known {
		return is
	}
	d := c.body[fn]
	if d == nil || c.busy[fn] {
		return false
	}
	c.busy[fn] = true
	nodes, straight := 0, true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		nodes++
		straight = straight && c.simple(n)
		if call, ok := n.(*ast.CallExpr); ok {
			nodes += c.size[staticCallee(c.p.Info, call)]
		}
		return straight
	})
	delete(c.busy, fn)
	c.is[fn], c.size[fn] = straight && nodes <= maxInlined, nodes
	return c.is[fn]
}

// simple reports whether a node alone leaves a function straight.
func (c *inlineCheck) simple(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt, *ast.ReturnStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.DeclStmt, *ast.EmptyStmt:
		return true
	case ast.Stmt:
		return false
	case *ast.FuncLit:
		return false
	case *ast.BinaryExpr:
		return n.Op != token.LAND && n.Op != token.LOR
	case *ast.UnaryExpr:
		return n.Op != token.ARROW
	case *ast.CallExpr:
		return c.call(n)
	}
	return true
}

func (c *inlineCheck) call(call *ast.CallExpr) bool {
	tv := c.p.Info.Types[call.Fun]
	if tv.IsType() {
		return true
	}
	if tv.IsBuiltin() {
		switch builtinName(call) {
		case "len", "cap", "real", "imag", "complex", "min", "max":
			return true
		}
		return false
	}
	fn := staticCallee(c.p.Info, call)
	return fn != nil && (isIntrinsic(fn) || c.inlined(fn))
}

// isIntrinsic reports whether the compiler has instructions in place of a call of fn.
func isIntrinsic(fn *types.Func) bool {
	if !isMath(fn) {
		return false
	}
	switch fn.Name() {
	case "Abs", "Ceil", "Copysign", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits", "Floor", "RoundToEven", "Sqrt", "Trunc":
		return true
	}
	return fn.Pkg().Path() == "math/bits"
}

// builtinName is the name of the built-in function that is called.
func builtinName(call *ast.CallExpr) string {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name // of package unsafe
	}
	return ""
}

// staticCallee is the function or concrete method that a call calls, or nil.
func staticCallee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		fn, _ := info.Uses[x].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := info.Uses[x.Sel].(*types.Func)
		if s := info.Selections[x]; s != nil && (s.Kind() != types.MethodVal || isInterfaceMethod(fn)) {
			return nil
		}
		return fn
	}
	return nil
}

func isInterfaceMethod(fn *types.Func) bool {
	return fn != nil && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type())
}

// isMath reports whether fn computes from its arguments alone and cannot panic.
func isMath(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "math", "math/cmplx":
		return true
	case "math/bits":
		return !strings.HasPrefix(fn.Name(), "Div") && !strings.HasPrefix(fn.Name(), "Rem")
	}
	return false
}
