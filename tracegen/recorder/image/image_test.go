package image

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compiled compiles shapes.cc.
func compiled(t *testing.T, flags ...string) string {
	t.Helper()
	for _, tool := range []string{"g++", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	program := filepath.Join(t.TempDir(), "shapes")
	run(t, "g++", append(flags, "-O1", "-o", program, "testdata/shapes.cc")...)
	return program
}

func run(t *testing.T, command string, args ...string) {
	t.Helper()
	if out, err := exec.Command(command, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// instructions returns every address of the functions whose names have a text in them.
func (f *File) instructions(text string) (pcs []uint64) {
	for _, s := range f.funcs {
		if strings.Contains(s.name, text) {
			for pc := s.addr; pc < s.addr+s.size; pc++ {
				pcs = append(pcs, pc)
			}
		}
	}
	return pcs
}

// line returns the number of the line of shapes.cc with a text.
func line(t *testing.T, text string) int {
	t.Helper()
	source, err := os.ReadFile("testdata/shapes.cc")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(source), text)
	return strings.Count(before, "\n") + 1
}

func TestPlaces(t *testing.T) {
	for _, flags := range [][]string{{"-g"}, {"-g", "-gdwarf-4", "-no-pie"}} {
		f := open(t, compiled(t, flags...))
		own, inlined := 0, 0
		for _, p := range f.Places(f.instructions("5total")) {
			switch {
			case filepath.Base(p.File) != "shapes.cc":
			case p.Function == "shop::total(int)" && p.In == "" && p.Line >= line(t, "shop::total")-9:
				own++
			case p.Function == "shop::twice(int)" && p.In == "shop::total(int)" && p.Line == line(t, "// inlined") && p.InLine == line(t, "// calls it"):
				inlined++
			default:
				t.Errorf("%v: an instruction is at %+v", flags, p)
			}
		}
		if own == 0 || inlined == 0 {
			t.Errorf("%v: %d bytes of instructions of total, %d of twice", flags, own, inlined)
		}
	}
}

// debuggingFiles: a stripped program has its names from the file that its debuglink or build id names.
func debuggingFiles(t *testing.T, program string) {
	pcs := open(t, program).instructions("5total")
	run(t, "objcopy", "--only-keep-debug", program, program+".debug")
	run(t, "objcopy", "--strip-all", "--add-gnu-debuglink="+program+".debug", program)
	places := open(t, program).Places(pcs)
	if p := places[0]; p.Function != "shop::total(int)" || filepath.Base(p.File) != "shapes.cc" {
		t.Errorf("with its debugging file it begins at %+v", p)
	}
	if err := os.Remove(program + ".debug"); err != nil {
		t.Fatal(err)
	}
	if p := open(t, program).Places(pcs)[0]; p != (Place{}) {
		t.Errorf("without any names it begins at %+v", p)
	}
}

// TestFortran: variables of modules, whose arrays begin with element 1.
func TestFortran(t *testing.T) {
	if _, err := exec.LookPath("gfortran"); err != nil {
		t.Skip("gfortran is not installed")
	}
	program := filepath.Join(t.TempDir(), "grid")
	run(t, "gfortran", "-g", "-J", filepath.Dir(program), "-o", program, "testdata/grid.f90")
	f := open(t, program)
	all, _ := f.Variables(func(from, to uint64) bool { return true })
	found := map[string]Variable{}
	for _, v := range all {
		found[v.Name] = v
	}
	if v := found["grid::cells"]; v.Bytes != 320 || v.Count != 40 || v.Line != 2 {
		t.Errorf("cells: %+v", v)
	}
	if v := found["grid::steps"]; v.Bytes != 4 || v.Count != 1 || v.Line != 3 {
		t.Errorf("steps: %+v", v)
	}
	if p := f.Places(f.instructions("advance"))[0]; p.Function != "grid::advance" || p.Line != 5 {
		t.Errorf("advance: %+v", p)
	}
}

func TestOneProgram(t *testing.T) {
	program := compiled(t, "-g")
	t.Run("variables", func(t *testing.T) { variablesOf(t, open(t, program)) })
	t.Run("damaged", func(t *testing.T) { damaged(t, program) })
	t.Run("debugging files", func(t *testing.T) { debuggingFiles(t, program) })
}

func variablesOf(t *testing.T, f *File) {
	all, members := f.Variables(func(from, to uint64) bool { return true })
	found := map[string]Variable{}
	for i, v := range all {
		found[v.Name] = v
		if i > 0 && v.Addr < all[i-1].Addr+all[i-1].Bytes {
			t.Errorf("%+v and %+v overlap", all[i-1], v)
		}
	}
	for name, want := range map[string]Variable{
		"shop::items":             {Bytes: 4 * 40, Type: "item", Count: 4, Line: line(t, "item items")},
		"shop::sold":              {Bytes: 4, Type: "unsigned int", Count: 1, Line: line(t, "unsigned sold")},
		"shop::total(int)::calls": {Bytes: 8, Type: "long int", Count: 1, Line: line(t, "long calls")},
	} {
		got := found[name]
		got.Addr, got.Name, got.File = 0, "", ""
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	want := map[Member]bool{
		{"price", 0, 4, "euros", "int", 1}: true, {"price", 4, 4, "cents", "short int", 2}: true, {"item", 0, 8, "now", "price", 1}: true,
		{"item", 8, 24, "weights", "double", 3}: true, {"item", 32, 8, "next", "*item", 1}: true,
	}
	for _, m := range members {
		delete(want, m)
	}
	if len(want) > 0 {
		t.Errorf("no members %v", want)
	}
	if all, _ := f.Variables(func(from, to uint64) bool { return false }); len(all) > 0 {
		t.Errorf("%d variables that are not wanted", len(all))
	}
}

// damaged: a damaged file gives fewer names, or an error.
func damaged(t *testing.T, program string) {
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pcs := open(t, program).instructions("5total")
	for _, s := range file.Sections {
		if s.Type == elf.SHT_NOBITS || s.Size == 0 {
			continue
		}
		bad := append([]byte(nil), data...)
		for i := s.Offset; i < s.Offset+s.FileSize; i += 3 {
			bad[i] ^= byte(i*7 + 1)
		}
		if err := os.WriteFile(program+".bad", bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err := Open(program + ".bad"); err == nil {
			f.Places(pcs)
			f.Variables(func(from, to uint64) bool { return true })
			f.Close()
		}
	}
	if err := os.WriteFile(program+".bad", []byte("no program"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(program + ".bad"); err == nil || IsELF(err) {
		t.Errorf("a text: %v", err)
	}
}
