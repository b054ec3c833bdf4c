package instrument

import (
	"go/types"

	"golang.org/x/tools/go/packages"
)

// calls reports whether a program calls functions of spmd that are of a kind.
func calls(all []*packages.Package, kind func(f *types.Func) bool) bool {
	for _, p := range all {
		for _, used := range p.TypesInfo.Uses {
			if f, ok := used.(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == spmdPath && kind(f) {
				return true
			}
		}
	}
	return false
}

// passesMessages reports whether f passes messages: it takes a Party.
func passesMessages(f *types.Func) bool {
	for p := range f.Signature().Params().Variables() {
		if named, ok := p.Type().(*types.Named); ok && named.Obj().Name() == "Party" {
			return true
		}
	}
	return false
}

// locks reports whether f is one of a shared memory that messages have nothing to do with.
func locks(f *types.Func) bool {
	switch f.Name() {
	case "Lock", "WaitFlag", "NewQueue":
		return true
	}
	return false
}
