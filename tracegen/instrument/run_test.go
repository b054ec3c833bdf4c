package instrument

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// buildProgram builds a program of testdata; everything temporary is in a folder that is
// empty after the test.
func buildProgram(t *testing.T, name string, o Options) *Program {
	t.Helper()
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	temporary(t)
	o.Dir, o.Messages = filepath.Join("testdata", name), t.Output()
	p, err := Build(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Remove(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// temporary gives the test a folder for temporary files, which must be empty when
// it has ended.
func temporary(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

// discard is a sink that fails after so many batches of references, unless that is
// negative.
type discard struct {
	left int
	refs int
}

var errFull = errors.New("no space left on device")

func (d *discard) Refs(b *trace.Refs) error {
	if d.refs += b.Len(); d.left == 0 {
		return errFull
	}
	d.left--
	return nil
}

func (d *discard) Events(*trace.Events) error { return nil }

// What a program does wrong is told in its own words, with the places of its source.
func TestEveryWayToEnd(t *testing.T) {
	p := buildProgram(t, "ways", Options{Refs: true})
	for _, c := range []struct {
		way  string
		want string // of the error, or ""
		says string // on standard error
	}{
		{"well", "", ""},
		{"silent", "ended without calling spmd.Main", ""},
		{"early", "the program ended with exit status 3", ""},
		{"late", "the program ended with exit status 4", ""},
		{"exit", "the program ended with exit status 5", ""},
		{"error", "rank 1: no more heat", ""},
		{"panic", "rank 1: panic at main.go:45: runtime error: index out of range [8] with length 8", ""},
		{"deadlock", "deadlock: ranks 0, 2 wait", ""},
		{"crash", "the program ended with exit status 2", "testdata/ways/main.go:31"},
		{"twice", "the program ended with exit status 1", "spmd.Main was called twice"},
	} {
		t.Run(c.way, func(t *testing.T) {
			var out, errs bytes.Buffer
			result, err := p.Run(t.Context(), Run{Options: spmd.Options{Procs: 3}, Seed: 7, Args: []string{c.way},
				Out: &out, Err: &errs, Sink: &discard{left: -1}})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if !strings.Contains(errs.String(), c.says) || c.says == "" && errs.Len() > 0 {
				t.Errorf("it says %q, want %q", errs.String(), c.says)
			}
			if c.way == "well" && (out.String() != "seed 7\n" || len(result.Recording.Totals) != 3) {
				t.Errorf("output %q, result %+v", out.String(), result)
			}
		})
	}
}

// When the recording cannot be kept, the program need not go on.
func TestASinkThatFailsEndsTheProgram(t *testing.T) {
	p := buildProgram(t, "ways", Options{Refs: true})
	var errs bytes.Buffer
	_, err := p.Run(t.Context(), Run{Options: spmd.Options{Procs: 2}, Args: []string{"long"}, Err: &errs, Sink: &discard{left: 3}})
	if !errors.Is(err, errFull) || errs.Len() > 0 {
		t.Errorf("%v, and the program says %q", err, errs.String())
	}
}

func TestInterruptsArePassedOn(t *testing.T) {
	for _, native := range []bool{false, true} {
		p := buildProgram(t, "ways", Options{Native: native, Refs: !native})
		for _, way := range []string{"long", "sleep"} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(300*time.Millisecond, cancel)
			start := time.Now()
			_, err := p.Run(ctx, Run{Options: spmd.Options{Procs: 2}, Native: native, Args: []string{way}, Sink: &discard{left: -1}})
			if err == nil || time.Since(start) > 30*time.Second {
				t.Errorf("%s, native %v: %v after %v", way, native, err, time.Since(start))
			}
		}
	}
}

// The program is the same whether it is instrumented or not, and what it is built
// from stays as it is.
func TestInstrumentedProgramsPrintTheSame(t *testing.T) {
	before := contents(t, "testdata/heat")
	var want string
	for _, o := range []Options{{Native: true}, {Refs: false}, {Refs: true}, {Refs: true, Headers: true}} {
		p := buildProgram(t, "heat", o)
		if p.Name != "heat" || len(p.Findings) > 0 {
			t.Errorf("%+v", p)
		}
		var out bytes.Buffer
		kept := &discard{left: -1}
		_, err := p.Run(t.Context(), Run{Options: spmd.Options{Procs: 3, NoRefs: !o.Refs}, Native: o.Native,
			Args: []string{"-size", "20", "-steps", "3"}, Out: &out, Err: t.Output(), Sink: kept})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = out.String()
		}
		if out.String() != want || want == "" || (kept.refs > 0) != o.Refs {
			t.Errorf("%+v: printed %q, want %q; %d references", o, out.String(), want, kept.refs)
		}
	}
	if after := contents(t, "testdata/heat"); after != before {
		t.Error("the user's folder has changed")
	}
}

// contents is everything in a folder, with names.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.WriteString(path + "\n" + string(text))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all.String()
}
