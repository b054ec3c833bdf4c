package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/store"
	"spoor/traces/symbols"
)

// library is what places.c loads.
const library = "long in_library;\nvoid store(void) { *(volatile long *)&in_library = 1; }\n"

// compileProgram compiles a program of C.
func compileProgram(t *testing.T, args ...string) {
	t.Helper()
	for _, tool := range []string{"qemu-x86_64", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// recordedPlaces records a program, after flags, and returns what it printed, its trace and the rows of its symbols.
func recordedPlaces(t *testing.T, prefix string, program ...string) (string, *store.Trace, []symbols.Row) {
	t.Helper()
	args := []string{"run", "-o", prefix}
	for strings.HasPrefix(program[0], "--") {
		args, program = append(args, program[0]), program[1:]
	}
	status, out, errs := tracegen(append(append(args, "--"), program...)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	trace, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return out, trace, placesOf(t, prefix, trace)
}

// placesOf returns the rows of the symbols of a trace.
func placesOf(t *testing.T, prefix string, of *store.Trace) (rows []symbols.Row) {
	t.Helper()
	f, err := symbols.Open(prefix, of)
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range f.Rows() {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, *r)
	}
	return rows
}

// having returns the rows of a kind that have an address.
func having(rows []symbols.Row, kind symbols.Kind, addr uint64) (found []symbols.Row) {
	for _, r := range rows {
		if r.Kind == kind && addr-r.Addr < r.Bytes {
			found = append(found, r)
		}
	}
	return found
}

// TestRunNamesPlaces: each place that the program prints has its name, size and line.
func TestRunNamesPlaces(t *testing.T) {
	source, err := filepath.Abs("testdata/places.c")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("library.c", []byte(library), 0o666); err != nil {
		t.Fatal(err)
	}
	compileProgram(t, "-g", "-O1", "-shared", "-fPIC", "-o", "library.so", "library.c")
	compileProgram(t, "-g", "-O1", "-pthread", "-o", "places", source)
	out, trace, rows := recordedPlaces(t, "x", "./places", "./library.so")
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		addr, _ := strconv.ParseUint(f[1], 0, 64)
		size, _ := strconv.ParseUint(f[2], 10, 64)
		if !named(having(rows, symbols.Kind(f[0]), addr), rows, addr, size, f[3]) {
			t.Errorf("%s: it has the rows %+v", strings.TrimSpace(line), having(rows, symbols.Kind(f[0]), addr))
		}
	}
	stores := map[string]int{}
	for b, err := range trace.Refs() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			for _, data := range having(rows, symbols.Global, b.Addr[i]) {
				for _, code := range having(rows, symbols.Code, b.PC[i]) {
					stores[data.Name+" by "+code.Module+" "+code.Name+":"+strconv.Itoa(int(code.Line))]++
				}
			}
		}
	}
	for place, n := range map[string]int{"counters by places add:19": 400, "padded by places add:19": 400, "in_library by library.so store:2": 1} {
		if stores[place] != n {
			t.Errorf("%s: %d references, not %d", place, stores[place], n)
		}
	}
	for member, at := range map[string]uint64{"n": 0, "part": 8} {
		found := false
		for _, r := range rows {
			found = found || r.Kind == symbols.Member && r.In == "counter" && r.Name == member && r.Addr == at
		}
		if !found {
			t.Errorf("type counter has no member %s", member)
		}
	}
}

// named reports whether one of the rows at an address is as the program says.
func named(at, all []symbols.Row, addr, size uint64, name string) bool {
	for _, r := range at {
		line := ""
		for _, code := range having(all, symbols.Code, r.Site) {
			line = strconv.Itoa(int(code.Line))
		}
		switch r.Kind {
		case symbols.Global:
			if r.Addr == addr && r.Bytes == size && r.Name == name {
				return true
			}
		case symbols.Stack:
			if strconv.Itoa(int(r.Begin.Proc)) == name {
				return true
			}
		default:
			if r.Addr == addr && r.Bytes == size && line == name {
				return true
			}
		}
	}
	return false
}

// TestRunSymbolsChangeNothing: a program does the same with and without symbols, which an option leaves out.
func TestRunSymbolsChangeNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	source := `#include <stdlib.h>
int main(void) {
	static char *kept[64];
	for (int i = 0; i < 5000; i++) { free(kept[i * 7 % 64]); kept[i * 7 % 64] = i % 3 ? malloc(i % 500) : calloc(i % 7, 9); }
	for (int i = 0; i < 64; i++) kept[i] = realloc(kept[i], 2000);
	return 0;
}
`
	if err := os.WriteFile("p.c", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	compileProgram(t, "-O1", "-o", "p", "p.c")
	_, with, rows := recordedPlaces(t, "with", "./p")
	if status, _, errs := tracegen("run", "--symbols=false", "-o", "without", "--", "./p"); status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	without, err := store.Open("without")
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	if a, b := with.Totals(0), without.Totals(0); a.Instr != b.Instr || a.Refs != b.Refs {
		t.Errorf("%+v with symbols, %+v without", a, b)
	}
	blocks := 0
	for _, r := range rows {
		if r.Kind == symbols.Heap && r.Begin.Instr > 0 {
			blocks++
		}
	}
	if want := 5000 + 64; blocks != want {
		t.Errorf("%d blocks of the heap, but the program allocates %d", blocks, want)
	}
	if files, _ := filepath.Glob("without.symbols*"); len(files) > 0 {
		t.Errorf("files %v", files)
	}
}

// TestRunLeavesOutStacks: with --stacks=false no thread has references to its own stack.
func TestRunLeavesOutStacks(t *testing.T) {
	source, err := filepath.Abs("testdata/places.c")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("library.c", []byte(library), 0o666); err != nil {
		t.Fatal(err)
	}
	compileProgram(t, "-g", "-O1", "-shared", "-fPIC", "-o", "library.so", "library.c")
	compileProgram(t, "-g", "-O1", "-pthread", "-o", "places", source)
	for _, stacks := range []string{"true", "false"} {
		_, trace, rows := recordedPlaces(t, "x", "--stacks="+stacks, "./places", "./library.so")
		own, all := 0, 0
		for b, err := range trace.Refs() {
			if err != nil {
				t.Fatal(err)
			}
			for _, addr := range b.Addr {
				all++
				for _, r := range having(rows, symbols.Stack, addr) {
					if r.Begin.Proc == b.Proc {
						own++
					}
				}
			}
		}
		if all == 0 || (own == 0) != (stacks == "false") || (trace.Header().Sample() == "") != (stacks == "true") {
			t.Errorf("--stacks=%s: %d of %d references are to stacks; sample %q", stacks, own, all, trace.Header().Sample())
		}
	}
}
