package comm

import (
	"fmt"
	"math"
	"testing"

	"spoor/traces/trace"
)

// Events without effect make programs too long for tapes.
func TestReadersAreNaive(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(seed, 1+int(seed%5), 200, Algorithms[seed%5], Costs{7, 0.5})
			last := &w.m.EventsOf[len(w.m.EventsOf)-1]
			for range w.m.Head.Procs * fewEvents {
				last.Rows = append(last.Rows, trace.NewEvent(trace.Compute))
			}
			same(t, w)
		})
	}
}

// A tape returns the steps that were written.
func TestTape(t *testing.T) {
	least := step{kind: trace.Wait, peer: trace.None, tag: trace.None, group: trace.None, request: trace.None}
	for _, c := range []struct {
		name  string
		proc  trace.Proc
		step  step
		bytes int
	}{
		{"nothing", 1 << 20, least, 2},
		{"neighbour", 1 << 20, step{kind: trace.Send, peer: 1<<20 - 1, tag: trace.None, group: trace.None, request: trace.None}, 3},
		{"zeros", 7, step{kind: trace.Isend}, 6},
		{"message", 9, step{kind: trace.Irecv, peer: 8, tag: 5, group: trace.None, request: 1, bytes: 1024, work: 100}, 9},
		{"test", 0, step{kind: trace.Test, succeeded: true, peer: trace.None, tag: trace.None, group: trace.None, request: 3}, 3},
		{"most", 1<<20 - 1, step{kind: trace.Marker, succeeded: true, peer: math.MaxInt32, tag: math.MaxInt32, group: math.MaxInt32,
			request: math.MaxInt32, bytes: math.MaxInt64, work: math.MaxUint64}, 33},
		{"least", 0, step{kind: trace.Compute, peer: math.MinInt32, tag: math.MinInt32, group: math.MinInt32, request: math.MinInt32,
			bytes: math.MinInt64, work: 1 << 63}, 42},
	} {
		t.Run(c.name, func(t *testing.T) {
			var written tape
			written.append(c.proc, &c.step)
			if len(written) != c.bytes {
				t.Errorf("%d bytes, want %d", len(written), c.bytes)
			}
			written.append(c.proc, &least)
			for _, want := range []step{c.step, least} {
				if got, ok := written.next(c.proc); !ok || got != want {
					t.Fatalf("%+v, %v, want %+v", got, ok, want)
				}
			}
			if _, ok := written.next(c.proc); ok {
				t.Error("a step after the last one")
			}
		})
	}
}

// Processors that wait for ever, all of them several times, are released one after the other.
func TestAllWaitForEver(t *testing.T) {
	const procs, each = 50, 4
	m := memory(procs)
	for p := range m.EventsOf {
		for i := range each {
			m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, message(trace.Recv, int32(p+i+1)%procs, 1))
		}
	}
	if released := data[uint64](t, named(t, run(t, m, Apart, Costs{}), "comm_path"), "released"); released[0] != procs*each {
		t.Errorf("released %d, want %d", released[0], procs*each)
	}
}
