package rewrite

import (
	"go/ast"
	"go/types"

	"spoor/tracegen/instrument/internal/code"
)

// findRenamed finds the identifiers that get new names.
func (f *file) findRenamed() {
	f.renamed = map[ast.Node]string{}
	if f.Rename == nil {
		return
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f.rename(id)
		}
		return true
	})
}

func (f *file) rename(id *ast.Ident) {
	obj := f.Info.ObjectOf(id)
	fn, isFunc := obj.(*types.Func)
	if isFunc {
		obj = fn.Origin()
	} else if _, ok := obj.(*types.Var); !ok {
		return
	}
	name := f.Rename(obj)
	if name == "" {
		return
	}
	if isFunc && f.Info.Uses[id] != nil && code.IsInterfaceMethod(fn) {
		signature := types.TypeString(fn.Type(), func(p *types.Package) string {
			if p == f.Types {
				return ""
			}
			return p.Name()
		})
		name = "(interface{ " + name + signature[len("func"):] + " })." + name
	}
	f.renamed[id] = name
}

// renamedIn returns the identifiers within n that get new names, in order.
func (f *file) renamedIn(n ast.Node) (nodes []ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		if m != nil && f.renamed[m] != "" {
			nodes = append(nodes, m)
		}
		return true
	})
	return nodes
}
