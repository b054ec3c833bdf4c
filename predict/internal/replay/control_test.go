package replay

import (
	"context"
	"testing"

	"spoor/predict/internal/memsys"
	"spoor/traces/trace"
)

// A flush makes the next load miss. A prefetch makes the next load hit, and the processor waits for no more than the
// rest of its time. The misses are those of the loads alone.
func TestFlushAndPrefetch(t *testing.T) {
	cfg := worked(1)
	lines := []struct {
		op   trace.Op
		addr uint64
	}{{trace.Load, 0x1000}, {trace.Flush, 0x1000}, {trace.Load, 0x1000}, {trace.Prefetch, 0x2000}, {trace.Load, 0x2000}}
	b := &builder{}
	for _, l := range lines {
		b.ref(1, l.addr, 8, l.op)
	}
	c := replayed(t, source(b), cfg, tick, Options{}).Counts()
	if c.Loads != 3 || c.Misses() != 2 || c.Prefetches != 1 || c.LoadMisses.Replacement != 1 {
		t.Errorf("%+v", c)
	}
	for _, gap := range []uint32{1, 1 << 20} { // the line is on its way, or has arrived
		b := &builder{}
		b.ref(1, 0x2000, 8, trace.Prefetch)
		b.ref(gap, 0x2000, 8, trace.Load)
		got := replayed(t, source(b), cfg, tick, Options{})
		if want := max(0, cfg.Memory.Latency-tick.At(uint64(gap)+1, 1)+tick.At(1, 0)); got.Procs[0].Latency != want {
			t.Errorf("%d instructions later, the load waits %v, not %v", gap, got.Procs[0].Latency, want)
		}
	}
}

// A flush takes the line from the caches of all processors and writes a modified one back, on every target with
// caches.
func TestFlushOfAll(t *testing.T) {
	writer, flusher := &builder{}, &builder{}
	writer.ref(1, 0, 8, trace.Store)
	writer.at(trace.Barrier, 0)
	writer.at(trace.Barrier, 1)
	writer.ref(1, 0, 8, trace.Load)
	flusher.at(trace.Barrier, 0)
	flusher.ref(1, 0, 8, trace.Flush)
	flusher.at(trace.Barrier, 1)
	m := source(writer, flusher)
	for _, target := range memsys.All {
		cfg := randomNodes(t, &choices{}, target, m)
		cfg.Block = 256
		sys, err := target.New(cfg)
		if err != nil {
			t.Fatal(target.Name(), err)
		}
		got, err := Run(context.Background(), m, sys, tick, Options{})
		if err != nil {
			t.Fatal(target.Name(), err)
		}
		c := got.Counts()
		if sys.HasCaches() && (c.WriteBacks != 1 || c.LoadMisses.Total() != 1) || c.Loads != 1 {
			t.Errorf("%s: %+v", target.Name(), c)
		}
	}
}
