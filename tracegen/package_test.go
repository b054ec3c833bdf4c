package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// folder of a program of instrument/testdata, as an absolute path.
func ownProgram(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("instrument", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// elsewhere makes an empty folder the current one, and another the one of temporary
// files, which must be empty when the test has ended.
func elsewhere(t *testing.T) {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Chdir(t.TempDir())
	t.Cleanup(func() {
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("temporary files left behind: %v, %v", left, err)
		}
	})
}

func TestPackageFlags(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	heat, ways := ownProgram(t, "heat"), ownProgram(t, "ways")
	elsewhere(t)
	for _, c := range []struct {
		args   []string
		status int
		want   string // in standard error
	}{
		{[]string{"--package", heat}, stage.WrongUsage, "give -o PREFIX to record, or --native"},
		{[]string{"--package", "", "-o", "x"}, stage.WrongUsage, "--package is empty"},
		{[]string{"--package", heat, "-o", "x", "extra"}, stage.WrongUsage, `unexpected "extra"; arguments of the program follow --`},
		{[]string{"--package", heat, "-o", "x", "--procs", "0"}, stage.WrongUsage, "procs=0 is out of range; 1 to 4096"},
		{[]string{"--package", heat, "-o", "x", "--seed", "-1"}, stage.WrongUsage, "seed"},
		{[]string{"--package", heat, "-o", "x", "--native"}, stage.WrongUsage, "--native records nothing"},
		{[]string{"--package", heat, "--headers", "--native"}, stage.WrongUsage, "--native records nothing"},
		{[]string{"--package", heat, "-o", "x", "--refs=false", "--headers"}, stage.WrongUsage, "--refs=false"},
		{[]string{"--package", heat, "--set", "n=3", "-o", "x"}, stage.WrongUsage, "--set is for the programs of the list"},
		{[]string{"-o", "x"}, stage.WrongUsage, "--output needs the name of a program or --package DIR"},
		{[]string{"--procs", "2"}, stage.WrongUsage, "--procs needs"},
		{[]string{"--package", heat, "-o", "missing/x"}, stage.Failed, "missing/x"},
		{[]string{"--package", "nowhere", "-o", "x"}, stage.Failed, "nowhere"},
		{[]string{"--package", heat + "/main.go", "--native"}, stage.Failed, "heat/main.go is a file; give its folder: " + heat + "\n"},
		{[]string{"--package", ways, "-o", "x", "-q", "--", "silent"}, stage.Failed, "recording ways: the program ended without calling spmd.Main"},
		{[]string{"--package", ways, "-o", "x", "-q", "--procs", "2", "--", "late"}, stage.Failed, "recording ways: the program ended with exit status 4"},
	} {
		t.Run(fmt.Sprint(c.args), func(t *testing.T) {
			status, _, errs := tracegen(c.args...)
			if status != c.status || !strings.Contains(errs, c.want) {
				t.Errorf("tracegen %s: status %d, want %d; %q does not say %q", c.args, status, c.status, errs, c.want)
			}
		})
	}
	noFiles(t)
}

// The recording of a program of a user's own: what it prints is as ever, and the
// files say what they are of.
func TestPackageIsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	heat := ownProgram(t, "heat")
	elsewhere(t)
	status, native, errs := tracegen("--package", heat, "--procs", "4", "--native", "--", "-size", "32", "-steps", "2")
	if status != stage.Done || !strings.HasPrefix(native, "heat after 2 steps: ") || !strings.Contains(native, "\nheat args=-size 32 -steps 2 procs=4: ") || !strings.HasSuffix(native, " s\n") || errs != "" {
		t.Fatalf("status %d: %q, %q", status, native, errs)
	}
	noFiles(t)
	status, out, errs := tracegen("--package", heat, "--procs", "4", "--seed", "5", "-o", "x", "--", "-size", "32", "-steps", "2")
	if status != stage.Done || !strings.HasPrefix(native, out) || strings.Count(native, "\n") != strings.Count(out, "\n")+1 {
		t.Fatalf("status %d: %q, want %q; %s", status, out, native, errs)
	}
	x, err := store.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	h := x.Header()
	if h.Title() != "heat args=-size 32 -steps 2" || h.Procs != 4 || h.Seed != 5 || len(h.Regions) != 8 ||
		len(h.Notes) != 2 || !strings.HasPrefix(h.Notes[0], "about ") || !strings.Contains(h.Notes[0], "those of the runtime, and of errors, ") || h.Unrecorded.Instr == 0 || h.Unrecorded.Refs == 0 ||
		!strings.Contains(h.Notes[1], " % of all) are not recorded: their memory has no name, as on the stack or allocated by the runtime, by reflect or before spmd.Main (see --unplaced)") { // its flags
		t.Errorf("header %+v", h)
	}
	// Rows 0 and 31 have one neighbour; 30 columns of each of 32 rows are 4 loads and a store.
	for p := range trace.Proc(4) {
		if refs, least := x.Totals(p).Refs, uint64(2*8*30*5); refs < least || refs > least+least/2 {
			t.Errorf("processor %d: %d references, of which %d are the stencil's", p, refs, least)
		}
	}
}

func TestPackageGivesTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	heat := ownProgram(t, "heat")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []byte
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		elsewhere(t)
		t.Setenv("GOMAXPROCS", "")
		if status, _, errs := tracegen("--package", heat, "--procs", "3", "-o", "x", "-q", "--", "-size", "24"); status != stage.Done {
			t.Fatal(errs)
		}
		got := bothFiles(t)
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Errorf("other bytes at GOMAXPROCS=%d", procs)
		}
	}
}

func TestPackageInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	ways := ownProgram(t, "ways")
	elsewhere(t)
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 3 * time.Second} {
		t.Run(fmt.Sprint(after), func(t *testing.T) { // listing, building, running
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(after, cancel)
			o := packageOptions{dir: ways, procs: 2, prefix: "x", refs: true, args: []string{"long"}}
			var out, errs bytes.Buffer
			err := o.run(ctx, &stage.Env{In: strings.NewReader(""), Out: &out, Err: &errs})
			if err == nil || ctx.Err() == nil {
				t.Errorf("interrupted after %v: %v, %v", after, err, ctx.Err())
			}
			noFiles(t)
		})
	}
}

// What is not recorded is said where the user and the readers of the trace see it.
func TestUnrecordedConstructsAreNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	elsewhere(t)
	for _, c := range []struct{ code, want string }{
		{"for range map[int]int{r.ID(): 1} {\n}", "not recorded: main.go:7: "},
		{"done := make(chan int)\ngo func() { done <- 1 }()\n<-done", "not recorded: main.go:8: a goroutine and all that it executes"},
	} {
		dir := ownModule(t, "package main\n\nimport \"spoor/tracegen/spmd\"\n\nfunc main() {\nspmd.Main(func(r *spmd.Rank) error {\n"+c.code+"\nreturn nil\n})\n}\n")
		status, _, errs := tracegen("--package", dir, "-o", "x")
		if status != stage.Done || !strings.Contains(errs, c.want) {
			t.Errorf("status %d: %s", status, errs)
		}
		x, err := store.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if notes := x.Header().Notes; len(notes) != 2 || !strings.Contains(notes[0], c.want) {
			t.Errorf("notes %q", notes)
		}
	}
}

// The program of this folder's page is that of its example. It runs on several ranks, natively and recorded.
func TestProgramOfThePageIsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```go\n")
	text, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatal("the page has no program")
	}
	example, err := os.ReadFile(filepath.Join(ownProgram(t, "sum"), "main.go"))
	if err != nil || string(example) != text {
		t.Errorf("instrument/testdata/sum/main.go differs from the program of the page: %v", err)
	}
	elsewhere(t)
	dir := ownModule(t, text)
	for _, args := range [][]string{{"--native"}, {"-o", "x"}} {
		if status, _, errs := tracegen(append(args, "--package", dir, "--procs", "4", "-q")...); status != stage.Done || errs != "" {
			t.Errorf("%s: status %d: %s", args, status, errs)
		}
	}
	x, err := store.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	stores := 0
	for b, err := range x.Refs() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			if b.Op[i] == trace.Store && b.Addr[i] < x.Header().Regions[0].Base+1<<19 {
				stores++
			}
		}
	}
	if stores != 1<<16 {
		t.Errorf("%d stores to the array, want one for each of its elements", stores)
	}
}

// A compiler's message is shown as it is, with its position.
func TestPackageThatDoesNotCompile(t *testing.T) {
	elsewhere(t)
	dir := ownModule(t, "package main\n\nfunc main() { x }\n")
	status, _, errs := tracegen("--package", dir, "-o", "x")
	if want := "main.go:3:15: undefined: x\n"; status != stage.Failed || !strings.Contains(errs, want) {
		t.Errorf("status %d: %q does not say %q", status, errs, want)
	}
	noFiles(t)
}

// ownModule writes a module that holds one program, and returns its folder.
func ownModule(t *testing.T, text string) string {
	t.Helper()
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("where is this file?")
	}
	root := filepath.Dir(filepath.Dir(here))
	dir := t.TempDir()
	module := "module example.com/own\n\ngo 1.26.0\n\nrequire spoor v0.0.0\n\nreplace spoor => " + root + "\n"
	for name, text := range map[string]string{"go.mod": module, "main.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// bothFiles are the bytes of the trace x.
func bothFiles(t *testing.T) []byte {
	t.Helper()
	refs, err := os.ReadFile("x" + store.RefsSuffix)
	events, err2 := os.ReadFile("x" + store.EventsSuffix)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return append(refs, events...)
}

// A new module builds with the go command, and is recorded.
func TestInit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	example, err := os.ReadFile(filepath.Join(ownProgram(t, "sum"), "main.go"))
	if err != nil || string(example) != firstProgram {
		t.Errorf("the program differs from that of the page: %v", err)
	}
	elsewhere(t)
	if status, _, errs := tracegen("init", "app"); status != stage.Done {
		t.Fatal(errs)
	}
	build := exec.Command("go", "build", "-o", "/dev/null", ".")
	build.Dir = "app"
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if status, _, errs := tracegen("--package", "app", "--procs", "2", "--native", "-q"); status != stage.Done {
		t.Error(errs)
	}
	for _, c := range []struct {
		name string
		want int
	}{{"app", stage.Failed}, {"1 x", stage.WrongUsage}, {"spoor", stage.WrongUsage}, {"missing/app", stage.Failed}} {
		t.Run(c.name, func(t *testing.T) {
			if status, _, errs := tracegen("init", c.name); status != c.want {
				t.Errorf("init %s: status %d, want %d: %s", c.name, status, c.want, errs)
			}
		})
	}
}
