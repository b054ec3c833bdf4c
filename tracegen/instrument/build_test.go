package instrument

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// userModule writes a module that requires spoor, of files by path and text.
func userModule(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/user\n\ngo 1.26.0\n\nrequire spoor v0.0.0\n\nreplace spoor => "+root+"\n")
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

const callsMain = "package main\n\nimport \"spoor/tracegen/spmd\"\n\nfunc main() { spmd.Main(program) }\n\n"

// A program that cannot be built is told about in the compiler's own words, with
// the paths as the user sees them, and leaves nothing.
func TestProgramsThatCannotBeBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	temporary(t)
	for _, c := range []struct {
		name  string
		files map[string]string
		dir   string
		want  string // of the error
		says  string // by the go command
	}{
		{"does not compile", map[string]string{"p/a.go": callsMain + "func program(r *spmd.Rank) error {\n\treturn y\n}\n"}, "p",
			"go list in", "p/a.go:8:9: undefined: y"},
		{"does not parse", map[string]string{"p/a.go": callsMain + "func program(\n"}, "p",
			"go list in", "p/a.go:8:1: syntax error"},
		{"imports what does not compile", map[string]string{"a.go": "package main\n\nimport _ \"example.com/user/q\"\n\nfunc main() {}\n",
			"q/q.go": "package q\n\nvar x int = \"x\"\n"}, ".", "go list in", "q/q.go:3:13: cannot use \"x\""},
		{"is no program", map[string]string{"p/a.go": "package p\n"}, "p", "holds package p, which is not a program", ""},
		{"does not use spmd", map[string]string{"a.go": "package main\n\nfunc main() {}\n"}, ".", "does not use spoor/tracegen/spmd", ""},
		{"is not there", nil, "nowhere", "nowhere", ""},
		{"is empty", map[string]string{"p/a.txt": ""}, "p", "go list in", "no Go files"},
		{"has no module", map[string]string{"go.mod": ""}, ".", "go list in", "module"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(userModule(t, c.files), c.dir)
			var says bytes.Buffer
			_, err := Build(t.Context(), Options{Dir: dir, Messages: &says})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("a program that %s: error %v, want %q", c.name, err, c.want)
			}
			if !strings.Contains(says.String(), c.says) {
				t.Errorf("a program that %s: go says %q, want %q", c.name, says.String(), c.says)
			}
		})
	}
}

