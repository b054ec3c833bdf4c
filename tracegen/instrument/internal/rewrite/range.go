package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// rangeLoop is a range loop that is being rewritten.
type rangeLoop struct {
	*frame
	*target
	s       *ast.RangeStmt
	t       types.Type // core type of the operand
	pre     string     // before the loop
	operand string     // variable that holds the operand, or ""

	names          []string   // of the header's variables
	places, values []ast.Expr // assignments at the start of the body
}

// rangeStmt rewrites a range loop.
func (f *frame) rangeStmt(s *ast.RangeStmt, t *target) string {
	t.loop = true
	f.chargeLine(f.line(s.For))
	r := &rangeLoop{frame: f, target: t, s: s, t: code.Core(f.Info.TypeOf(s.X))}
	switch r.t.(type) {
	case *types.Signature:
		return r.rewriteFunc()
	case *types.Chan:
		t.closed = true
	case *types.Map:
		f.reportMap(s.Pos())
	}
	return r.rewrite()
}

func (r *rangeLoop) rewrite() string {
	if !r.unevaluated() {
		r.pre = r.evaluate(r.s.X)
	}
	b := &block{}
	r.keepOperand(b)
	if r.closed {
		r.pre += r.yield()
	} else {
		r.pre += r.syncCursor()
	}
	r.targets = append(r.targets, r.target)
	outer, head := r.block, r.beginLoop()
	r.pre += head.text
	begin := r.beginAs(b)
	r.chargeClause()
	r.variables()
	header := r.header()
	body := r.nestedIn(begin + r.element() + r.assignments())
	r.targets = r.targets[:len(r.targets)-1]
	r.resumeBlock(outer, false)
	r.endLoop(head, r.target, b)
	return inBlock(r.pre, r.mark+header+body, false)
}

// nestedIn rewrites the body, from whose end control returns to the loop's head.
func (r *rangeLoop) nestedIn(head string) string {
	b := r.s.Body
	list := r.list(b.List, b.Lbrace+1, b.Rbrace)
	end := r.syncCursor()
	if r.closed {
		end = r.yield()
	}
	return r.raw(b.Lbrace, b.Lbrace+1) + " " + head + appendCode(list, end) + r.raw(b.Rbrace, b.End())
}

// chargeClause adds the lines of the range clause to the body's block.
func (r *rangeLoop) chargeClause() {
	from := r.s.Range
	if r.s.Key != nil {
		from = r.s.Key.Pos()
	}
	r.chargeSpan(r.s, from, r.s.X.End())
}

// unevaluated reports whether the operand is not evaluated, because its length is constant and its elements are not
// used.
func (r *rangeLoop) unevaluated() bool {
	t := r.t
	if p, ok := t.(*types.Pointer); ok {
		t = code.Core(p.Elem())
	}
	_, array := t.(*types.Array)
	return array && blank(r.s.Value) && r.EffectWithin(r.s.X) == code.Pure
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return e == nil || ok && id.Name == "_"
}

// keepOperand stores the operand in a variable if loads of its elements are recorded, or if its length is the
// number of executions of block b, the first block of the body.
func (r *rangeLoop) keepOperand(b *block) {
	counts := r.runsAllIterations(r.s, r.s.Body) && r.universe(r.s, "len")
	_, slice := r.t.(*types.Slice)
	if !r.loadsElements() && !(counts && slice) {
		if trips := r.constantTrips(); counts && trips != "" {
			r.pre += r.beforeLoop(b, "", trips)
		}
		return
	}
	r.operand = r.temp()
	r.pre += fmt.Sprintf("%s := %s; ", r.operand, r.text(r.s.X))
	if counts && slice {
		r.pre += r.beforeLoop(b, "", "uint64(len("+r.operand+"))")
	}
}

// loadsElements reports whether the loads of elements are recorded.
func (r *rangeLoop) loadsElements() bool {
	if r.Mode != Trace || blank(r.s.Value) {
		return false
	}
	switch r.t.(type) {
	case *types.Slice, *types.Pointer:
		return true
	}
	return code.IsString(r.Info.TypeOf(r.s.X)) && !r.Constant(r.s.X)
}

