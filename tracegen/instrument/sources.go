package instrument

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument/internal/weigh"
)

// spmdPath is the path of the package that programs are written for.
const spmdPath = "spoor/tracegen/spmd"

// recordingPackages are the packages that record. They cannot record themselves.
var recordingPackages = []string{spmdPath, "spoor/tracegen/tape", "spoor/tracegen/instrument", "spoor/traces"}

// Sources are the packages of a program to be instrumented: its main package, and the packages that it imports. Their
// files are split, with one statement on each line.
type Sources struct {
	tool     goTool
	main     listedPackage
	spoor    string // folder of the module spoor, if the user's module requires it ...
	user     string // ... and then the folder of the user's module
	Fset     *token.FileSet
	Packages []*packages.Package // dependencies before the packages that import them
	split    map[string][]byte   // split sources, by absolute path
	whole    map[string][]byte   // the same sources before they were split
	skipped  []Finding           // packages that cannot be instrumented
	library  *library            // parts of the standard library; nil if none is instrumented
	supplied overlay             // files that every build needs
	dynamic  map[string]bool     // methods that interfaces call, if the standard library is instrumented
}

// loadScope selects the packages to load: those that match patterns, and all their dependencies. The function check
// returns an error if they cannot be recorded, and instruments selects those to instrument.
type loadScope struct {
	patterns    []string
	check       func(all []listedPackage) error
	instruments func(s *Sources, p listedPackage) bool
	program     bool // a program that gets the packages that record
	library     bool // instruments the standard library, too
}

// load reads the packages in scope. They must compile.
func load(ctx context.Context, tool goTool, in loadScope) (*Sources, error) {
	tool.module = append(tool.module, readonly)
	s := &Sources{tool: tool, split: map[string][]byte{}, whole: map[string][]byte{}}
	if in.program {
		if err := s.supply(ctx); err != nil {
			return nil, err
		}
	}
	all, err := s.tool.list(ctx, in.patterns...)
	if err != nil {
		return nil, err
	}
	if err := in.check(all); err != nil {
		return nil, err
	}
	s.main = all[len(all)-1]
	var program []listedPackage
	if in.program {
		if program, err = s.standard(ctx, all, in.library); err != nil {
			return nil, err
		}
	}
	for _, p := range all {
		if in.instruments(s, p) {
			program = append(program, p)
		}
	}
	var paths []string
	for _, p := range program {
		paths = append(paths, p.ImportPath)
		if err := s.splitStatements(p); err != nil {
			return nil, err
		}
	}
	if err := s.typeCheck(ctx, paths); err != nil {
		return nil, err
	}
	if in.program {
		s.dynamic = interfaceMethods(s.Packages)
	}
	return s, nil
}

// supply adds the packages that programs need to every build.
func (s *Sources) supply(ctx context.Context) error {
	root, err := s.tool.run(ctx, "env", "GOROOT")
	if err != nil {
		return err
	}
	s.tool.root = filepath.Join(strings.TrimSpace(string(root)), "src")
	if s.supplied, err = supply(s.tool.root); err != nil {
		return err
	}
	if s.tool.overlay, err = s.supplied.write(s.tool.tempDir, "supplied"); err != nil {
		return err
	}
	return s.findSpoor(ctx)
}

// standard selects the parts of the standard library, and returns the instrumented packages.
func (s *Sources) standard(ctx context.Context, all []listedPackage, instrument bool) (program []listedPackage, err error) {
	recorder, err := s.tool.listSession(ctx)
	if err != nil {
		return nil, err
	}
	all = append(recorder, all...)
	s.library = newLibrary(s.tool.root, all, instrument, func(p listedPackage) bool { return !p.Standard && !isRecorder(p.ImportPath) })
	s.supplied, err = s.library.recorderFiles(s.supplied)
	return s.library.programPackages(), err
}

// programScope is the scope of the program in dir, with the packages that it imports. If library is set, these include
// packages of the standard library.
func programScope(dir string, library bool) loadScope {
	return loadScope{[]string{"."}, isProgram(dir), (*Sources).ofProgram, true, library}
}

// LoadPackage reads only the package in dir, which need not be a program. Files are selected as with the build tag. If
// the package does not compile, messages receives the messages of the go command.
func LoadPackage(ctx context.Context, dir, tag string, messages io.Writer) (*Sources, error) {
	return load(ctx, goTool{dir: dir, messages: messages, module: []string{"-tags=" + tag}}, loadScope{[]string{"."},
		func([]listedPackage) error { return nil },
		func(s *Sources, p listedPackage) bool { return p.ImportPath == s.main.ImportPath }, false, false})
}

// isProgram returns a check that the package in dir, the last one, can be recorded.
func isProgram(dir string) func([]listedPackage) error {
	return func(all []listedPackage) error {
		switch main := all[len(all)-1]; {
		case main.Name != "main":
			return fmt.Errorf("%s holds package %s, which is not a program; give the folder of a package main", dir, main.Name)
		case main.Module == nil:
			return fmt.Errorf("%s is not part of a module; run go mod init in it", dir)
		case !slices.ContainsFunc(all, usesSpmd):
			return fmt.Errorf("%s does not use %s: there is nothing to record; its main function must call spmd.Main", dir, spmdPath)
		}
		return nil
	}
}

// usesSpmd reports whether a package of the program imports spmd.
func usesSpmd(p listedPackage) bool {
	return !isRecorder(p.ImportPath) && slices.Contains(p.Imports, spmdPath)
}

// ofProgram reports whether a package of the program's module, or of one that it requires, can be instrumented. It
// records those that cannot.
func (s *Sources) ofProgram(p listedPackage) bool {
	if p.Standard || isRecorder(p.ImportPath) {
		return false
	}
	if len(p.CgoFiles) > 0 {
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
		src, err := readSource(filepath.Join(cmp.Or(p.original, p.Dir), name))
		if err != nil {
			return err
		}
		if s.library != nil {
			src = replaceImports(name, src, s.library.program)
		}
		s.whole[file] = src
		if s.split[file], err = weigh.SplitStatements(file, src); err != nil {
			return err
		}
	}
	if p.original != "" {
		for _, name := range slices.Concat(p.SFiles, p.HFiles) {
			text, err := readSource(filepath.Join(p.original, name))
			if err != nil {
				return err
			}
			s.supplied[filepath.Join(p.Dir, name)] = text
		}
	}
	return nil
}

func readSource(file string) ([]byte, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the program: %w", err)
	}
	return src, nil
}

// typeCheck parses and type-checks the split files of the packages.
func (s *Sources) typeCheck(ctx context.Context, paths []string) error {
	s.Fset = token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: s.tool.dir, Env: s.tool.environ(os.Environ()), Fset: s.Fset, Overlay: s.overlay(s.split), BuildFlags: s.tool.module,
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
			lines := weigh.NewLineMap(s.whole[file.Name()], s.split[file.Name()])
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

// overlay returns the overlay of a build: files, and those that every build needs.
func (s *Sources) overlay(files map[string][]byte) overlay {
	o := overlay{}
	maps.Copy(o, s.supplied)
	maps.Copy(o, files)
	return o
}
