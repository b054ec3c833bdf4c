package instrument

import (
	"context"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument/internal/code"
	"spoor/tracegen/instrument/internal/rewrite"
	"spoor/tracegen/instrument/internal/weigh"
)

// Rewrite makes the recording form of the files of package i.
func (s *Sources) Rewrite(i int, o rewrite.Options) (*rewrite.Result, error) {
	return rewrite.Rewrite(s.forRewriter(s.Packages[i]), o)
}

func (s *Sources) forRewriter(p *packages.Package) *code.Package {
	src := map[string][]byte{}
	for _, name := range p.CompiledGoFiles {
		src[name] = s.split[name]
	}
	return &code.Package{Fset: s.Fset, Files: p.Syntax, Src: src, Types: p.Types, Info: p.TypesInfo, Dynamic: s.dynamic}
}

// interfaceMethods returns the names of methods that the packages call through interfaces, or that unchanged packages
// may call.
func interfaceMethods(all []*packages.Package) map[string]bool {
	names := map[string]bool{"Error": true, "String": true, "Unwrap": true, "Is": true, "As": true, "Read": true, "Write": true, "Close": true}
	for _, p := range all {
		for _, s := range p.TypesInfo.Selections {
			if s.Kind() == types.MethodVal && types.IsInterface(s.Recv()) {
				names[s.Obj().Name()] = true
			}
		}
	}
	return names
}

// Weigh counts the machine instructions of the lines of all packages, in the program without instrumentation. The
// program is the main package itself. For a package that is not main, user is the source of a program that uses it.
func (s *Sources) Weigh(ctx context.Context, user []byte) (weigh.Lines, error) {
	weights, err := s.weigh(ctx, user)
	if err != nil {
		return nil, err
	}
	return weights.Lines, nil
}

// weigh returns the result of Weigh, with the weights of instances and an estimate of the instructions of called code
// that does not count itself.
func (s *Sources) weigh(ctx context.Context, user []byte) (*weigh.Weights, error) {
	dir, err := os.MkdirTemp(s.tool.tempDir, "spoor-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	plain, main := s.overlay(s.split), "."
	if user != nil {
		main = "./weighed"
		plain[filepath.Join(s.main.Dir, main, "main.go")] = user
	}
	list, err := plain.write(dir, "exploded")
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "program")
	if err := s.tool.build(ctx, list, program, main); err != nil {
		return nil, err
	}
	var sources []weigh.Source
	for _, p := range s.Packages {
		path := p.PkgPath
		if p.Name == "main" {
			path = "main"
		}
		inlined := code.Inlined(s.forRewriter(p))
		sources = append(sources, weigh.Source{Path: path, Files: p.Syntax, Fset: s.Fset, Inlined: func(d *ast.FuncDecl) bool {
			f, _ := p.TypesInfo.Defs[d.Name].(*types.Func)
			return inlined[f]
		}})
	}
	return weigh.Program(program, sources...)
}
