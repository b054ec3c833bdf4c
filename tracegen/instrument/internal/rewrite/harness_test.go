package rewrite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument/internal/code"
	"spoor/tracegen/instrument/internal/weigh"
)

// exploded parses a file with its lines split, and tells the file set the lines
// that the user wrote.
func exploded(fset *token.FileSet, name string, src []byte) (*ast.File, []byte, error) {
	x, err := weigh.SplitStatements(name, src)
	if err != nil {
		return nil, nil, err
	}
	f, err := parser.ParseFile(fset, name, x, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	lines, tok := weigh.NewLineMap(src, x), fset.File(f.FileStart)
	for i := range tok.LineCount() {
		tok.AddLineInfo(tok.Offset(tok.LineStart(i+1)), name, lines.Original(i+1))
	}
	return f, x, nil
}

// parsed is a package of one file.
func parsed(t testing.TB, name, src string) *code.Package {
	t.Helper()
	return parsedAll(t, map[string]string{name: src})
}

// parsedAll is a package of files.
func parsedAll(t testing.TB, files map[string]string) *code.Package {
	t.Helper()
	p := &code.Package{Fset: token.NewFileSet(), Src: map[string][]byte{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, x, err := exploded(p.Fset, name, []byte(files[name]))
		if err != nil {
			t.Fatalf("%v in\n%s", err, numbered(files[name]))
		}
		p.Files, p.Src[name] = append(p.Files, f), x
	}
	p.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}
	var err error
	conf := types.Config{Importer: imports, FakeImportC: true}
	if p.Types, err = conf.Check(p.Files[0].Name.Name, p.Fset, p.Files, p.Info); err != nil {
		t.Fatal(err)
	}
	return p
}

var imports = importer.ForCompiler(token.NewFileSet(), "source", nil)

// loaded is the package at an import path.
func loaded(t testing.TB, path string) *code.Package {
	t.Helper()
	var mu sync.Mutex
	p := &code.Package{Fset: token.NewFileSet(), Src: map[string][]byte{}}
	list, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax, Fset: p.Fset,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, x, err := exploded(fset, name, src)
			mu.Lock()
			defer mu.Unlock()
			p.Src[name] = x
			return f, err
		},
	}, path)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || packages.PrintErrors(list) > 0 {
		t.Fatalf("%s cannot be loaded", path)
	}
	p.Files, p.Types, p.Info = list[0].Syntax, list[0].Types, list[0].TypesInfo
	return p
}

// rewritten is the result of rewriting.
func rewritten(t testing.TB, p *code.Package, o Options) *Result {
	t.Helper()
	r, err := Rewrite(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// folder is where programs of tests lie as the go command sees them: in overlays
// only.
func folder(t testing.TB, name string) string {
	t.Helper()
	dir, err := filepath.Abs("testdata/generated")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// build compiles the command in a folder with files in place of those on the disk,
// or besides them, and returns the path of the executable.
func build(t testing.TB, dir string, files map[string][]byte) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles rewritten programs")
	}
	list := overlay(t, files)
	exe := filepath.Join(filepath.Dir(list), "program")
	cmd := exec.Command("go", "build", "-overlay", list, "-o", exe, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		for _, src := range files {
			if testing.Verbose() {
				t.Log(numbered(string(src)))
			}
		}
		t.Fatalf("building: %v\n%s", err, out)
	}
	return exe
}

// overlay writes files and the list of them that go build -overlay takes.
func overlay(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for name, src := range files {
		replace[name] = filepath.Join(dir, fmt.Sprintf("%d_%s", len(replace), filepath.Base(name)))
		if err := os.WriteFile(replace[name], src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return list
}

// numbered is src with line numbers.
func numbered(src string) string {
	var b strings.Builder
	for i, line := range strings.Split(src, "\n") {
		fmt.Fprintf(&b, "%4d %s\n", i+1, line)
	}
	return b.String()
}

// output is what a program prints, and its exit status.
func output(t testing.TB, exe string, args ...string) string {
	t.Helper()
	cmd := exec.Command(exe, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return fmt.Sprintf("%sexit status %d\n", out.String(), cmd.ProcessState.ExitCode())
}

// variants are the ways to rewrite that must leave a program alone.
var variants = map[string]Options{
	"count":               {Mode: Count},
	"count on goroutines": {Mode: Count, Goroutines: true},
	"trace":               {Mode: Trace},
	"trace on goroutines": {Mode: Trace, Headers: true, Goroutines: true},
}

// sameOutput holds what a program prints to what the original prints.
func sameOutput(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Errorf("line %d of the output:\n got %s\nwant %s", i+1, lineOf(g, i), lineOf(w, i))
		}
	}
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}
