package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// module copies testdata into a module of its own, with the lists of forms of the
// real kernels and their package workload, and returns the folder of its package kernel.
func module(t *testing.T) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	text := "module example.com/mirrored\n\ngo 1.26.0\n\nrequire spoor v0.0.0\n\nreplace spoor => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	const kernels = "../../kernel/internal"
	if err := os.CopyFS(filepath.Join(dir, "workload"), os.DirFS(kernels+"/workload")); err != nil {
		t.Fatal(err)
	}
	forms := strings.NewReplacer("package du2000", "package kernel", "spoor/tracegen/kernel/internal/workload", "example.com/mirrored/workload").
		Replace(string(read(t, kernels+"/du2000/forms.go")))
	write(t, filepath.Join(dir, "kernel", "forms.go"), []byte(forms))
	return filepath.Join(dir, "kernel")
}

// differences are what is not current in the mirror of the package in dir. Weights
// are compared if the compiler is the one that they were made with.
func differences(t *testing.T, dir string) []string {
	t.Helper()
	k, err := load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	list := differencesOfCode(t, k, dir)
	w, err := parseWeights(read(t, filepath.Join(dir, weightsFile)))
	if err != nil {
		return list // which says so
	}
	if now, err := compiler(dir); err != nil {
		t.Fatal(err)
	} else if now != w.compiler {
		t.Logf("the compiler here is %s: the weights of %s are taken as they are", now, w.compiler)
	} else if fresh, err := k.weigh(t.Context()); err != nil {
		t.Fatal(err)
	} else if !reflect.DeepEqual(fresh, w) {
		list = append(list, weightsFile+" has other weights")
	}
	return list
}

// differencesOfCode are those that do not depend on the compiler: the weights on
// file and the source make the code on file.
func differencesOfCode(t *testing.T, k *kernelPackage, dir string) []string {
	t.Helper()
	w, err := parseWeights(read(t, filepath.Join(dir, weightsFile)))
	if err != nil {
		return []string{err.Error()}
	}
	files, err := k.mirror(w)
	if err != nil {
		return []string{err.Error()}
	}
	return otherFiles(t, dir, files)
}

func otherFiles(t *testing.T, dir string, files map[string][]byte) (list []string) {
	t.Helper()
	for name, text := range files {
		if !bytes.Equal(read(t, filepath.Join(dir, name)), text) {
			list = append(list, name+" is another")
		}
	}
	there, err := filepath.Glob(filepath.Join(dir, "*_forms.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if name := filepath.Base(path); files[name] == nil {
			list = append(list, name+" should not be there")
		}
	}
	slices.Sort(list)
	return list
}

// read is the text of a file, or nil if there is none.
func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A mirror that was just made is current, and making it again changes nothing;
// every kind of staleness is found.
func TestMirrorsAreHeldToTheirSource(t *testing.T) {
	if testing.Short() {
		t.Skip("generates kernels again")
	}
	dir := module(t)
	if err := regenerate(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if list := differences(t, dir); len(list) > 0 {
		t.Fatalf("just made: %q", list)
	}
	edit(t, dir, "scale.go", "x[i] *= f", "x[i] *= f + 0", func() {
		if list := differences(t, dir); !slices.Contains(list, "generated_forms.go is another") {
			t.Errorf("other source: %q", list)
		}
	})
	k, err := load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, old, new, want string }{
		{formsFile, "r.Barrier()", "", "generated_forms.go is another"},
		{weightsFile, "multiply: ", "multiply: 2=77 ", "generated_forms.go is another"},
		{weightsFile, "multiply", "divide", "declarations that are gone"},
		{weightsFile, "multiply: ", "multiply: 500=1 ", "multiply line 500"},
		{weightsFile, "multiply: ", "multiply: x=1 ", "invalid syntax"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.file, c.new), func(t *testing.T) {
			edit(t, dir, c.file, c.old, c.new, func() {
				if list := differencesOfCode(t, k, dir); !strings.Contains(strings.Join(list, "; "), c.want) {
					t.Errorf("%s with %q for %q: found %q, want %q", c.file, c.new, c.old, list, c.want)
				}
			})
		})
	}
	write(t, filepath.Join(dir, "gone_forms.go"), []byte("package kernel\n"))
	if list := differencesOfCode(t, k, dir); !slices.Equal(list, []string{"gone_forms.go should not be there"}) {
		t.Errorf("a file too many: %q", list)
	}
	if err := regenerate(t.Context(), dir); err != nil || len(differencesOfCode(t, k, dir)) > 0 {
		t.Errorf("made again: %v, %q", err, differencesOfCode(t, k, dir))
	}
}

