package main

import (
	"go/ast"
	"go/types"
	"slices"

	"spoor/tracegen/instrument/internal/rewrite"
)

// copies are the declarations that a form has copies of. Those in carry pass on copied functions as values.
type copies struct {
	*kernelPackage
	found, carry map[ast.Decl]bool
}

// copied finds the declarations that a form has copies of, from what the rewriter made of each file. These are
//
//   - the declarations for ranks that the rewriter changes, and those for ranks that name them;
//   - the declarations that pass on a changed function as a value, and those that lead to them;
//   - the list of all kernels.
//
// A form shares all others with the source: types, inputs, parameters and checks.
func (k *kernelPackage) copied(result map[string][]byte) (*copies, error) {
	c := &copies{k, map[ast.Decl]bool{}, map[ast.Decl]bool{}}
	source, err := k.rewrite(rewrite.Options{Mode: rewrite.Count, Skip: func(ast.Decl) bool { return true }})
	if err != nil {
		return nil, err
	}
	for _, f := range k.pkg.Syntax {
		if err := c.addChanged(f, source[k.fileOf(f)], result[k.fileOf(f)]); err != nil {
			return nil, err
		}
	}
	for c.grow() {
	}
	return c, nil
}

// addChanged adds the declarations for ranks that the rewriter changes, and the list of kernels.
func (c *copies) addChanged(f *ast.File, source, result []byte) error {
	before, err := parseResult(source)
	if err != nil {
		return err
	}
	after, err := parseResult(result)
	if err != nil {
		return err
	}
	for i, d := range f.Decls {
		a, err := before.textOf(before.decl(f, i))
		if err != nil {
			return err
		}
		b, err := after.textOf(after.decl(f, i))
		if err != nil {
			return err
		}
		if nameOf(d) == "All" || c.reached[d] && a != b {
			c.found[d] = true
		}
	}
	return nil
}

// declares reports whether a form has a copy of o. An interface's method has one if methods of its name have.
func (c *copies) declares(o types.Object) bool {
	if fn, ok := o.(*types.Func); ok && isInterfaceMethod(fn) {
		return c.anyMethod(fn.Name())
	}
	return c.found[c.declared[o]]
}

func (c *copies) anyMethod(name string) bool {
	return slices.ContainsFunc(c.methods[name], func(m ast.Decl) bool { return c.found[m] })
}

// grow adds the declarations that lead directly to those found so far. It returns false if there are none.
func (c *copies) grow() bool {
	before := len(c.found) + len(c.carry)
	for _, f := range c.pkg.Syntax {
		for _, d := range f.Decls {
			names, carries := c.namesIn(d)
			if carries {
				c.carry[d] = true
			}
			if carries || c.reached[d] && (names || c.isDynamic(d)) {
				c.found[d] = true
			}
		}
	}
	return len(c.found)+len(c.carry) > before
}

// isDynamic reports whether an interface may call method d in place of a copied one.
func (c *copies) isDynamic(d ast.Decl) bool {
	fn, ok := d.(*ast.FuncDecl)
	return ok && fn.Recv != nil && c.dynamic[fn.Name.Name] && c.anyMethod(fn.Name.Name)
}

// namesIn reports whether d names copied declarations, and whether its own value or result may hold a copied function.
func (c *copies) namesIn(d ast.Decl) (names, carries bool) {
	called := map[*ast.Ident]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[calledName(n.Fun)] = true
		case *ast.Ident:
			o := c.pkg.TypesInfo.Uses[n]
			fn, isFunc := o.(*types.Func)
			if isFunc {
				o = fn.Origin()
			}
			if o != nil && c.declares(o) {
				names = true
				carries = carries || !isFunc || !called[n] || c.carry[c.declared[o]]
			}
		}
		return true
	})
	return names, carries
}

// calledName returns the name of a called function, or nil.
func calledName(fun ast.Expr) *ast.Ident {
	switch x := fun.(type) {
	case *ast.ParenExpr:
		return calledName(x.X)
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.IndexExpr:
		return calledName(x.X)
	case *ast.IndexListExpr:
		return calledName(x.X)
	}
	return nil
}
