package instrument

import (
	"flag"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"spoor/tracegen/instrument/internal/rewrite"
	"spoor/tracegen/instrument/internal/weigh"
)

// standard are packages of the standard library that work outside of it: they
// need no assembly and no private link to the runtime, and their tests do not hand
// their types to packages that know the originals (io, image and unicode do) or
// write their path down (flag and go/doc/comment do).
var standard = []string{
	"container/list", "encoding/csv", "slices", "text/tabwriter",
	"bufio", "cmp", "compress/bzip2", "compress/flate", "compress/gzip", "compress/lzw", "compress/zlib",
	"container/heap", "container/ring", "database/sql/driver", "encoding/ascii85", "encoding/base32",
	"encoding/binary", "encoding/hex", "encoding/json", "encoding/pem", "encoding/xml",
	"go/build/constraint", "go/format", "go/printer", "html", "image/color", "image/png",
	"index/suffixarray", "maps", "math/bits", "math/cmplx", "mime", "mime/quotedprintable", "regexp",
	"regexp/syntax", "text/scanner", "text/template/parse", "unicode/utf16", "unicode/utf8",
}

// allStandard selects all of them. Else every third one is tested, which takes two minutes less.
var allStandard = flag.Bool("standard", false, "test all packages of the standard library that can be rewritten")

// notKept are tests of something that rewriting does not keep: how often code
// allocates. Longer functions are not inlined, and what was on the stack escapes.
var notKept = []string{"TestAllocationsDecode", "TestAppendAllocs", "TestConcat", "TestGrow",
	"TestLookupMallocs", "TestRuneCountNonASCIIAllocation"}

// internal are packages that only the standard library may import, and that tests
// there do: copied if "", else replaced by this.
var internal = map[string]string{
	"diff": "", "obscuretestdata": "", "txtar": "", "zstd": "",
	"asan": "package asan\n\nconst Enabled = false\n",
	"msan": "package msan\n\nconst Enabled = false\n",
	"race": "package race\n\nconst Enabled = false\n",
	"testenv": `package testenv

import (
	"os"
	"os/exec"
	"testing"
)

func Builder() string                    { return "" }
func OptimizationOff() bool              { return false }
func SkipIfOptimizationOff(testing.TB)   {}
func MustHaveExec(testing.TB)            {}
func MustHaveSource(testing.TB)          {}
func GoToolPath(testing.TB) string       { return "go" }
func Executable(testing.TB) string       { path, _ := os.Executable(); return path }
func Command(_ testing.TB, name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }
`,
}

// module is the path of the module that the packages are copied into.
const module = "standard.test"

// TestStandardPackagesPassTheirTests rewrites packages that were not written for
// us, and lets their own tests judge. A package is copied into a module of its own;
// its tests are not rewritten. They start goroutines, so the rewritten code asks
// for the tape of its goroutine.
func TestStandardPackagesPassTheirTests(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles rewritten packages and their tests")
	}
	dir, names := t.TempDir(), standard
	if !*allStandard {
		names = nil
		for i := 0; i < len(standard); i += 3 {
			names = append(names, standard[i])
		}
	}
	copyStandard(t, dir, names)
	all, err := load(t.Context(), goTool{dir: dir, messages: t.Output()}, loadScope{[]string{"./..."},
		func([]listedPackage) error { return nil },
		func(_ *Sources, p listedPackage) bool {
			return isBelow(p.ImportPath, module) && !isBelow(p.ImportPath, module+"/internal")
		}, false, false})
	if err != nil {
		t.Fatal(err)
	}
	weights := weighTests(t, all)
	count := testRewritten(t, all, "count", rewrite.Options{Mode: rewrite.Count, Weights: weights})
	trace := testRewritten(t, all, "trace", rewrite.Options{Mode: rewrite.Trace, Weights: weights, Headers: true})
	report(t, names, count, trace)
}

