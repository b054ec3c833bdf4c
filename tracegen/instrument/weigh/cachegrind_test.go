package weigh

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A bench is a module of test kernels in a folder of its own, exploded.
type bench struct {
	dir     string
	kernels []string
	sources []Source
	lines   map[string][]int // counter of each line, by file
}

// newBench copies testdata/kernels; the module under dir/count counts, the one
// under dir/plain does not.
func newBench(t *testing.T, dir string) *bench {
	t.Helper()
	b := &bench{dir: dir, lines: map[string][]int{}}
	names, err := filepath.Glob("testdata/kernels/*")
	if err != nil {
		t.Fatal(err)
	}
	next := 1
	for _, name := range names {
		b.kernels = append(b.kernels, filepath.Base(name))
		b.add(t, name, &next)
	}
	main := "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"kernels/tally\"\n"
	for _, k := range b.kernels {
		main += fmt.Sprintf("\t%q\n", "kernels/"+k)
	}
	main += ")\n\nfunc main() {\n"
	for _, k := range b.kernels {
		main += fmt.Sprintf("\tfmt.Fprintln(os.Stderr, %q, %s.Run())\n", k, k)
	}
	main += "\ttally.Print()\n}\n"
	tally := fmt.Sprintf("package tally\n\nimport (\"encoding/json\"; \"os\")\n\nvar N [%d]uint64\n\nfunc Tick(k int) bool { N[k]++; return true }\n\nfunc Print() { json.NewEncoder(os.Stdout).Encode(N[:]) }\n", next)
	for _, m := range []string{"plain", "count"} {
		b.write(t, filepath.Join(m, "go.mod"), "module kernels\n\ngo 1.26\n")
		b.write(t, filepath.Join(m, "main.go"), main)
		b.write(t, filepath.Join(m, "tally", "tally.go"), tally)
	}
	return b
}

// add copies the package in dir into both modules.
func (b *bench) add(t *testing.T, dir string, next *int) {
	t.Helper()
	fset := token.NewFileSet()
	s := Source{Path: "kernels/" + filepath.Base(dir), Fset: fset}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src, err = Explode(name, src)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(filepath.Base(dir), filepath.Base(name))
		f, err := parser.ParseFile(fset, to, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.Files = append(s.Files, f)
		b.write(t, filepath.Join("plain", to), string(src))
		counting, lines := tallyFile(fset, f, src, next)
		b.lines[to] = lines
		b.write(t, filepath.Join("count", to), string(counting))
	}
	b.sources = append(b.sources, s)
}

func (b *bench) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// build builds a module and returns its binary.
func (b *bench) build(t *testing.T, module string, env ...string) string {
	t.Helper()
	out := filepath.Join(b.dir, module+".bin")
	cmd := exec.Command("go", "build", "-o", out, ".")
	cmd.Dir = filepath.Join(b.dir, module)
	cmd.Env = append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// counts runs the counting form and returns the counters.
func (b *bench) counts(t *testing.T) []uint64 {
	t.Helper()
	out, err := exec.Command(b.build(t, "count")).Output()
	if err != nil {
		t.Fatal(err)
	}
	var n []uint64
	if err := json.Unmarshal(out, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// predict sums weights times counts of each kernel.
func (b *bench) predict(lines Lines, n []uint64) map[string]float64 {
	sum := map[string]float64{}
	for file, weights := range lines {
		for line, w := range weights {
			sum[filepath.Dir(file)] += float64(w) * float64(n[b.lines[file][line]])
		}
	}
	return sum
}

// cachegrind runs a binary under valgrind and returns the instructions of the
// functions of each package of the module.
func cachegrind(t *testing.T, binary string) map[string]float64 {
	t.Helper()
	out := binary + ".cachegrind"
	cmd := exec.Command("valgrind", "--tool=cachegrind", "--cache-sim=no", "--vex-guest-chase=no", "--cachegrind-out-file="+out, binary)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	sum := map[string]float64{}
	name := ""
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		line := s.Text()
		if fn, ok := strings.CutPrefix(line, "fn="); ok {
			name = packageOf(fn)
			continue
		}
		if f := strings.Fields(line); name != "" && len(f) == 2 && line[0] >= '0' && line[0] <= '9' {
			ir, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum[name] += ir
		}
	}
	return sum
}

func TestWeightsAreCachegrinds(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed: the weights are not compared with its counts")
	}
	b := newBench(t, t.TempDir())
	plain := b.build(t, "plain")
	lines, err := Binary(plain, b.sources...)
	if err != nil {
		t.Fatal(err)
	}
	got := b.predict(lines, b.counts(t))
	want := cachegrind(t, plain)
	for _, k := range b.kernels {
		ratio := got[k] / want["kernels/"+k]
		t.Logf("%-10s %12.0f %12.0f %.4f", k, got[k], want["kernels/"+k], ratio)
		if math.Abs(ratio-1) > 0.01 || math.IsNaN(ratio) {
			t.Errorf("%s: predicted %.0f instructions, cachegrind counts %.0f: ratio %.4f", k, got[k], want["kernels/"+k], ratio)
		}
	}
}
