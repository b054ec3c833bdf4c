package kernel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"spoor/tracegen/spmd"
)

func TestParametersOutOfRangeSayTheRange(t *testing.T) {
	for _, k := range All {
		for _, p := range k.Params {
			for _, v := range []int{p.Min - 1, p.Max + 1, math.MinInt, math.MaxInt} {
				_, err := k.Values(Values{p.Name: v})
				if err == nil || !strings.Contains(err.Error(), p.Range()) {
					t.Errorf("%s %s=%d: %v", k.Name, p.Name, v, err)
				}
			}
		}
		for _, procs := range []int{0, -1, spmd.MaxProcs + 1} {
			v, _ := k.Values(nil)
			if _, err := k.New(v, procs, 1); err == nil || !strings.Contains(err.Error(), "1 to 4096") {
				t.Errorf("%s on %d: %v", k.Name, procs, err)
			}
		}
	}
}

func TestEveryKernelIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range All {
		if k.Name == "" || k.Paper == "" || k.Doc == "" || len(k.Small) == 0 || seen[k.Name] || strings.ToLower(k.Name) != k.Name {
			t.Errorf("%q: name, paper and description must be there and the name be new and in lower case", k.Name)
		}
		seen[k.Name] = true
		if _, err := k.Values(k.Small); err != nil {
			t.Error(err)
		}
		for _, p := range k.Params {
			if p.Name == "" || p.Doc == "" || (p.Valid != nil && p.Constraint == "") {
				t.Errorf("%s: parameter %+v is incomplete", k.Name, p)
			}
		}
		if found, err := Find(All, k.Name); err != nil || found.Name != k.Name {
			t.Errorf("Find(%q): %v", k.Name, err)
		}
	}
	if _, err := Find(All, "radx"); err == nil || !strings.Contains(err.Error(), `did you mean "radix"`) {
		t.Error(err)
	}
}

// TestEveryKernelIsListed finds variables of type Kernel that All lacks.
func TestEveryKernelIsListed(t *testing.T) {
	files, err := filepath.Glob("internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_forms.go") {
			continue // copies
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		count += kernelsIn(file)
	}
	if count != len(All) {
		t.Errorf("%d kernels are defined, %d are listed in All", count, len(All))
	}
}

func kernelsIn(file *ast.File) (count int) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 {
			if lit, ok := spec.Values[0].(*ast.CompositeLit); ok && types.ExprString(lit.Type) == "workload.Kernel" {
				count++
			}
		}
		return true
	})
	return count
}
