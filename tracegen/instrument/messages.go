package instrument

import (
	"go/types"

	"golang.org/x/tools/go/packages"
)

// callsAny reports whether a program calls a function of spmd for which kind returns true.
func callsAny(all []*packages.Package, kind func(f *types.Func) bool) bool {
	for _, p := range all {
		for _, used := range p.TypesInfo.Uses {
			if f, ok := used.(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == spmdPath && kind(f) {
				return true
			}
		}
	}
	return false
}

// passesMessages reports whether f passes messages, that is, has a parameter of type Party.
func passesMessages(f *types.Func) bool {
	for p := range f.Signature().Params().Variables() {
		if named, ok := p.Type().(*types.Named); ok && named.Obj().Name() == "Party" {
			return true
		}
	}
	return false
}

// usesSharedMemory reports whether f is a function for programs with shared memory, not for messages.
func usesSharedMemory(f *types.Func) bool {
	switch f.Name() {
	case "Lock", "WaitFlag", "NewQueue":
		return true
	}
	return false
}