// weighTests weighs the packages in the programs that their own tests are compiled
// to, which use nearly all of their functions.
func weighTests(t *testing.T, s *Sources) map[string]map[int]int {
	t.Helper()
	dir := t.TempDir()
	list, err := overlay(s.split).write(dir, "exploded")
	if err != nil {
		t.Fatal(err)
	}
	programs := filepath.Join(dir, "programs") + string(filepath.Separator)
	_, err = s.tool.run(t.Context(), append([]string{"test", "-c", "-vet=off", readonly, "-overlay", list, "-o", programs}, s.paths()...)...)
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]map[int]int{}
	for _, p := range s.Packages {
		lines, err := weigh.Binary(programs+p.Name+".test", weigh.Source{Path: p.PkgPath, Files: p.Syntax, Fset: s.Fset})
		if err != nil {
			t.Fatalf("weighing %s: %v", p.PkgPath, err)
		}
		for file, of := range lines {
			weights[file] = of
		}
	}
	return weights
}

// copyStandard makes a module in dir of the packages, each under its own name.
func copyStandard(t *testing.T, dir string, names []string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), "module "+module+"\n\ngo 1.26.0\n\nrequire spoor v0.0.0\n\nreplace spoor => "+root+"\n")
	for _, name := range names {
		src := copyPackage(t, dir, name)
		for at := name; at != "."; at = filepath.Dir(at) { // tests read ../testdata, too
			link(t, filepath.Join(src, at, "testdata"), filepath.Join(dir, at, "testdata"))
		}
	}
	for name, text := range internal {
		if text == "" {
			copyPackage(t, dir, "internal/"+name)
		} else {
			write(t, filepath.Join(dir, "internal", name, name+".go"), text)
		}
	}
	link(t, filepath.Join(build.Default.GOROOT, "src/testdata"), filepath.Join(dir, "testdata"))
}

// copyPackage copies a package of the standard library with its tests, and returns
// the folder of the library. It and packages internal to the library are imported
// under their new names, all else is that of the library.
func copyPackage(t *testing.T, dir, name string) string {
	t.Helper()
	p, err := build.Import(name, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	paths := strings.NewReplacer(`"`+name+`"`, `"`+module+"/"+name+`"`, `"internal/`, `"`+module+"/internal/")
	for _, f := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
		write(t, filepath.Join(dir, name, f), paths.Replace(read(t, filepath.Join(p.Dir, f))))
	}
	return p.SrcRoot
}

// link makes the folder from, if there is one, known as to.
func link(t *testing.T, from, to string) {
	t.Helper()
	if _, err := os.Stat(from); err != nil {
		return
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(from, to); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
}

// testRewritten runs the tests of all packages in rewritten form, and returns
// "passed" or what went wrong, by package.
func testRewritten(t *testing.T, s *Sources, name string, o rewrite.Options) map[string]string {
	t.Helper()
	o.Goroutines = true
	changed, outcome := overlay{}, map[string]string{}
	for i, p := range s.Packages {
		result, err := s.Rewrite(i, o)
		if err != nil {
			outcome[p.PkgPath] = "rewriting: " + err.Error()
			continue
		}
		for file, text := range result.Files {
			changed[file] = text
		}
	}
	list, err := changed.write(t.TempDir(), name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"test", "-vet=off", "-short", readonly, "-overlay", list,
		"-skip", "^(" + strings.Join(notKept, "|") + ")$"}, s.paths()...)...)
	cmd.Dir = s.tool.dir
	out, _ := cmd.CombinedOutput() // failures are in the output
	for line := range strings.Lines(string(out)) {
		switch f := strings.Fields(line); {
		case len(f) > 1 && f[0] == "ok":
			outcome[f[1]] = "pass"
		case len(f) > 1 && f[0] == "FAIL" && isBelow(f[1], module):
			outcome[f[1]] = "fail"
		default:
			t.Logf("%s: %s", name, line)
		}
	}
	return outcome
}

// paths are those of the packages that are instrumented.
func (s *Sources) paths() (list []string) {
	for _, p := range s.Packages {
		list = append(list, p.PkgPath)
	}
	return list
}

// report prints what became of each package.
func report(t *testing.T, names []string, count, trace map[string]string) {
	t.Helper()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tcount\ttrace")
	passed := 0
	for _, name := range names {
		c, r := count[module+"/"+name], trace[module+"/"+name]
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, c, r)
		if c == "pass" && r == "pass" {
			passed++
		}
	}
	w.Flush()
	t.Logf("%d of %d packages pass their own tests in both forms, but for %s, which count allocations\n%s",
		passed, len(names), strings.Join(notKept, ", "), b.String())
	if passed < len(names) {
		t.Errorf("%d of %d packages do not pass their own tests", len(names)-passed, len(names))
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