// edit replaces old by new in a file while f runs.
func edit(t *testing.T, dir, file, old, new string, f func()) {
	t.Helper()
	path := filepath.Join(dir, file)
	before := read(t, path)
	if !bytes.Contains(before, []byte(old)) {
		t.Fatalf("%s has no %q", file, old)
	}
	write(t, path, bytes.Replace(before, []byte(old), []byte(new), 1))
	f()
	write(t, path, before)
}

// With another compiler the weights on file stay, and all else is still checked.
func TestAnotherCompiler(t *testing.T) {
	if testing.Short() {
		t.Skip("generates kernels again")
	}
	dir := module(t)
	k, err := load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := k.weigh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.compiler = "go9.9.9 mips"
	for line := range w.byDecl["scale.go multiply"] {
		w.byDecl["scale.go multiply"][line] += 3
	}
	files, err := k.mirror(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := replaceFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	if list := differences(t, dir); len(list) > 0 {
		t.Errorf("differences %q", list)
	}
	counted := filepath.Join(dir, formsFile)
	text, err := os.ReadFile(counted)
	if err != nil {
		t.Fatal(err)
	}
	write(t, counted, append(text, "\n// changed\n"...))
	if list := differences(t, dir); len(list) != 1 {
		t.Errorf("differences %q, want one", list)
	}
}

func TestWeightsAreReadAsWritten(t *testing.T) {
	w := weights{"go1.26 amd64 v1", map[string]map[int]int{"a.go f": {1: 2, 30: -4}, "b.go (*x).g": {7: 1}}}
	got, err := parseWeights(w.text())
	if err != nil || !reflect.DeepEqual(got, w) {
		t.Errorf("%v: %+v", err, got)
	}
}

// What ranks can execute is instrumented, by whatever way they come to it; what
// only runs before and after them is not.
func TestReach(t *testing.T) {
	k, err := load(t.Context(), module(t))
	if err != nil {
		t.Fatal(err)
	}
	var reached, not []string
	for _, f := range k.pkg.Syntax {
		for _, d := range f.Decls {
			if name := nameOf(d); name == "?" {
				continue
			} else if k.reached[d] {
				reached = append(reached, name)
			} else if _, ok := d.(*ast.FuncDecl); ok {
				not = append(not, name)
			}
		}
	}
	if want := []string{"(twice).factor", "factors", "scaleOf", "(*scale).Program", "multiply"}; !slices.Equal(reached, want) {
		t.Errorf("reached %q, want %q", reached, want)
	}
	if want := []string{"newScale", "(*scale).Verify", "(*scale).Digest", "(*scale).Counts"}; !slices.Equal(not, want) {
		t.Errorf("not reached %q, want %q", not, want)
	}
}

// A form has copies of what ranks execute and of what leads them there through
// fields and interfaces. It shares all other declarations.
func TestFormsShareWhatRanksDoNotReach(t *testing.T) {
	if testing.Short() {
		t.Skip("generates the forms of a module again")
	}
	dir := module(t)
	if err := regenerate(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	text := string(read(t, filepath.Join(dir, formsFile)))
	for _, want := range []string{
		"func (s *scale) recordedProgram(r *spmd.Rank) error {", "//go:noinline\nfunc countedMultiply(", "s.step = countedMultiply",
		"s.rule.(interface{ recordedFactor() float64 }).recordedFactor()", "func (twice) recordedFactor() float64 {", " recordedNewScale,",
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		})
	}
	for _, shared := range []string{"type ", "factors =", ") Verify(", ") Digest(", ") Counts(", "each"} {
		t.Run(shared, func(t *testing.T) {
			if strings.Contains(text, shared) {
				t.Errorf("%q in\n%s", shared, text)
			}
		})
	}
}

// The three forms compute the same; what counts and what records agree about
// instructions.
func TestFormsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	dir := module(t)
	if err := regenerate(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "./compare")
	cmd.Dir, cmd.Stderr = filepath.Dir(dir), t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var digests [3]string
	var instr, refs [3]uint64
	for i := range digests {
		line, rest, _ := strings.Cut(string(out), "\n")
		if _, err := fmt.Sscan(line, &digests[i], &instr[i], &refs[i]); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		out = []byte(rest)
	}
	if digests[0] != digests[1] || digests[0] != digests[2] {
		t.Errorf("results %v", digests)
	}
	if instr[0] != 0 || instr[1] == 0 || instr[1] != instr[2] {
		t.Errorf("instructions %v", instr)
	}
	if refs[0] != 0 || refs[1] != 0 || refs[2] < 2*64 {
		t.Errorf("references %v", refs)
	}
}
