package weigh

import (
	"encoding/binary"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// instructions counts those of each function of the kernels in a binary.
func instructions(t *testing.T, b *bench, binary string) map[string]int {
	t.Helper()
	o, err := openObject(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer o.elf.Close()
	kernels := sourceIndex{}
	for _, p := range b.packages {
		kernels[prefixOf(p.PkgPath)] = []*sourceFile{}
	}
	functions, err := o.functions(kernels.contains)
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, f := range functions {
		n[f.name] += len(o.decode(f))
	}
	return n
}

func TestExplodedSourceCompilesToTheSameCode(t *testing.T) {
	b := newBench(t, t.TempDir())
	main := map[string]string{"run/main.go": b.program("", "", "", "")}
	want, got := instructions(t, b, b.build(t, "original", nil, main)), instructions(t, b, b.plain(t))
	if len(want) < 40 || !maps.Equal(got, want) {
		t.Errorf("exploded: %v\noriginal: %v", got, want)
	}
}

func TestWeightsDoNotDependOnPaths(t *testing.T) {
	b := newBench(t, t.TempDir())
	plain := b.weigh(t, b.plain(t), false)
	if again := b.weigh(t, filepath.Join(b.dir, "plain.bin"), false); !reflect.DeepEqual(again, plain) {
		t.Error("the same binary has other weights the second time")
	}
	if trimmed := b.weigh(t, b.plain(t, "-trimpath"), false); !reflect.DeepEqual(trimmed, plain) {
		t.Error("a binary built with -trimpath has other weights")
	}
}

// TestArm64 cannot compare with counts; it holds that a kernel takes about as many
// instructions as on x86-64, and that no jump table or loop escapes.
func TestArm64(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.environ = []string{"GOARCH=amd64"}
	x86 := b.weigh(t, b.plain(t), false)
	b.environ = []string{"GOARCH=arm64"}
	arm := b.weigh(t, b.plain(t), false)
	b.environ = nil
	want, got := b.tallied(t, x86), b.tallied(t, arm)
	for _, p := range b.packages {
		if r := got[p.Name] / want[p.Name]; !(r > 0.6 && r < 1.6) {
			t.Errorf("%s: %.0f instructions on arm64, %.0f on amd64", p.Name, got[p.Name], want[p.Name])
		}
	}
}

func TestBadBinaries(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.packages = b.packages[:1]
	good := b.plain(t)
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) string {
		name = filepath.Join(b.dir, name)
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const machineField = 18 // of an ELF header
	mips := append([]byte{}, whole...)
	binary.LittleEndian.PutUint16(mips[machineField:], 8)
	for _, c := range []struct{ binary, want string }{
		{b.plain(t, "-ldflags=-w"), "no debugging information"},
		{b.plain(t, "-ldflags=-s"), "no debugging information"},
		{write("mips", mips), "no disassembler for EM_MIPS"},
		{write("text", []byte("#!/bin/sh\n")), "not an ELF binary"},
		{write("half", whole[:len(whole)/2]), "reading "},
		{filepath.Join(b.dir, "missing"), "no such file"},
	} {
		t.Run(filepath.Base(c.binary), func(t *testing.T) {
			lines, err := Binary(c.binary)
			if err == nil || !strings.Contains(err.Error(), c.want) || lines != nil {
				t.Errorf("got %v, %v; want an error with %q", lines, err, c.want)
			}
		})
	}
}

func TestSymbolNames(t *testing.T) {
	for _, c := range []struct{ symbol, path string }{
		{"main.main", "main"},
		{"a.b/c%2ed.(*T).Method-fm", "a.b/c.d"},
		{"a/b.F[go.shape.struct { c/d.x int }].func1", "a/b"},
		{"a/b%22c.F", `a/b"c`},
	} {
		t.Run(c.path, func(t *testing.T) {
			if got := packageOf(c.symbol); got != prefixOf(c.path) {
				t.Errorf("%s is of %s, want %s", c.symbol, got, prefixOf(c.path))
			}
		})
	}
}

// TestLargePackages weighs packages of the standard library, as they are, in a
// program that uses them: thousands of functions of every shape.
func TestLargePackages(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs to weigh them")
	}
	b := &bench{dir: t.TempDir()}
	main := "package main\n\nimport (\n\t\"go/types\"\n\t\"math/big\"\n\t\"net/http\"\n)\n\nfunc main() {\n" +
		"\tprintln(types.Universe.String(), big.NewInt(1).String(), http.ListenAndServe(\"\", nil))\n}\n"
	binary := b.build(t, "large", nil, map[string]string{"run/main.go": main})
	var sources []Source
	for _, path := range []string{"go/types", "math/big", "net/http", "reflect", "regexp", "runtime", "strconv"} {
		p, err := build.Import(path, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		s := Source{Path: path, Fset: token.NewFileSet()}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(s.Fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			s.Files = append(s.Files, f)
		}
		sources = append(sources, s)
	}
	lines, err := Binary(binary, sources...)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for name, of := range lines {
		for line, n := range of {
			sum += n
			if line < 1 || n > 1<<18 || n < -1000 {
				t.Errorf("%s:%d weighs %d instructions", name, line, n)
			}
		}
	}
	if sum < 200_000 {
		t.Errorf("all lines weigh %d instructions, want hundreds of thousands", sum)
	}
	if again, err := Binary(binary, sources...); err != nil || !reflect.DeepEqual(again, lines) {
		t.Errorf("weights differ the second time, %v", err)
	}
}
