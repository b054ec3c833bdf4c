package repository

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is which stages may import which; every stage may import itself.
var mayImport = map[string][]string{
	"traces":    {},
	"tracegen":  {"traces"},
	"analyze":   {"traces"},
	"calibrate": {"traces", "analyze"},
	"predict":   {"traces", "analyze", "calibrate"},
	"pipelines": {"traces"}, // unseen/random writes traces
}

// mayImportTracegen are the packages of predict that run programs themselves.
var mayImportTracegen = []string{"spoor/predict", "spoor/predict/internal/direct", "spoor/predict/direct/session"}

// banned are package names that say nothing about what is inside.
var banned = []string{"util", "utils", "common", "pkg", "cmd", "types", "helpers", "misc"}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range goList(t) {
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if err := checkImport(p.ImportPath, imported); err != nil {
				t.Error(err)
			}
		}
		for _, element := range strings.Split(p.ImportPath, "/") {
			if slices.Contains(banned, element) {
				t.Errorf("package %s: the name %s says nothing", p.ImportPath, element)
			}
		}
	}
}

// checkImport says whether a package of this module may import another package.
func checkImport(from, to string) error {
	stage := stageOf(from)
	allowed, known := mayImport[stage]
	if !known {
		return fmt.Errorf("package %s is in none of the stages' folders", from)
	}
	if to != "spoor" && !strings.HasPrefix(to, "spoor/") || stageOf(to) == stage || slices.Contains(allowed, stageOf(to)) {
		return nil
	}
	if stageOf(to) == "tracegen" && slices.Contains(mayImportTracegen, from) {
		return nil
	}
	return fmt.Errorf("%s must not import %s", from, to)
}

// stageOf is the top-level folder of a package of this module.
func stageOf(path string) string {
	stage, _, _ := strings.Cut(strings.TrimPrefix(path, "spoor/"), "/")
	return stage
}

// The rule itself, on imports that it must and must not allow.
func TestCheckImport(t *testing.T) {
	for _, row := range []struct {
		from, to string
		ok       bool
	}{
		{"spoor/predict/internal/report", "spoor/traces/store", true},
		{"spoor/predict/internal/report", "spoor/calibrate/param", true},
		{"spoor/predict/internal/report", "spoor/predict/internal/model", true},
		{"spoor/predict/internal/direct", "spoor/tracegen/spmd", true},
		{"spoor/predict", "spoor/tracegen/kernel", true},
		{"spoor/traces/store", "fmt", true},
		{"spoor/predict/internal/replay", "spoor/tracegen/spmd", false},
		{"spoor/traces/trace", "spoor/analyze/reuse", false},
		{"spoor/analyze/locality", "spoor/calibrate/param", false},
		{"spoor/calibrate", "spoor/tracegen/spmd", false},
		{"spoor/tracegen/kernel", "spoor/analyze/reuse", false},
		{"spoor/tools", "fmt", false},
	} {
		t.Run(fmt.Sprintf("%v %v", row.from, row.to), func(t *testing.T) {
			if err := checkImport(row.from, row.to); (err == nil) != row.ok {
				t.Errorf("%s importing %s: %v", row.from, row.to, err)
			}
		})
	}
}

func goList(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < len(mayImport) {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	return packages
}

// The top-level folders are part of the design: stages, pipelines, data, docs, and nothing else.
func TestTopLevelFolders(t *testing.T) {
	allowed := []string{"traces", "tracegen", "analyze", "calibrate", "predict", "pipelines", "data", "docs", "bin"}
	entries, err := readDirNames(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range entries {
		if !strings.HasPrefix(name, ".") && !slices.Contains(allowed, name) {
			t.Errorf("unexpected folder %s at the top", name)
		}
	}
}
