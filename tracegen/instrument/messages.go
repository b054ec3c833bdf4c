package instrument

import (
	"go/types"

	"golang.org/x/tools/go/packages"
)

// passesMessages reports whether a program calls functions that pass messages: those of spmd that take a Party.
func passesMessages(all []*packages.Package) bool {
	for _, p := range all {
		for _, used := range p.TypesInfo.Uses {
			if f, ok := used.(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == spmdPath && takesParty(f.Signature()) {
				return true
			}
		}
	}
	return false
}

func takesParty(s *types.Signature) bool {
	for p := range s.Params().Variables() {
		if named, ok := p.Type().(*types.Named); ok && named.Obj().Name() == "Party" {
			return true
		}
	}
	return false
}
