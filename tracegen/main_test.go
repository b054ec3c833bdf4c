package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// tracegen runs the command in an environment of its own.
func tracegen(args ...string) (status int, out, errs string) {
	return stage.Capture(command, strings.NewReader(""), args...)
}

func TestStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args   string
		status int
		want   string // in standard output if the status is 0, else in standard error
	}{
		{"", stage.Done, "Usage: tracegen"},
		{"--help", stage.Done, "tracegen --list"},
		{"--version", stage.Done, "tracegen " + stage.Version},
		{"--list", stage.Done, "16 to 16777216, a power of 4"},
		{"--list --format csv", stage.Done, "kernel,paper,parameter,default,range,meaning,program\nfft,du2000,points,65536,"},
		{"--list --format json", stage.Done, `"kernel": "edge", "paper": "du2000", "parameter": "size", "default": 128`},
		{"lu --help", stage.Done, "a multiple of block"},
		{"fft --set points=256 --native --repeat 3 --procs 2", stage.Done, "yes"},
		{"radix --set keys=100 -q -o radix", stage.Done, ""},
		{"edge --set size=16 --refs=false -o edge", stage.Done, ""},

		{"ftt", stage.WrongUsage, `unknown kernel "ftt"; did you mean "fft"? (known: fft, lu, radix, edge`},
		{"ul --set n=64 --native --repeat 2", stage.WrongUsage, `did you mean "lu"?`},
		{"help lu", stage.Done, "a multiple of block"},
		{"help package", stage.Done, "--unplaced"},
		{"help ul", stage.WrongUsage, `did you mean "lu"?`},
		{"ftt --procs 2 -o x", stage.WrongUsage, `did you mean "fft"?`},
		{"zzzzzzzz", stage.WrongUsage, `unknown kernel "zzzzzzzz" (known: fft`},
		{"fft", stage.WrongUsage, "-o PREFIX"},
		{"fft extra -o x", stage.WrongUsage, "extra"},
		{"fft --set points=257 -o x", stage.WrongUsage, "points=257 is out of range; 16 to 16777216, a power of 4"},
		{"fft --set point=256 -o x", stage.WrongUsage, `did you mean "points"`},
		{"fft --set points=many -o x", stage.WrongUsage, `"many" is not an integer`},
		{"fft --set points=99999999999999999999 -o x", stage.WrongUsage, `is not an integer`},
		{"fft --set points -o x", stage.WrongUsage, "key=value"},
		{"fft --set points=16 --set points=64 -o x", stage.WrongUsage, "twice"},
		{"lu --set n=100 -o x", stage.WrongUsage, "n=100 is out of range; 1 to 8192, a multiple of block=16"},
		{"fft --procs 0 -o x", stage.WrongUsage, "procs=0 is out of range; 1 to 4096"},
		{"fft --procs 4097 -o x", stage.WrongUsage, "1 to 4096"},
		{"fftblocked --procs 3 -o x", stage.WrongUsage, "procs=3 is out of range; a power of 2"},
		{"fft --seed -1 -o x", stage.WrongUsage, "seed"},
		{"fft --native -o x", stage.WrongUsage, "-o"},
		{"fft --native --refs=false", stage.WrongUsage, "--refs"},
		{"fft --repeat 2 -o x", stage.WrongUsage, "--native"},
		{"fft --native --repeat 0", stage.WrongUsage, "1 or more"},
		{"fft --native --format xml", stage.WrongUsage, "table, csv and json"},
		{"fft --frobnicate", stage.WrongUsage, "frobnicate"},
		{"--list --format xml", stage.WrongUsage, "table, csv and json"},

		{"fft --set points=16 -o missing/x", stage.Failed, "missing/x"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.args, c.status), func(t *testing.T) {
			status, out, errs := tracegen(strings.Fields(c.args)...)
			if status != c.status {
				t.Errorf("tracegen %s: status %d, want %d; %s", c.args, status, c.status, errs)
			}
			text := errs
			if c.status == stage.Done {
				text = out
			} else if out != "" || strings.Count(errs, "\n") > 2 {
				t.Errorf("tracegen %s: a failure says more than a line: %q %q", c.args, out, errs)
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("tracegen %s: %q does not say %q", c.args, text, c.want)
			}
		})
	}
	if left, _ := filepath.Glob("x*"); len(left) > 0 {
		t.Errorf("failures left %v", left)
	}
	if left, _ := filepath.Glob("*"); len(left) != 4 {
		t.Errorf("files %v, want those of radix and edge", left)
	}
}

func TestTheSameCommandGivesTheSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i := 0; i < len(kernel.All); i += testsize.Cases(1, 5) {
		k := kernel.All[i]
		var first []byte
		for _, procs := range []int{1, 7, 2}[:testsize.Cases(3, 2)] {
			runtime.GOMAXPROCS(procs)
			got := recordFiles(t, k)
			if first == nil {
				first = got
			}
			if !bytes.Equal(got, first) {
				t.Errorf("%s: other bytes at GOMAXPROCS=%d", k.Name, procs)
			}
		}
	}
}

