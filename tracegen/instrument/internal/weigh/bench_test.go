package weigh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument/internal/code"
	"spoor/tracegen/instrument/internal/rewrite"
)

// A bench is the kernels of testdata, exploded and type-checked, and programs that
// run all of them: plain, or in a form that counts.
type bench struct {
	dir      string   // for overlays and binaries
	environ  []string // of the go command
	fset     *token.FileSet
	packages []*packages.Package    // in the order in which programs run them
	src      map[string][]byte      // exploded, by file
	inlined  []map[*types.Func]bool // of each package, the functions that rewriting leaves alone
}

// here is the import path of this package.
const here = "spoor/tracegen/instrument/internal/weigh"

func newBench(t testing.TB, dir string) *bench {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles programs to weigh them")
	}
	b := &bench{dir: dir, fset: token.NewFileSet(), src: map[string][]byte{}}
	files, err := filepath.Glob("testdata/kernels/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name, err = filepath.Abs(name); err != nil {
			t.Fatal(err)
		}
		if b.src[name], err = SplitStatements(name, src); err != nil {
			t.Fatal(err)
		}
	}
	mode := packages.LoadSyntax | packages.NeedCompiledGoFiles
	b.packages, err = packages.Load(&packages.Config{Mode: mode, Fset: b.fset, Overlay: b.src}, "./testdata/kernels/...")
	if err != nil || packages.PrintErrors(b.packages) > 0 {
		t.Fatalf("kernels cannot be loaded: %v", err)
	}
	for _, p := range b.packages {
		b.inlined = append(b.inlined, code.Inlined(b.forRewriting(p)))
	}
	return b
}

// weigh returns the weights of a program: for rewritten code, which counts nothing in
// some functions, or for tallied code.
func (b *bench) weigh(t testing.TB, binary string, rewritten bool) Lines {
	t.Helper()
	var sources []Source
	for i, p := range b.packages {
		s := Source{Path: p.PkgPath, Files: p.Syntax, Fset: b.fset}
		if rewritten {
			s.Inlined = func(d *ast.FuncDecl) bool {
				fn, _ := p.TypesInfo.Defs[d.Name].(*types.Func)
				return b.inlined[i][fn]
			}
		}
		sources = append(sources, s)
	}
	weights, err := Binary(binary, sources...)
	if err != nil {
		t.Fatal(err)
	}
	return weights
}

func (b *bench) forRewriting(p *packages.Package) *code.Package {
	return &code.Package{Fset: b.fset, Files: p.Syntax, Src: b.src, Types: p.Types, Info: p.TypesInfo}
}

// program is the main function that runs all kernels: after each, it does what
// after says, which may use the name of the kernel, and at the end what end says.
func (b *bench) program(imports, before, after, end string) string {
	var s strings.Builder
	s.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n" + imports)
	for _, p := range b.packages {
		fmt.Fprintf(&s, "\t%q\n", p.PkgPath)
	}
	s.WriteString(")\n\nfunc main() {\n")
	for _, p := range b.packages {
		fmt.Fprintf(&s, "\t{ %s; fmt.Fprintln(os.Stderr, %q, %s.Run()); %s }\n", before, p.Name, p.Name, strings.ReplaceAll(after, "NAME", p.Name))
	}
	return s.String() + end + "}\n"
}

// build builds a program of so changed files, and of others that are not there, by
// their paths below testdata.
func (b *bench) build(t testing.TB, name string, changed map[string][]byte, added map[string]string, flags ...string) string {
	t.Helper()
	replace := map[string]string{}
	put := func(file string, text []byte) {
		to := filepath.Join(b.dir, name, filepath.Base(filepath.Dir(file)), "new_"+filepath.Base(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[file] = to
	}
	for file, text := range changed {
		put(file, text)
	}
	root, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range added {
		put(filepath.Join(root, file), []byte(text))
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay, binary := filepath.Join(b.dir, name+".json"), filepath.Join(b.dir, name+".bin")
	if err := os.WriteFile(overlay, list, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"build", "-overlay", overlay, "-o", binary}, append(flags, here+"/testdata/run")...)...)
	cmd.Env = append(os.Environ(), b.environ...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return binary
}

// plain builds the program that does not count.
func (b *bench) plain(t testing.TB, flags ...string) string {
	t.Helper()
	return b.build(t, "plain", b.src, map[string]string{"run/main.go": b.program("", "", "", "")}, flags...)
}

// run runs a program and returns what it prints, parsed as JSON into v.
func run(t testing.TB, binary string, v any) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(binary)
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), v); err != nil {
		t.Fatal(err)
	}
}

// tallied returns the instructions of each kernel: the sum of weights times how
// often the lines are executed by a tallied run.
func (b *bench) tallied(t testing.TB, weights Lines) map[string]float64 {
	t.Helper()
	changed, lines := map[string][]byte{}, map[string][]int{}
	next := 1
	for _, p := range b.packages {
		for _, f := range p.Syntax {
			name := b.fset.File(f.FileStart).Name()
			changed[name], lines[name] = tallyFile(b.fset, f, b.src[name], &next)
		}
	}
	tally := fmt.Sprintf("package tally\n\nvar N [%d]uint64\n\nfunc Tick(k int) bool { N[k]++; return true }\n", next)
	main := b.program("\t\"encoding/json\"\n\t\""+here+"/testdata/tally\"\n", "", "", "\tjson.NewEncoder(os.Stdout).Encode(tally.N[:])\n")
	var n []uint64
	run(t, b.build(t, "tallied", changed, map[string]string{"run/main.go": main, "tally/tally.go": tally}), &n)
	sum := map[string]float64{}
	for file, of := range weights {
		for line, w := range of {
			sum[path.Base(filepath.Dir(file))] += float64(w) * float64(n[lines[file][line]])
		}
	}
	return sum
}

// counted returns the instructions that each kernel counts when it is rewritten.
func (b *bench) counted(t testing.TB, weights Lines) map[string]float64 {
	t.Helper()
	changed := map[string][]byte{}
	for _, p := range b.packages {
		r, err := rewrite.Rewrite(b.forRewriting(p), rewrite.Options{Mode: rewrite.Count, Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range r.Files {
			changed[name] = text
		}
	}
	main := b.program("\t\"encoding/json\"\n\t\"spoor/tracegen/tape\"\n", "n := tape.Cur().N", "all[\"NAME\"] = tape.Cur().N - n", "\tjson.NewEncoder(os.Stdout).Encode(all)\n")
	main = strings.Replace(main, "func main() {", "func main() {\n\tall := map[string]uint64{}", 1)
	sum := map[string]float64{}
	run(t, b.build(t, "counted", changed, map[string]string{"run/main.go": main}), &sum)
	return sum
}
