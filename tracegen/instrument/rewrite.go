package instrument

import (
	"context"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument/rewrite"
	"spoor/tracegen/instrument/weigh"
)

// Rewrite makes the recording form of the files of package i.
func (s *Sources) Rewrite(i int, o rewrite.Options) (*rewrite.Result, error) {
	return rewrite.Rewrite(s.forRewriter(s.Packages[i]), o)
}

func (s *Sources) forRewriter(p *packages.Package) *rewrite.Package {
	src := map[string][]byte{}
	for _, name := range p.CompiledGoFiles {
		src[name] = s.split[name]
	}
	return &rewrite.Package{Fset: s.Fset, Files: p.Syntax, Src: src, Types: p.Types, Info: p.TypesInfo}
}

// Weigh counts the machine instructions of the lines of all packages, in the program without instrumentation. The
// program is the main package itself. For a package that is not main, user is the source of a program that uses it.
func (s *Sources) Weigh(ctx context.Context, user []byte) (weigh.Lines, error) {
	dir, err := os.MkdirTemp(s.tool.tempDir, "spoor-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	plain, main := overlay(maps.Clone(s.split)), "."
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
		inlined := rewrite.Inlined(s.forRewriter(p))
		sources = append(sources, weigh.Source{Path: path, Files: p.Syntax, Fset: s.Fset, Inlined: func(d *ast.FuncDecl) bool {
			f, _ := p.TypesInfo.Defs[d.Name].(*types.Func)
			return inlined[f]
		}})
	}
	return weigh.Binary(program, sources...)
}
