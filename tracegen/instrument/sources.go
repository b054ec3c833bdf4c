package instrument

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument/weigh"
)

// spmdPath is the interface that programs are written to.
const spmdPath = "spoor/tracegen/spmd"

// ours are the packages that record, which cannot record themselves.
var ours = []string{spmdPath, "spoor/tracegen/tape", "spoor/tracegen/instrument", "spoor/traces"}

// Sources are the packages of one program that are instrumented: its main package
// and those of the same module that it imports. Their files are exploded: every
// statement is on a line of its own.
type Sources struct {
	tool     goTool
	main     listed
	spoor    string // folder of the module of spmd
	Fset     *token.FileSet
	Packages []*packages.Package // dependencies before who imports them
	exploded map[string][]byte   // by absolute path
	skipped  []Finding           // packages whose form rules instrumentation out
	foreign  []string            // packages of other modules, which run as they are
}

// scope is what load reads: the packages that patterns name and all they depend
// on, if check finds nothing wrong with them; wanted picks those to instrument.
type scope struct {
	patterns []string
	check    func(all []listed) error
	wanted   func(s *Sources, p listed) bool
}

// load reads the packages in scope. They must compile.
func load(ctx context.Context, tool goTool, in scope) (*Sources, error) {
	all, err := tool.list(ctx, in.patterns...)
	if err != nil {
		return nil, err
	}
	if err := in.check(all); err != nil {
		return nil, err
	}
	s := &Sources{tool: tool, main: all[len(all)-1], exploded: map[string][]byte{}}
	var paths []string
	for _, p := range all {
		if p.ImportPath == spmdPath && p.Module != nil {
			s.spoor = p.Module.Dir
		}
		if in.wanted(s, p) {
			paths = append(paths, p.ImportPath)
			if err := s.explode(p); err != nil {
				return nil, err
			}
		}
	}
	if err := s.typeCheck(ctx, paths); err != nil {
		return nil, err
	}
	return s, nil
}

// ofProgram is the program in dir, with the packages of its module that it imports.
func ofProgram(dir string) scope {
	return scope{[]string{"."}, isProgram(dir), (*Sources).sameModule}
}

// LoadPackage reads the package in dir alone, which need not be a program; messages
// are for what the go command says if it does not compile.
func LoadPackage(ctx context.Context, dir string, messages io.Writer) (*Sources, error) {
	return load(ctx, goTool{dir: dir, messages: messages}, scope{[]string{"."},
		func([]listed) error { return nil },
		func(s *Sources, p listed) bool { return p.ImportPath == s.main.ImportPath }})
}

// isProgram says what keeps the package in dir, the last one, from being recorded.
func isProgram(dir string) func([]listed) error {
	return func(all []listed) error {
		switch main := all[len(all)-1]; {
		case main.Name != "main":
			return fmt.Errorf("%s holds package %s, which is not a program; give the folder of a package main", dir, main.Name)
		case main.Module == nil:
			return fmt.Errorf("%s is not part of a module; run go mod init in it", dir)
		case !slices.ContainsFunc(all, func(p listed) bool { return p.ImportPath == spmdPath }):
			return fmt.Errorf("%s does not use %s: there is nothing to record; its main function is to call spmd.Main", dir, spmdPath)
		}
		return nil
	}
}

// sameModule reports whether a package is one of the program's module that can be
// instrumented, and notes which cannot.
func (s *Sources) sameModule(p listed) bool {
	switch {
	case p.Standard || slices.ContainsFunc(ours, func(prefix string) bool { return within(p.ImportPath, prefix) }):
		return false
	case p.Module == nil || p.Module.Path != s.main.Module.Path:
		s.foreign = append(s.foreign, p.ImportPath)
		return false
	case len(p.CgoFiles) > 0:
		at := token.Position{Filename: filepath.Join(p.Dir, p.CgoFiles[0]), Line: 1}
		s.skipped = append(s.skipped, s.finding(at, "package "+p.ImportPath+" uses cgo"))
		return false
	}
	return true
}

// within reports whether a package is the one at prefix or below it.
func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

func (s *Sources) explode(p listed) error {
	for _, name := range p.GoFiles {
		file := filepath.Join(p.Dir, name)
		src, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading the program: %w", err)
		}
		if s.exploded[file], err = weigh.Explode(file, src); err != nil {
			return err
		}
	}
	return nil
}

// typeCheck parses and checks the exploded files of the packages.
func (s *Sources) typeCheck(ctx context.Context, paths []string) error {
	s.Fset = token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: s.tool.dir, Env: s.tool.environ(os.Environ()), Fset: s.Fset, Overlay: s.exploded, BuildFlags: []string{readonly},
		Mode: packages.LoadSyntax | packages.NeedCompiledGoFiles,
	}, paths...)
	if err != nil {
		return fmt.Errorf("reading the program: %w", err)
	}
	for _, path := range paths {
		i := slices.IndexFunc(loaded, func(p *packages.Package) bool { return p.PkgPath == path || p.ID == path })
		if i < 0 {
			return fmt.Errorf("reading the program: package %s is gone", path)
		}
		if errs := loaded[i].Errors; len(errs) > 0 {
			return fmt.Errorf("reading the program: %w", errs[0])
		}
		s.Packages = append(s.Packages, loaded[i])
	}
	return nil
}

// originalLines tells the file set the lines of the files that the user wrote:
// from then on Position has them, and PositionFor those of the exploded files.
func (s *Sources) originalLines() error {
	for _, p := range s.Packages {
		for _, f := range p.Syntax {
			file := s.Fset.File(f.FileStart)
			src, err := os.ReadFile(file.Name())
			if err != nil {
				return fmt.Errorf("reading the program: %w", err)
			}
			lines := weigh.NewLineMap(src, s.exploded[file.Name()])
			for i := range file.LineCount() {
				file.AddLineInfo(file.Offset(file.LineStart(i+1)), file.Name(), lines.Original(i+1))
			}
		}
	}
	return nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// name is what the program is called: the last element of its path that is not a
// major version.
func (s *Sources) name() string {
	dir, base := path.Split(s.main.ImportPath)
	if majorVersion.MatchString(base) && dir != "" {
		return path.Base(dir)
	}
	return base
}
