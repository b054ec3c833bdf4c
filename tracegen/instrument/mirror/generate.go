package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument"
	"spoor/tracegen/instrument/internal/rewrite"
)

const spmdPath = "spoor/tracegen/spmd"

// kernelPackage is a package of kernels, loaded with one statement on each line.
type kernelPackage struct {
	*instrument.Sources
	pkg *packages.Package
	*reachability
}

func load(ctx context.Context, dir string) (*kernelPackage, error) {
	s, err := instrument.LoadPackage(ctx, dir, withoutForms, os.Stderr)
	if err != nil {
		return nil, err
	}
	p := s.Packages[0]
	return &kernelPackage{Sources: s, pkg: p, reachability: reachableDecls(p, spmdPath)}, nil
}

// form is a form of the kernels to generate.
type form struct {
	name string // prefix of the names of its declarations
	mode rewrite.Mode
}

var forms = []form{{"counted", rewrite.Count}, {"recorded", rewrite.Trace}}

// rename returns the name of a declaration in the form.
func (f form) rename(name string) string { return f.name + strings.ToUpper(name[:1]) + name[1:] }

// mirror generates the files, by name.
func (k *kernelPackage) mirror(w weights) (map[string][]byte, error) {
	lines, err := k.byLine(w)
	if err != nil {
		return nil, err
	}
	all := &declarations{imports: map[string]bool{}}
	for _, f := range forms {
		if err := k.inForm(all, f, lines); err != nil {
			return nil, err
		}
	}
	text, err := fileText(k.pkg.Name, all)
	return map[string][]byte{weightsFile: w.text(), formsFile: text}, err
}

// inForm adds the declarations of a form to all.
func (k *kernelPackage) inForm(all *declarations, f form, lines map[string]map[int]int) error {
	o := rewrite.Options{Mode: f.mode, Weights: lines, Skip: func(d ast.Decl) bool { return !k.reached[d] }}
	plain, err := k.rewrite(o)
	if err != nil {
		return err
	}
	copied, err := k.copied(plain)
	if err != nil {
		return err
	}
	o.Rename = func(o types.Object) string {
		if copied.declares(o) {
			return f.rename(o.Name())
		}
		return ""
	}
	result, err := k.rewrite(o)
	if err != nil {
		return err
	}
	for _, a := range k.pkg.Syntax {
		if err := all.extract(a, result[k.fileOf(a)], copied.found); err != nil {
			return err
		}
	}
	return nil
}

func (k *kernelPackage) rewrite(o rewrite.Options) (map[string][]byte, error) {
	result, err := k.Rewrite(0, o)
	if err != nil {
		return nil, err
	}
	if len(result.Findings) > 0 {
		return nil, fmt.Errorf("%s", result.Findings[0])
	}
	return result.Files, nil
}

func (k *kernelPackage) fileOf(f *ast.File) string { return k.Fset.File(f.FileStart).Name() }

// replaceFiles writes the files and removes older generated ones.
func replaceFiles(dir string, files map[string][]byte) error {
	old, err := filepath.Glob(filepath.Join(dir, "*_forms.go"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if files[filepath.Base(path)] == nil {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}

// compiler returns the compiler whose instructions are counted: "go1.26.8 amd64 v1".
func compiler(dir string) (string, error) {
	ask := func(names ...string) (string, error) {
		cmd := exec.Command("go", append([]string{"env"}, names...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		return strings.Join(strings.Fields(string(out)), " "), err
	}
	arch, err := ask("GOARCH")
	if err != nil {
		return "", err
	}
	return ask("GOVERSION", "GOARCH", "GO"+strings.ToUpper(arch))
}
