package code

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Sharing is why a local variable is in memory that other code may see.
type Sharing uint8

const (
	Addressed Sharing = 1 << iota // its address is taken
	Captured                      // by a function literal that may run later
	Enclosed                      // by any literal, or the body of a range over a function
	assigned                      // after its declaration
)

// variableUsage collects the sharing of the local variables of a package.
type variableUsage struct {
	info   *types.Info
	shared map[*types.Var]Sharing
	scopes []functionScope // that contain the visited node, outermost first
	// goroutineLiterals are literals that a go statement runs. immediateLiterals run at once, or when their
	// function returns.
	goroutineLiterals, immediateLiterals map[*ast.FuncLit]bool
	// posts are post statements. They do not change the variables that the loop's body captures: each iteration has
	// its own copies.
	posts map[ast.Stmt]bool
}

// functionScope is code that is a function of its own.
type functionScope struct {
	ast.Node
	mayOutlive bool // it may run after the enclosing function has returned
}

// sharedVariables returns the sharing of the local variables of a package.
func sharedVariables(p *Package) map[*types.Var]Sharing {
	u := &variableUsage{
		info: p.Info, shared: map[*types.Var]Sharing{}, posts: map[ast.Stmt]bool{},
		goroutineLiterals: map[*ast.FuncLit]bool{}, immediateLiterals: map[*ast.FuncLit]bool{},
	}
	for _, f := range p.Files {
		u.walk(f)
	}
	return u.shared
}

func (u *variableUsage) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			u.within(functionScope{n, !u.immediateLiterals[n]}, n.Type, n.Body)
			return false
		case *ast.RangeStmt:
			if _, ok := Core(u.info.TypeOf(n.X)).(*types.Signature); ok && root != n.Body {
				u.visit(n)
				for _, e := range []ast.Expr{n.Key, n.Value, n.X} {
					if e != nil {
						u.walk(e)
					}
				}
				u.within(functionScope{n, false}, n.Body)
				return false
			}
		}
		if n != nil {
			u.visit(n)
		}
		return true
	})
}

func (u *variableUsage) within(e functionScope, parts ...ast.Node) {
	u.scopes = append(u.scopes, e)
	for _, p := range parts {
		u.walk(p)
	}
	u.scopes = u.scopes[:len(u.scopes)-1]
}

func (u *variableUsage) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.Ident:
		u.use(n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			u.mark(n.X, Addressed)
		}
	case *ast.SliceExpr:
		if _, ok := Core(u.info.TypeOf(n.X)).(*types.Array); ok {
			u.mark(n.X, Addressed)
		}
	case *ast.SelectorExpr:
		u.receiver(n)
	case *ast.GoStmt:
		if lit, ok := ast.Unparen(n.Call.Fun).(*ast.FuncLit); ok {
			u.goroutineLiterals[lit] = true
		}
	case *ast.CallExpr:
		if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
			u.immediateLiterals[lit] = !u.goroutineLiterals[lit]
		}
	case *ast.ForStmt:
		d, ok := n.Init.(*ast.AssignStmt)
		u.posts[n.Post] = ok && d.Tok == token.DEFINE
	case ast.Stmt:
		u.assignment(n)
	}
}

// assignment marks the variables that a statement assigns to.
func (u *variableUsage) assignment(s ast.Stmt) {
	if u.posts[s] {
		return
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if id, ok := l.(*ast.Ident); !ok || u.info.Defs[id] == nil {
				u.mark(l, assigned)
			}
		}
	case *ast.IncDecStmt:
		u.mark(s.X, assigned)
	case *ast.RangeStmt:
		if s.Tok == token.ASSIGN {
			u.mark(s.Key, assigned)
			u.mark(s.Value, assigned)
		}
	}
}

// use marks a variable that an inner function captures.
func (u *variableUsage) use(id *ast.Ident) {
	v := u.local(id)
	if v == nil {
		return
	}
	for _, e := range u.scopes {
		if v.Pos() < e.Pos() || v.Pos() > e.End() {
			if u.shared[v] |= Enclosed; e.mayOutlive {
				u.shared[v] |= Captured
			}
		}
	}
}

// local returns the local variable that an identifier uses, or nil.
func (u *variableUsage) local(id *ast.Ident) *types.Var {
	v, ok := u.info.Uses[id].(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
		return nil
	}
	return v
}

// mark marks the variable that contains a place.
func (u *variableUsage) mark(e ast.Expr, s Sharing) {
	if id := rootOf(u.info, e); id != nil {
		if v := u.local(id); v != nil {
			u.shared[v] |= s
		}
	}
}

// rootOf returns the variable whose memory contains the place e, or nil if a pointer or a slice leads to the place.
func rootOf(info *types.Info, e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.ParenExpr:
		return rootOf(info, e.X)
	case *ast.IndexExpr:
		if _, ok := Core(info.TypeOf(e.X)).(*types.Array); ok {
			return rootOf(info, e.X)
		}
	case *ast.SelectorExpr:
		if s := info.Selections[e]; s != nil && s.Kind() == types.FieldVal && !s.Indirect() {
			return rootOf(info, e.X)
		}
	case *ast.SliceExpr:
		return nil
	}
	return nil
}

// receiver marks a variable whose method with a pointer receiver is used.
func (u *variableUsage) receiver(e *ast.SelectorExpr) {
	s := u.info.Selections[e]
	if s == nil || s.Kind() != types.MethodVal || IsPointer(s.Recv()) {
		return
	}
	if recv := s.Obj().(*types.Func).Signature().Recv(); recv != nil && IsPointer(recv.Type()) {
		u.mark(e.X, Addressed)
	}
}

// boundLiterals returns the variables that always hold the same function literal. Calling such a variable calls the
// literal.
func boundLiterals(p *Package) map[*types.Var]*ast.FuncLit {
	b := &literalBindings{p: p, lits: map[*types.Var]*ast.FuncLit{}, reassigned: map[*types.Var]bool{}}
	for _, f := range p.Files {
		ast.Inspect(f, b.visit)
	}
	for v := range b.reassigned {
		delete(b.lits, v)
	}
	return b.lits
}

// literalBindings collects the variables that function literals are bound to.
type literalBindings struct {
	p          *Package
	lits       map[*types.Var]*ast.FuncLit
	reassigned map[*types.Var]bool // variables that may be assigned another value
}

func (b *literalBindings) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				b.bind(l, n.Rhs[i])
			}
			b.change(l)
		}
	case *ast.RangeStmt:
		b.change(n.Key)
		b.change(n.Value)
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if len(n.Values) == len(n.Names) {
				b.bind(id, n.Values[i])
			}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			b.change(n.X)
		}
	}
	return true
}

// bind records that a declaration gives a local variable a literal as its value.
func (b *literalBindings) bind(to, value ast.Expr) {
	id, ok := to.(*ast.Ident)
	lit, is := ast.Unparen(value).(*ast.FuncLit)
	if !ok || !is {
		return
	}
	if v, ok := b.p.Info.Defs[id].(*types.Var); ok && v.Parent() != b.p.Types.Scope() {
		b.lits[v] = lit
	}
}

// change records that an existing variable may be assigned another value.
func (b *literalBindings) change(e ast.Expr) {
	if e == nil {
		return
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if v, ok := b.p.Info.Uses[id].(*types.Var); ok {
			b.reassigned[v] = true
		}
	}
}