// A program in the module of spoor itself cannot get the supplied packages.
func TestProgramsOfSpoorAreRefused(t *testing.T) {
	_, err := Build(t.Context(), Options{Dir: "../../tracegen", Library: true, Messages: t.Output()})
	if want := "move it to a module of its own, with go mod init NAME"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestWithoutTheGoCommand(t *testing.T) {
	t.Setenv("PATH", "")
	if _, err := Build(t.Context(), Options{Dir: "testdata/heat", Messages: t.Output()}); !errors.Is(err, errNoGo) {
		t.Error(err)
	}
}

func TestAnInterruptEndsTheBuild(t *testing.T) {
	temporary(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var says bytes.Buffer
	if _, err := Build(ctx, Options{Dir: "testdata/heat", Messages: &says}); !errors.Is(err, context.Canceled) || says.Len() > 0 {
		t.Errorf("%v, %q", err, says.String())
	}
}

// goroutineCases are programs by what they import and do, and whether all of their
// code runs on the goroutines of ranks.
var goroutineCases = []struct {
	imports, code string
	own           bool
}{
	{"", "", true},
	{"fmt", "fmt.Println()", true},
	{"sort", "sort.Slice([]int{}, func(i, j int) bool { return i < j })", true},
	{"time", "_ = time.Now()", true},
	{"", "go func() {}()", false},
	{"", "func() { defer func() { go program(nil) }() }()", false},
	{"time", "time.AfterFunc(1, func() {})", false},
	{"sync", "var g sync.WaitGroup; g.Wait()", true},
	{"sync", "var g sync.WaitGroup; g.Go(func() {})", false},
	{"runtime", "runtime.SetFinalizer(new(int), func(*int) {})", false},
	{"context", "_ = context.Background()", false}, // not one of the packages we know of
	{"example.com/user/q", "q.Q()", false},
	{"example.com/user/r", "r.R()", true},
}

// Asking for the goroutine is needed where instrumented code can run on one that
// is no rank.
func TestGoroutines(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	for _, c := range goroutineCases {
		t.Run(fmt.Sprintf("%v %v", c.imports, c.code), func(t *testing.T) {
			imports := "import \"spoor/tracegen/spmd\"\n"
			if c.imports != "" {
				imports += "import \"" + c.imports + "\"\n"
			}
			dir := userModule(t, map[string]string{
				"a.go": "package main\n\n" + imports + "func main() { spmd.Main(program) }\n" +
					"func program(_ *spmd.Rank) error {\n\t" + c.code + "\n\treturn nil\n}\n",
				"q/q.go": "package q\n\nfunc Q() { go func() {}() }\n",
				"r/r.go": "package r\n\nfunc R() {}\n",
			})
			s, err := load(t.Context(), goTool{dir: dir, messages: t.Output(), tempDir: t.TempDir()}, programScope(dir, false))
			if err != nil {
				t.Fatal(err)
			}
			if got := onlyRankGoroutines(s.ownPackages()); got != c.own {
				t.Errorf("%s %s: own goroutines only: %v, want %v", c.imports, c.code, got, c.own)
			}
		})
	}
}

// What is instrumented is the program and its module; what is not is named.
func TestSources(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	dir := userModule(t, map[string]string{
		"cmd/x/v2/a.go": callsMain + "func program(*spmd.Rank) error { return nil }\n",
		"cmd/x/v2/b.go": "package main\n\nimport \"example.com/user/q\"\n\nvar _ = q.Q\n",
		"q/q.go":        "package q\n\nimport \"example.com/other\"\n\nfunc Q() { other.O() }\n",
		"other/go.mod":  "module example.com/other\n\ngo 1.26.0\n",
		"other/o.go":    "package other\n\nfunc O() {}\n",
		"unused/u.go":   "package unused\n",
	})
	write(t, filepath.Join(dir, "go.mod"), read(t, filepath.Join(dir, "go.mod"))+"\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ./other\n")
	main := filepath.Join(dir, "cmd/x/v2")
	s, err := load(t.Context(), goTool{dir: main, messages: t.Output(), tempDir: t.TempDir()}, programScope(main, false))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range s.Packages {
		paths = append(paths, p.PkgPath)
	}
	if want := []string{"example.com/other", "example.com/user/q", "example.com/user/cmd/x/v2"}; !slices.Equal(paths, want) {
		t.Errorf("instrumented: %v, want %v", paths, want)
	}
	if s.name() != "x" {
		t.Errorf("the program is called %q", s.name())
	}
}

// Positions are those of the user's file, lines that are weighed those of the
// exploded one.
func TestPositionsAreTheUsers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	dir := userModule(t, map[string]string{"a.go": callsMain +
		"func program(r *spmd.Rank) error {\n\tfor i := 0; i < 3; i++ { _ = i }; _ = r\n\treturn nil\n}\n"})
	s, err := load(t.Context(), goTool{dir: dir, messages: t.Output(), tempDir: t.TempDir()}, programScope(dir, false))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.originalLines(); err != nil {
		t.Fatal(err)
	}
	file := s.ownPackages()[0].Syntax[0]
	last := file.Decls[len(file.Decls)-1]
	if at := s.Fset.Position(last.End()); at.Line != 10 || filepath.Base(at.Filename) != "a.go" {
		t.Errorf("the program ends at %s, want a.go:10", at)
	}
	if at := s.Fset.PositionFor(last.End(), false); at.Line <= 14 {
		t.Errorf("the exploded program ends at %s", at)
	}
}

// A simulation needs all of spoor. The module that tracegen init writes has only what recordings need.
func TestSimulationNeedsAllOfSpoor(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/user\n\ngo 1.26.0\n\nrequire spoor v0.0.0\n\nreplace spoor => ./spoor\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"spoor/tracegen/spmd\"\n\nfunc main() { spmd.Main(func(r *spmd.Rank) error { return nil }) }\n")
	if err := WriteSources(filepath.Join(dir, "spoor")); err != nil {
		t.Fatal(err)
	}
	_, err := Build(t.Context(), Options{Dir: dir, Session: "spoor/predict/internal/direct/session", Messages: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "has only the sources that a recording needs") {
		t.Errorf("error %v", err)
	}
}
