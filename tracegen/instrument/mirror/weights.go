package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// weightsFile lists the weights that the files were generated with.
const weightsFile = "weights.txt"

// weights are the machine instructions of the lines of a package.
type weights struct {
	compiler string
	byDecl   map[string]map[int]int // by declaration, and by line of its split source, from 1
}

// callerProgram is a program that makes the linker keep all kernels of a package.
const callerProgram = `package main

import (
	"context"

	kernels "%s"
	"spoor/tracegen/spmd"
)

func main() {
	for _, k := range kernels.All {
		_ = spmd.Native(context.Background(), 1, k.Make(nil, 1, 1).Program)
	}
}
`

// weigh counts the instructions of the package as compiled by the go command in PATH.
func (k *kernelPackage) weigh(ctx context.Context) (weights, error) {
	lines, err := k.Weigh(ctx, fmt.Appendf(nil, callerProgram, k.pkg.PkgPath))
	if err != nil {
		return weights{}, err
	}
	w := weights{byDecl: map[string]map[int]int{}}
	if w.compiler, err = compiler(k.pkg.Dir); err != nil {
		return weights{}, err
	}
	for d, name := range k.names() {
		file, from, to := k.lineRange(d)
		of := map[int]int{}
		for line := from; line <= to; line++ {
			if n := lines[file][line]; n != 0 {
				of[line-from+1] = n
			}
		}
		if len(of) > 0 {
			w.byDecl[name] = of
		}
	}
	return w, nil
}

// byLine returns the weights by file and line.
func (k *kernelPackage) byLine(w weights) (map[string]map[int]int, error) {
	all := map[string]map[int]int{}
	used := 0
	for d, name := range k.names() {
		of, ok := w.byDecl[name]
		if !ok {
			continue
		}
		used++
		file, from, to := k.lineRange(d)
		if all[file] == nil {
			all[file] = map[int]int{}
		}
		for line, n := range of {
			if line > to-from+1 {
				return nil, fmt.Errorf("%s has weights of %s line %d, which has %d lines", weightsFile, name, line, to-from+1)
			}
			all[file][from+line-1] = n
		}
	}
	if used < len(w.byDecl) {
		return nil, fmt.Errorf("%s has weights of declarations that are gone", weightsFile)
	}
	return all, nil
}

// lineRange returns the file and the split lines of a declaration.
func (k *kernelPackage) lineRange(d ast.Decl) (file string, from, to int) {
	at := k.Fset.PositionFor(d.Pos(), false)
	return at.Filename, at.Line, k.Fset.PositionFor(d.End(), false).Line
}

// names returns a unique name for each declaration that ranks can execute: "lu.go (*lu).factor".
func (k *kernelPackage) names() map[ast.Decl]string {
	names := map[ast.Decl]string{}
	for _, f := range k.pkg.Syntax {
		file := filepath.Base(k.Fset.PositionFor(f.Pos(), false).Filename)
		for _, d := range f.Decls {
			if k.reached[d] {
				names[d] = file + " " + nameOf(d)
			}
		}
	}
	return names
}

func nameOf(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return "(" + receiver(d.Recv.List[0].Type) + ")." + d.Name.Name
		}
		return d.Name.Name
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok && d.Tok == token.VAR {
			return v.Names[0].Name
		}
	}
	return "?"
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return "*" + receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// text returns the contents of the weights file.
func (w weights) text() []byte {
	var b bytes.Buffer
	b.WriteString("# Machine instructions of the lines of every function that ranks execute, each statement\n" +
		"# on a line of its own, counted from the function's first. Generated; see instrument/mirror.\n")
	fmt.Fprintf(&b, "compiler: %s\n", w.compiler)
	for _, name := range slices.Sorted(maps.Keys(w.byDecl)) {
		fmt.Fprintf(&b, "%s:", name)
		for _, line := range slices.Sorted(maps.Keys(w.byDecl[name])) {
			fmt.Fprintf(&b, " %d=%d", line, w.byDecl[name][line])
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// parseWeights reads the contents of a weights file.
func parseWeights(text []byte) (weights, error) {
	w := weights{byDecl: map[string]map[int]int{}}
	for line := range strings.Lines(string(text)) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case !ok:
			return w, fmt.Errorf("%s: %q has no colon", weightsFile, line)
		case name == "compiler":
			w.compiler = strings.TrimSpace(rest)
			continue
		}
		w.byDecl[name] = map[int]int{}
		for _, pair := range strings.Fields(rest) {
			at, n, _ := strings.Cut(pair, "=")
			i, err := strconv.Atoi(at)
			if err != nil {
				return w, fmt.Errorf("%s: %s: %w", weightsFile, name, err)
			}
			if w.byDecl[name][i], err = strconv.Atoi(n); err != nil {
				return w, fmt.Errorf("%s: %s: %w", weightsFile, name, err)
			}
		}
	}
	return w, nil
}
