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

// spmdPath is the path of the package that programs are written for.
const spmdPath = "spoor/tracegen/spmd"

// recordingPackages are the packages that record. They cannot record themselves.
var recordingPackages = []string{spmdPath, "spoor/tracegen/tape", "spoor/tracegen/instrument", "spoor/traces"}

// Sources are the packages of a program to be instrumented: its main package and the packages of the same module
// that it imports. Their files are split, with one statement on each line.
type Sources struct {
	tool     goTool
	main     listedPackage
	spoor    string // folder of the module of spmd
	Fset     *token.FileSet
	Packages []*packages.Package // dependencies before the packages that import them
	split    map[string][]byte   // split sources, by absolute path
	skipped  []Finding           // packages that cannot be instrumented
	foreign  []string            // packages of other modules, which run unchanged
	standard map[string]bool     // packages of the standard library, which run unchanged
}

// loadScope selects the packages to load: those that match patterns, and all their dependencies. The function check
// returns an error if they cannot be recorded, and instruments selects those to instrument.
type loadScope struct {
	patterns    []string
	check       func(all []listedPackage) error
	instruments func(s *Sources, p listedPackage) bool
}

// load reads the packages in scope. They must compile.
func load(ctx context.Context, tool goTool, in loadScope) (*Sources, error) {
	all, err := tool.list(ctx, in.patterns...)
	if err != nil {
		return nil, err
	}
	if err := in.check(all); err != nil {
		return nil, err
	}
	s := &Sources{tool: tool, main: all[len(all)-1], split: map[string][]byte{}, standard: map[string]bool{}}
	var paths []string
	for _, p := range all {
		s.standard[p.ImportPath] = p.Standard
		if p.ImportPath == spmdPath && p.Module != nil {
			s.spoor = p.Module.Dir
		}
		if in.instruments(s, p) {
			paths = append(paths, p.ImportPath)
			if err := s.splitStatements(p); err != nil {
				return nil, err
			}
		}
	}
	if err := s.typeCheck(ctx, paths); err != nil {
		return nil, err
	}
	return s, nil
}

// programScope is the scope of the program in dir, with the packages of its module that it imports.
func programScope(dir string) loadScope {
	return loadScope{[]string{"."}, isProgram(dir), (*Sources).sameModule}
}

// LoadPackage reads only the package in dir, which need not be a program. If the package does not compile, messages
// receives the messages of the go command.
func LoadPackage(ctx context.Context, dir string, messages io.Writer) (*Sources, error) {
	return load(ctx, goTool{dir: dir, messages: messages}, loadScope{[]string{"."},
		func([]listedPackage) error { return nil },
		func(s *Sources, p listedPackage) bool { return p.ImportPath == s.main.ImportPath }})
}

// isProgram returns a check that the package in dir, the last one, can be recorded.
func isProgram(dir string) func([]listedPackage) error {
	return func(all []listedPackage) error {
		switch main := all[len(all)-1]; {
		case main.Name != "main":
			return fmt.Errorf("%s holds package %s, which is not a program; give the folder of a package main", dir, main.Name)
		case main.Module == nil:
			return fmt.Errorf("%s is not part of a module; run go mod init in it", dir)
		case !slices.ContainsFunc(all, func(p listedPackage) bool { return p.ImportPath == spmdPath }):
			return fmt.Errorf("%s does not use %s: there is nothing to record; its main function must call spmd.Main", dir, spmdPath)
		}
		return nil
	}
}

// sameModule reports whether a package of the program's module can be instrumented. It records those that cannot.
func (s *Sources) sameModule(p listedPackage) bool {
	switch {
	case p.Standard || slices.ContainsFunc(recordingPackages, func(prefix string) bool { return isBelow(p.ImportPath, prefix) }):
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

// isBelow reports whether a package is the one at prefix or below it.
func isBelow(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

func (s *Sources) splitStatements(p listedPackage) error {
	for _, name := range p.GoFiles {
		file := filepath.Join(p.Dir, name)
		src, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading the program: %w", err)
		}
		if s.split[file], err = weigh.SplitStatements(file, src); err != nil {
			return err
		}
	}
	return nil
}

// typeCheck parses and type-checks the split files of the packages.
func (s *Sources) typeCheck(ctx context.Context, paths []string) error {
	s.Fset = token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: s.tool.dir, Env: s.tool.environ(os.Environ()), Fset: s.Fset, Overlay: s.split, BuildFlags: []string{readonly},
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

// originalLines adds the line numbers of the user's files to the file set. From then on, Position returns these
// lines, and PositionFor can return those of the split files.
func (s *Sources) originalLines() error {
	for _, p := range s.Packages {
		for _, f := range p.Syntax {
			file := s.Fset.File(f.FileStart)
			src, err := os.ReadFile(file.Name())
			if err != nil {
				return fmt.Errorf("reading the program: %w", err)
			}
			lines := weigh.NewLineMap(src, s.split[file.Name()])
			for i := range file.LineCount() {
				file.AddLineInfo(file.Offset(file.LineStart(i+1)), file.Name(), lines.Original(i+1))
			}
		}
	}
	return nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// name returns the name of the program: the last element of its path that is not a major version.
func (s *Sources) name() string {
	dir, base := path.Split(s.main.ImportPath)
	if majorVersion.MatchString(base) && dir != "" {
		return path.Base(dir)
	}
	return base
}

// library returns the packages of the standard library that the program's packages import, by path. It omits those
// that the compiler replaces by instructions.
func (s *Sources) library() (paths []string) {
	for _, p := range s.Packages {
		for path := range p.Imports {
			switch {
			case !s.standard[path] || path == "unsafe" || path == "math/bits" || path == "sync/atomic":
			default:
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
