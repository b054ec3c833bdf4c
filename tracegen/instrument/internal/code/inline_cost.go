package code

import (
	"go/ast"
	"go/token"
	"go/types"
)

// inlineBudget is the maximum cost of an inlined function, in nodes of the compiler's tree. It is the compiler's
// budget (cmd/compile/internal/inline, inlineMaxBudget), less a margin for implicit conversions, which are not
// estimated here.
const inlineBudget = 80 - 5

// notInlinable is the cost of code that is not inlined, or has branches.
const notInlinable = 1 << 20

// inlineCheck estimates the compiler's costs of functions.
type inlineCheck struct {
	p     *Package
	body  map[*types.Func]*ast.FuncDecl
	costs map[*types.Func]int // of visited functions; notInlinable during the visit
}

// cost returns the cost of a function of the package.
func (c *inlineCheck) cost(fn *types.Func) int {
	if n, known := c.costs[fn]; known {
		return n
	}
	d := c.body[fn]
	if d == nil {
		return notInlinable
	}
	c.costs[fn] = notInlinable
	n := 0
	for _, s := range d.Body.List {
		n = min(n+c.stmt(s), notInlinable)
	}
	c.costs[fn] = n
	return n
}

func (c *inlineCheck) stmt(s ast.Stmt) int {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return 0
	case *ast.ExprStmt:
		return c.expr(s.X)
	case *ast.IncDecStmt:
		return 2 + c.expr(s.X)
	case *ast.ReturnStmt:
		return 1 + c.exprs(s.Results)
	case *ast.AssignStmt:
		return c.assign(s)
	case *ast.BlockStmt:
		n := 0
		for _, s := range s.List {
			n += c.stmt(s)
		}
		return n
	case *ast.DeclStmt:
		return c.declare(s.Decl.(*ast.GenDecl))
	}
	return notInlinable
}

// assign returns the cost of an assignment. The declaration of a variable is two nodes.
func (c *inlineCheck) assign(s *ast.AssignStmt) int {
	n := 1 + c.exprs(s.Lhs) + c.exprs(s.Rhs)
	for _, l := range s.Lhs {
		if id, ok := l.(*ast.Ident); ok && c.p.Info.Defs[id] != nil {
			n += 2
		}
	}
	if len(s.Lhs) != len(s.Rhs) {
		n += 4*len(s.Lhs) + 1 // temporary variables
	}
	return n
}

func (c *inlineCheck) declare(d *ast.GenDecl) int {
	n := 0
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
			n += 5*len(v.Names) + 1 + c.exprs(v.Values)
		}
	}
	return n
}

func (c *inlineCheck) exprs(list []ast.Expr) int {
	n := 0
	for _, e := range list {
		n += c.expr(e)
	}
	return n
}

func (c *inlineCheck) expr(e ast.Expr) int {
	if tv := c.p.Info.Types[e]; e == nil || tv.IsType() {
		return 0
	} else if tv.Value != nil {
		return 1
	}
	switch e := e.(type) {
	case *ast.Ident:
		return 1
	case *ast.ParenExpr:
		return c.expr(e.X)
	case *ast.StarExpr:
		return 1 + c.expr(e.X)
	case *ast.UnaryExpr:
		if e.Op != token.ARROW {
			return 1 + c.expr(e.X)
		}
	case *ast.BinaryExpr:
		if e.Op != token.LAND && e.Op != token.LOR {
			return 1 + c.expr(e.X) + c.expr(e.Y)
		}
	case *ast.IndexExpr:
		return 1 + c.expr(e.X) + c.expr(e.Index)
	case *ast.SliceExpr:
		return 1 + c.expr(e.X) + c.expr(e.Low) + c.expr(e.High) + c.expr(e.Max)
	case *ast.SelectorExpr:
		return c.selector(e)
	case *ast.CompositeLit:
		return c.literal(e)
	case *ast.CallExpr:
		return c.call(e)
	}
	return notInlinable
}

// selector returns the cost of a field, including the embedded fields that lead to it.
func (c *inlineCheck) selector(e *ast.SelectorExpr) int {
	s := c.p.Info.Selections[e]
	switch {
	case s == nil:
		return 1 // of another package
	case s.Kind() == types.FieldVal:
		return len(s.Index()) + c.expr(e.X)
	}
	return notInlinable
}

func (c *inlineCheck) literal(e *ast.CompositeLit) int {
	switch Core(c.p.Info.TypeOf(e)).(type) {
	case *types.Struct, *types.Array:
	default:
		return notInlinable
	}
	n := 1
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
		}
		n += 1 + c.expr(x)
	}
	return n
}

// call returns the cost of a call. Arguments may have to be converted to interfaces.
func (c *inlineCheck) call(call *ast.CallExpr) int {
	n := c.exprs(call.Args)
	tv := c.p.Info.Types[call.Fun]
	if tv.IsType() {
		return 1 + n
	}
	if n += 2; tv.IsBuiltin() {
		switch BuiltinName(call) {
		case "len", "cap", "real", "imag", "complex", "min", "max":
			return n
		}
		return notInlinable
	}
	fn := StaticCallee(c.p.Info, call)
	if fn == nil {
		return notInlinable
	}
	if recv, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && fn.Signature().Recv() != nil {
		n += 2 + c.expr(recv.X)
	}
	if isIntrinsic(fn) {
		return n + cheapBody
	}
	return n + len(call.Args) + c.cost(fn)
}

// cheapBody is the maximum cost of a function of package math that is inlined on machines without an instruction
// for it.
const cheapBody = 6

// isIntrinsic reports whether the compiler replaces a call of fn by a few instructions.
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
