package recorder

import (
	"bytes"
	"context"
	"os"
	"syscall"
	"testing"

	"spoor/traces/trace"
)

// killer sends signals to this process when a program is ready.
type killer struct{ out bytes.Buffer }

func (k *killer) Write(b []byte) (int, error) {
	if bytes.HasPrefix(b, []byte("ready")) {
		for range 3 { // of which the program sees at least one
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		}
	}
	return k.out.Write(b)
}

// TestSignalsAreThePrograms: a program gets the signal that tracegen gets, and ends as it wants to.
func TestSignalsAreThePrograms(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", cache(t))
	var out killer
	r, err := Prepare(context.Background(), Options{Args: []string{built(t, "signals.c")}, Refs: true, Out: &out, Err: os.Stderr, Progress: func(int) {}})
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{map[trace.Proc]*trace.Refs{}, map[trace.Proc][]trace.Event{}}
	rec, err := r.Record(context.Background(), k)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, k, rec)
	if !bytes.HasPrefix(out.out.Bytes(), []byte("ready\n0 ")) || rec.Status != 7 {
		t.Errorf("output %q, status %d", out.out.String(), rec.Status)
	}
}

// TestFramesOfSignals: the frames that the kernel writes for a signal are not references of the program, which would be out of order.
func TestFramesOfSignals(t *testing.T) {
	k, rec, _ := record(t, Options{Args: []string{built(t, "signals_frames.c")}})
	sound(t, k, rec)
	for i, size := range k.refs[0].Size {
		if size > 64 && k.refs[0].Op[i] == trace.Store {
			t.Fatalf("reference %d stores %d bytes", i, size)
		}
	}
}