// constantTrips returns the number of iterations over an integer or an array, or "" if it is unknown.
func (r *rangeLoop) constantTrips() string {
	switch t := r.t.(type) {
	case *types.Array:
		return fmt.Sprintf("%d", t.Len())
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 {
			return ""
		}
		if n, ok := code.ConstantInt(r.Info, r.s.X); ok {
			return fmt.Sprintf("%d", max(0, n))
		}
		if code.IsUnsigned(r.Info.TypeOf(r.s.X)) && r.InvariantIn(r.s.X, r.s.Body) {
			return "uint64(" + r.text(r.s.X) + ")"
		}
		if r.universe(r.s, "max") && r.InvariantIn(r.s.X, r.s.Body) {
			return "uint64(max(0, " + r.text(r.s.X) + "))"
		}
	}
	return ""
}

// header returns the loop's header.
func (r *rangeLoop) header() string {
	if r.operand == "" && r.places == nil {
		return r.between(r.s.For, r.s.Body.Lbrace, r.headerNodes()...)
	}
	operand := r.operand
	if operand == "" {
		operand = r.text(r.s.X)
	}
	vars := strings.Join(r.names, ", ")
	switch {
	case vars == "":
	case r.s.Tok == token.ASSIGN && r.places == nil:
		vars += " = "
	default:
		vars += " := "
	}
	return r.raw(r.s.For, r.s.For+token.Pos(len("for"))) + " " + vars + "range " + operand + " "
}

// headerNodes returns the parts of the header that are not nil.
func (r *rangeLoop) headerNodes() (nodes []ast.Node) {
	for _, e := range []ast.Expr{r.s.Key, r.s.Value, r.s.X} {
		if e != nil {
			nodes = append(nodes, e)
		}
	}
	return nodes
}

// variables chooses the variables of the header. They include an index if loads of elements are recorded. A loop
// that records assigns to existing places at the start of the body.
func (r *rangeLoop) variables() {
	assigned := r.Mode == Trace && r.s.Tok == token.ASSIGN && (r.loadsElements() || r.anyRecorded([]ast.Expr{r.s.Key, r.s.Value}))
	for i, e := range []ast.Expr{r.s.Key, r.s.Value} {
		needed := i == 0 && r.loadsElements()
		switch {
		case e == nil && !needed:
		case blank(e) && !needed:
			r.names = append(r.names, "_")
		case blank(e):
			r.names = append(r.names, r.temp())
		case assigned:
			r.names = append(r.names, r.temp())
			v := &ast.BadExpr{}
			r.subst[v] = r.names[i]
			r.places, r.values = append(r.places, e), append(r.values, v)
		default:
			r.names = append(r.names, r.text(e))
		}
	}
}

// element records the load of the element at the start of the body.
func (r *rangeLoop) element() string {
	if !r.loadsElements() {
		return ""
	}
	e := &ast.BadExpr{}
	r.subst[e] = r.operand + "[" + r.names[0] + "]"
	s := ""
	switch t := r.t.(type) {
	case *types.Slice:
		s = r.put("&"+r.text(e), e, t.Elem(), false)
	case *types.Pointer:
		s = r.put("&"+r.text(e), e, code.Core(t.Elem()).(*types.Array).Elem(), false)
	default:
		r.file.uses.hooks = true
		s = r.put(fmt.Sprintf("%s.Byte(%s, %s)", r.name.hooks, r.operand, r.names[0]), e, types.Typ[types.Byte], false)
	}
	if s == "" && blank(r.s.Key) {
		s = "_ = " + r.names[0] + "; "
	}
	return s
}

// assignments assigns values to the places of the header.
func (r *rangeLoop) assignments() string {
	if r.places == nil {
		return ""
	}
	return r.hoistPlaces(r.places) + r.assignAll(r.places, r.values) + "; "
}
