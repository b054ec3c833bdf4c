package store

import (
	"iter"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"spoor/traces/trace"
)

// Columns come back as they were, whether all rows of a batch are alike or not, and whatever the batch before was like.
func TestColumnsOfBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	h := trace.Header{Procs: 2, WorkUnit: trace.WorkInstr, HasTime: true}
	prefix := filepath.Join(t.TempDir(), "x")
	w, err := Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	const batches, each = 40, 7
	w.rows = each
	var want [2][]trace.Event
	for range batches {
		pick := func(v, other int64) int64 { return v }
		if r.IntN(2) > 0 {
			pick = func(v, other int64) int64 { return []int64{v, other}[r.IntN(2)] }
		}
		tag, bytes, when := r.Int64N(3), r.Int64N(1<<40), r.Int64N(1<<60)
		for range each {
			e := trace.NewEvent(trace.Send)
			e.Instr, e.Peer, e.Tag = uint32(pick(tag, 7)), int32(pick(0, 1)), int32(pick(tag, 5))
			e.Bytes, e.Time = pick(bytes, 8), pick(when, 0)
			if n := len(want[0]); n > 0 && pick(0, 1) > 0 {
				e.Needs = []int64{r.Int64N(int64(n))}
			}
			for p := range want {
				want[p] = append(want[p], e)
			}
		}
	}
	for p := range trace.Proc(2) {
		if err := w.Events(&trace.Events{Proc: p, Rows: want[p]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	src, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for p := range trace.Proc(2) {
		at := 0
		for b, err := range src.Events(p) {
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range b.Rows {
				if !reflect.DeepEqual(e, want[p][at]) {
					t.Fatalf("event %d of processor %d is %+v, want %+v", at, p, e, want[p][at])
				}
				at++
			}
		}
		if at != len(want[p]) {
			t.Errorf("processor %d has %d events, want %d", p, at, len(want[p]))
		}
	}
}

// Many processors can be read side by side, by more iterations than hold batches ahead.
func TestManyReaders(t *testing.T) {
	const procs, refs = 2 * manyReaders, 95
	h := trace.Header{Procs: procs, WorkUnit: trace.WorkInstr}
	prefix := filepath.Join(t.TempDir(), "x")
	w, err := Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	w.most = 10
	for p := range trace.Proc(procs) {
		b := trace.Refs{Proc: p}
		for i := range uint64(refs) {
			b.Append(1, uint64(p)<<20+i, 1, trace.Load)
		}
		if err := w.Refs(&b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	src, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var pulls []func() (*trace.Refs, error, bool)
	var stops []func()
	for p := range trace.Proc(procs) {
		pull, stop := iter.Pull2(src.Refs(p))
		pulls, stops = append(pulls, pull), append(stops, stop)
	}
	for at := uint64(0); at < refs; at += 10 {
		for p, pull := range pulls {
			b, err, ok := pull()
			if err != nil || !ok || b.Addr[0] != uint64(p)<<20+at || b.Len() != int(min(10, refs-at)) {
				t.Fatalf("processor %d has %v, %v, %v from reference %d on", p, b, err, ok, at)
			}
		}
	}
	for p, stop := range stops {
		if _, _, ok := pulls[p](); ok {
			t.Errorf("processor %d has more references than were written", p)
		}
		stop()
	}
	if n := src.refs.reading.Load(); n != 0 {
		t.Errorf("%d iterations are going on", n)
	}
}