func recordFiles(t *testing.T, k kernel.Kernel) []byte {
	t.Helper()
	t.Chdir(t.TempDir())
	args := []string{k.Name, "--procs", "4", "-o", "x"}
	for name, v := range k.Small {
		args = append(args, "--set", fmt.Sprintf("%s=%d", name, v))
	}
	if status, _, errs := tracegen(args...); status != stage.Done {
		t.Fatal(errs)
	}
	refs, err := os.ReadFile("x" + store.RefsSuffix)
	if err != nil {
		t.Fatal(err)
	}
	events, err := os.ReadFile("x" + store.EventsSuffix)
	if err != nil {
		t.Fatal(err)
	}
	return append(refs, events...)
}

func TestFilesHoldTheRun(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, _, errs := tracegen("fft", "--set", "points=1024", "--procs", "2", "--seed", "9", "-o", "x"); status != stage.Done {
		t.Fatal(errs)
	}
	x, err := store.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	h := x.Header()
	if h.Title() != "fft points=1024 line=64" || h.Format != "spmd" || h.Procs != 2 || h.Seed != 9 ||
		h.Rule != spmd.Rule || h.WorkUnit != trace.WorkInstr || h.Tool != "tracegen "+stage.Version {
		t.Errorf("header %+v", h)
	}
	k := kernelNamed(t, "fft")
	v, _ := k.Values(kernel.Values{"points": 1024})
	inst, err := k.New(v, 2, 9)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range inst.Counts().Refs {
		var refs uint64
		for b, err := range x.Refs(trace.Proc(p)) {
			if err != nil {
				t.Fatal(err)
			}
			refs += uint64(b.Len())
		}
		if refs != want || x.Totals(trace.Proc(p)).Refs != want {
			t.Errorf("processor %d: %d references in the file, %d in its footer, closed form %d", p, refs, x.Totals(trace.Proc(p)).Refs, want)
		}
	}
}

func TestWithoutReferencesTheEventsStay(t *testing.T) {
	t.Chdir(t.TempDir())
	instructions := func(flags ...string) (sum uint64) {
		args := append([]string{"lu", "--set", "n=48", "--procs", "2", "-o", "x"}, flags...)
		if status, _, errs := tracegen(args...); status != stage.Done {
			t.Fatal(errs)
		}
		x, err := store.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for b, err := range x.Events() {
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range b.Rows {
				sum += uint64(e.Instr)
			}
		}
		return sum
	}
	if with, without := instructions(), instructions("--refs=false"); with != without || with == 0 {
		t.Errorf("%d instructions with references, %d without", with, without)
	}
}

// wrong is a kernel whose result is wrong.
func kernelNamed(t *testing.T, name string) kernel.Kernel {
	t.Helper()
	k, err := kernel.Find(kernel.All, name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

type wrong struct{ kernel.Instance }

var errWrong = errors.New("2 + 2 = 5")

func (wrong) Verify() error { return errWrong }

func TestNothingAppearsUnlessVerified(t *testing.T) {
	t.Chdir(t.TempDir())
	o := options{kernel: kernelNamed(t, "lu"), procs: 2, prefix: "x", refs: true}
	o.values, _ = o.kernel.Values(kernel.Values{"n": 32})
	inst, err := o.kernel.New(o.values, o.procs, 1)
	if err != nil {
		t.Fatal(err)
	}
	env := &stage.Env{Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
	if err := o.record(context.Background(), env, wrong{inst}); !errors.Is(err, errWrong) {
		t.Error(err)
	}
	noFiles(t)
}

func TestInterruptsAreHeededAndLeaveNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, native := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		o := options{kernel: kernelNamed(t, "lu"), procs: 2, prefix: "x", refs: true, native: native, repeat: 1 << 20}
		o.values, _ = o.kernel.Values(kernel.Values{"n": 2048}) // records for minutes
		stopped := make(chan error)
		go func() {
			stopped <- o.run(ctx, &stage.Env{Out: new(bytes.Buffer), Err: new(bytes.Buffer)})
		}()
		time.Sleep(200 * time.Millisecond)
		cancel()
		select {
		case err := <-stopped:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("native %v: %v", native, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("native %v: still running a minute after the interrupt", native)
		}
		noFiles(t)
	}
}

func noFiles(t *testing.T) {
	t.Helper()
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestHelpShowsEveryParameter(t *testing.T) {
	for _, k := range kernel.All {
		_, out, _ := tracegen(k.Name, "--help")
		out = strings.Join(strings.Fields(out), " ") // long lines are wrapped
		for _, p := range k.Params {
			if !strings.Contains(out, fmt.Sprintf("%s=%d ", p.Name, p.Default)) || !strings.Contains(out, p.Range()) {
				t.Errorf("%s --help does not show %s", k.Name, p.Name)
			}
		}
	}
}

// Every help fits a screen.
func TestHelpIsShort(t *testing.T) {
	for _, args := range append([][]string{{"--help"}, {"help", "package"}}, kernelHelps()...) {
		_, out, _ := tracegen(args...)
		if n := strings.Count(out, "\n"); n > 60 {
			t.Errorf("tracegen %s: %d lines, want 60 at most", args, n)
		}
		for line := range strings.Lines(out) {
			if len(line) > 121 {
				t.Errorf("tracegen %s: %d columns, want 120 at most: %s", args, len(line)-1, line)
			}
		}
	}
}

func kernelHelps() (list [][]string) {
	for _, k := range kernel.All {
		list = append(list, []string{"help", k.Name})
	}
	return list
}
