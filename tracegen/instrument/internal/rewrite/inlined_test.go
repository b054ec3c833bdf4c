package rewrite

import (
	"go/types"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"spoor/tracegen/instrument/internal/code"
)

var canInline = regexp.MustCompile(`(?m): can inline (\S+)$`)

// What counts nothing because the compiler inlines it is inlined.
func TestInlinedFunctionsAreInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the kernels")
	}
	const kernels = "spoor/tracegen/kernel/internal/"
	for _, path := range []string{kernels + "du2000", kernels + "falsafi1997", kernels + "meshes", kernels + "sivasubramaniam1995", "image", "go/ast", "text/template/parse"} {
		t.Run(path, func(t *testing.T) {
			out, err := exec.Command("go", "build", "-gcflags="+path+"=-m", path).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			can := map[string]bool{}
			for _, m := range canInline.FindAllStringSubmatch(string(out), -1) {
				can[m[1]] = true
			}
			inlined := code.Inlined(loaded(t, path))
			if len(inlined) < 10 {
				t.Errorf("only %d functions are inlined", len(inlined))
			}
			for fn := range inlined {
				if name := compilerName(fn); !can[name] {
					t.Errorf("%s is not inlined", name)
				}
			}
		})
	}
}

// compilerName is what messages of the compiler call a function.
func compilerName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	name := types.TypeString(recv.Type(), func(*types.Package) string { return "" })
	if strings.HasPrefix(name, "*") {
		name = "(" + name + ")"
	}
	return name + "." + fn.Name()
}

// What is not straight, or may be called in another way, counts for itself.
func TestNotInlined(t *testing.T) {
	const src = `package p

import "math"

type t struct{ x, y int }

func straight(a []int, i int) int { return a[i] + i }

func calls(a []int, v t) float64 { return math.Sqrt(float64(straight(a, v.x))) }

func (v *t) method() { v.x, v.y = v.y, v.x }

func branch(x int) int {
	if x > 0 {
		return 1
	}
	return 2
}

func and(x, y bool) bool { return x && y }

func value(x int) int { return x }

var f = value

func recursive(x int) int { return other(x) }

func other(x int) int { return recursive(x) }

func generic[T any](x T) T { return x }

//go:noinline
func directed(x int) int { return x }

func sine(x float64) float64 { return math.Sin(x) }

func fresh() *t { return &t{} }

func long(a []int) int {
	return a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] + a[8] + a[9] + a[10] +
		a[11] + a[12] + a[13] + a[14] + a[15] + a[16] + a[17] + a[18] + a[19] + a[20]
}

func init() { _ = f }
`
	want := map[string]bool{"straight": true, "calls": true, "(*t).method": true, "fresh": true}
	got := map[string]bool{}
	for fn := range code.Inlined(parsed(t, "p.go", src)) {
		got[compilerName(fn)] = true
	}
	for name, is := range want {
		t.Run(name, func(t *testing.T) {
			if got[name] != is {
				t.Errorf("%s is inlined: %t, want %t", name, got[name], is)
			}
			delete(got, name)
		})
	}
	for name := range got {
		t.Errorf("%s is taken for inlined", name)
	}
}
