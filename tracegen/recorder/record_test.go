package recorder

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"spoor/traces/trace"
)

// kept keeps what is recorded.
type kept struct {
	refs   map[trace.Proc]*trace.Refs
	events map[trace.Proc][]trace.Event
}

func (k *kept) Refs(b *trace.Refs) error {
	to := k.refs[b.Proc]
	if to == nil {
		to = &trace.Refs{Proc: b.Proc}
		k.refs[b.Proc] = to
	}
	for i := range b.Len() {
		to.Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	to.PC = append(to.PC, b.PC...)
	return nil
}

func (k *kept) Events(b *trace.Events) error {
	k.events[b.Proc] = append(k.events[b.Proc], b.Rows...)
	return nil
}

// built compiles a program of testdata with threads.
func built(t *testing.T, source string, flags ...string) string {
	t.Helper()
	return compiled(t, "gcc", append(flags, "-O1", "-pthread", filepath.Join("testdata", source))...)
}

// compiled compiles a program.
func compiled(t *testing.T, compiler string, args ...string) string {
	t.Helper()
	for _, tool := range []string{compiler, "qemu-x86_64"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command(compiler, append(args, "-o", program)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func record(t *testing.T, o Options) (*kept, *Recording, string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", cache(t))
	var out bytes.Buffer
	o.Refs, o.Out, o.Progress = true, &out, func(int) {}
	if o.Err == nil {
		o.Err = os.Stderr
	}
	r, err := Prepare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{map[trace.Proc]*trace.Refs{}, map[trace.Proc][]trace.Event{}}
	rec, err := r.Record(context.Background(), k)
	if err != nil {
		t.Fatal(err)
	}
	return k, rec, out.String()
}

// cache is a folder that all tests share, so that they compile once.
func cache(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "spoor-recorder-tests")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestEventsOfThreads(t *testing.T) {
	const threads, steps = 4, 5
	k, rec, out := record(t, Options{Args: []string{built(t, "threads.c"), "4"}})
	if want := "297000\n"; out != want || rec.Status != 3 || rec.Procs != threads+1 {
		t.Errorf("output %q, want %q; status %d; %d processors", out, want, rec.Status, rec.Procs)
	}
	want := map[trace.Kind]int{trace.Lock: steps, trace.Unlock: steps, trace.Barrier: steps, trace.Compute: 1}
	for p := trace.Proc(1); p <= threads; p++ {
		have := map[trace.Kind]int{}
		for _, e := range k.events[p] {
			have[e.Kind]++
		}
		for kind, n := range want {
			if have[kind] != n {
				t.Errorf("processor %d has %d events %v, not %d", p, have[kind], kind, n)
			}
		}
	}
	forks, joins := 0, 0
	for _, e := range k.events[0] {
		switch e.Kind {
		case trace.Fork:
			forks++
			if int(e.Peer) != forks {
				t.Errorf("fork %d is of processor %d", forks, e.Peer)
			}
		case trace.Join:
			joins++
			if int(e.Peer) != joins {
				t.Errorf("join %d is of processor %d", joins, e.Peer)
			}
		}
	}
	if forks != threads || joins != threads {
		t.Errorf("%d forks and %d joins", forks, joins)
	}
}
