package store

import (
	"iter"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"spoor/traces/trace"
)

// Columns come back as they were, whether all rows of a batch are alike or not, and whatever the batch before was like.
func TestColumnsOfBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	h := trace.Header{Procs: 2, WorkUnit: trace.WorkInstr, HasTime: true}
	const batches, each = 40, 7
	m := &trace.Memory{Head: h, RefsOf: make([]trace.Refs, h.Procs), EventsOf: make([]trace.Events, h.Procs)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
	}
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
			if n := len(m.EventsOf[0].Rows); n > 0 && pick(0, 1) > 0 {
				e.Needs = []int64{r.Int64N(int64(n))}
			}
			for p := range m.EventsOf {
				m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, e)
			}
		}
	}
	same(t, saved(t, m, each), m)
}

// saved is m in a file, in batches of so many rows.
func saved(t *testing.T, m *trace.Memory, rows int) *Trace {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "x")
	saveBatches(t, prefix, m, rows, rows)
	src, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// Many processors can be read side by side, by more iterations than hold batches ahead.
func TestManyReaders(t *testing.T) {
	const procs, refs = 2 * manyReaders, 95
	m := &trace.Memory{Head: trace.Header{Procs: procs, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, procs)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
		for i := range uint64(refs) {
			m.RefsOf[p].Append(1, uint64(p)<<20+i, 1, trace.Load)
		}
	}
	src := saved(t, m, 10)
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
