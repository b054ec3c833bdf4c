package repository

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"spoor/traces/testsize"
)

// fileReferences are the files that each file of a package refers to, each with an identifier of the reference.
type fileReferences map[string]map[string]string

// The files of each command have an order: main.go, the commands, what they share. References run one way through it, so a reader
// of a file needs only files below it.
func TestFilesOfCommandsReferOneWay(t *testing.T) {
	commands := []string{"./traces", "./tracegen", "./analyze", "./calibrate", "./predict", "./pipelines"}
	commands = commands[:testsize.Cases(len(commands), 1)]
	loaded, err := packages.Load(&packages.Config{Dir: root, Mode: packages.LoadSyntax}, commands...)
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded) != len(commands) {
		t.Fatalf("loaded %d commands, want %d", len(loaded), len(commands))
	}
	for _, p := range loaded {
		t.Run(filepath.Base(p.PkgPath), func(t *testing.T) {
			for _, e := range p.Errors {
				t.Fatal(e)
			}
			refs := referencesOf(p)
			if len(refs["main.go"]) == 0 {
				t.Fatal("main.go refers to no other file")
			}
			if cycle := refs.cycle(); cycle != nil {
				t.Errorf("references between files run in a circle: %s; move what two of them share into a file below both", refs.describe(cycle))
			}
		})
	}
}

// referencesOf returns the references between the files of a package. A reference is a name of another file: a function, a type, a
// variable, a method or a field.
func referencesOf(p *packages.Package) fileReferences {
	fileOf := func(pos token.Pos) string { return filepath.Base(p.Fset.Position(pos).Filename) }
	refs := fileReferences{}
	for _, file := range p.Syntax {
		from := fileOf(file.Package)
		ast.Inspect(file, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if o := p.TypesInfo.Uses[name]; o != nil && o.Pkg() == p.Types && o.Pos().IsValid() && fileOf(o.Pos()) != from {
				refs.add(from, fileOf(o.Pos()), kindOf(o)+" "+o.Name())
			}
			return true
		})
	}
	return refs
}

// kindOf returns the word for an object.
func kindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.TypeName:
		return "type"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
	}
	return "value"
}

func (r fileReferences) add(from, to, by string) {
	if r[from] == nil {
		r[from] = map[string]string{}
	}
	if old, known := r[from][to]; !known || by < old {
		r[from][to] = by
	}
}

// cycle returns files of which each refers to the next, and the last to the first. It is nil if there are none.
func (r fileReferences) cycle() (files []string) {
	done := map[string]bool{}
	var path []string
	var visit func(file string) bool
	visit = func(file string) bool {
		if i := slices.Index(path, file); i >= 0 {
			files = slices.Clone(path[i:])
			return true
		}
		if done[file] {
			return false
		}
		path = append(path, file)
		if slices.ContainsFunc(slices.Sorted(maps.Keys(r[file])), visit) {
			return true
		}
		path = path[:len(path)-1]
		done[file] = true
		return false
	}
	if slices.ContainsFunc(slices.Sorted(maps.Keys(r)), visit) {
		return files
	}
	return nil
}

// describe lists the references of a cycle.
func (r fileReferences) describe(cycle []string) string {
	var out []string
	for i, from := range cycle {
		to := cycle[(i+1)%len(cycle)]
		out = append(out, from+" uses "+r[from][to]+" of "+to)
	}
	return strings.Join(out, ", ")
}

func TestCycleOfFiles(t *testing.T) {
	r := fileReferences{}
	r.add("main.go", "a.go", "function a")
	r.add("a.go", "b.go", "type b")
	r.add("main.go", "b.go", "type b")
	if cycle := r.cycle(); cycle != nil {
		t.Errorf("cycle %v where references run one way", cycle)
	}
	r.add("b.go", "a.go", "field x")
	if got := r.describe(r.cycle()); got != "a.go uses type b of b.go, b.go uses field x of a.go" {
		t.Errorf("got %q", got)
	}
}
