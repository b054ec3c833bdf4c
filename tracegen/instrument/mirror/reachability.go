package main

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// reachableDecls finds the declarations of a package that ranks can execute. These are the functions with a
// parameter of a type of package spmd (a rank, a communicator), and all code of the package that they name. A
// method called through an interface means all methods of that name. A field with functions means all code that
// names the field. The result may have too many declarations, but never too few.
func reachableDecls(p *packages.Package, spmdPath string) *reachability {
	r := &reachability{info: p.TypesInfo, spmdPath: spmdPath,
		declared: map[types.Object]ast.Decl{}, methods: map[string][]ast.Decl{},
		fields: map[*types.Var][]ast.Decl{}, reached: map[ast.Decl]bool{}, dynamic: map[string]bool{}}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			r.declare(d)
		}
	}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && r.takesRank(fn) {
				r.visit(d)
			}
		}
	}
	return r
}

type reachability struct {
	info     *types.Info
	spmdPath string
	declared map[types.Object]ast.Decl // functions, methods and variables of the package
	methods  map[string][]ast.Decl     // methods by name
	fields   map[*types.Var][]ast.Decl // code that names a field with functions
	reached  map[ast.Decl]bool
	dynamic  map[string]bool // methods that ranks call through interfaces
}

func (r *reachability) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		r.declared[r.info.Defs[d.Name]] = d
		if d.Recv != nil {
			r.methods[d.Name.Name] = append(r.methods[d.Name.Name], d)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range v.Names {
					r.declared[r.info.Defs[name]] = d
				}
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if v, ok := r.info.Uses[n].(*types.Var); ok {
				r.nameField(v, d)
			}
		case *ast.CompositeLit: // without keys it names all fields
			if t, ok := r.info.TypeOf(n).Underlying().(*types.Struct); ok {
				for v := range t.Fields() {
					r.nameField(v, d)
				}
			}
		}
		return true
	})
}

// nameField records that d names v, if v is a field with functions.
func (r *reachability) nameField(v *types.Var, d ast.Decl) {
	if v.IsField() && holdsFunction(v.Type()) {
		r.fields[v.Origin()] = append(r.fields[v.Origin()], d)
	}
}

// holdsFunction reports whether values of type t are functions, or slices, arrays, maps or pointers of functions.
func holdsFunction(t types.Type) bool {
	if list, ok := t.Underlying().(interface{ Elem() types.Type }); ok {
		t = list.Elem()
	}
	_, is := t.Underlying().(*types.Signature)
	return is
}

// takesRank reports whether a parameter of fn has a type of package spmd.
func (r *reachability) takesRank(fn *ast.FuncDecl) bool {
	for v := range r.info.Defs[fn.Name].(*types.Func).Signature().Params().Variables() {
		t := v.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == r.spmdPath {
			return true
		}
	}
	return false
}

// visit marks d and all declarations that it names.
func (r *reachability) visit(d ast.Decl) {
	if r.reached[d] {
		return
	}
	r.reached[d] = true
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			r.use(r.info.Uses[id])
		}
		return true
	})
}

func (r *reachability) use(o types.Object) {
	if v, ok := o.(*types.Var); ok && v.IsField() {
		for _, d := range r.fields[v.Origin()] {
			r.visit(d)
		}
	}
	f, ok := o.(*types.Func)
	if !ok {
		if d := r.declared[o]; d != nil {
			r.visit(d)
		}
		return
	}
	if d := r.declared[f.Origin()]; d != nil {
		r.visit(d)
	}
	if isInterfaceMethod(f) {
		r.dynamic[f.Name()] = true
		for _, d := range r.methods[f.Name()] {
			r.visit(d)
		}
	}
}

func isInterfaceMethod(f *types.Func) bool {
	recv := f.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}
