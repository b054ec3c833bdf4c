package kerneltest

import (
	"context"
	"testing"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// Memory is a sink that keeps everything, and holds it to the invariants of traces.
type Memory struct{ trace.Memory }

func newMemory(procs int) *Memory {
	return &Memory{trace.Memory{Head: trace.Header{Procs: procs},
		RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}}
}

// Refs keeps and checks a batch of references.
func (m *Memory) Refs(b *trace.Refs) error {
	all := &m.RefsOf[b.Proc]
	all.Proc = b.Proc
	all.Instr = append(all.Instr, b.Instr...)
	all.Addr = append(all.Addr, b.Addr...)
	all.Size = append(all.Size, b.Size...)
	all.Op = append(all.Op, b.Op...)
	return trace.CheckRefs(m.Head, b)
}

// Events keeps a batch of events.
func (m *Memory) Events(b *trace.Events) error {
	all := &m.EventsOf[b.Proc]
	all.Proc = b.Proc
	all.Rows = append(all.Rows, b.Rows...)
	return nil
}

// Record records an instance, and holds the recording to the invariants of traces.
func Record(t testing.TB, inst workload.Instance, procs int) (*Memory, *spmd.Recording) {
	t.Helper()
	return RecordAs(t, inst, spmd.Options{Procs: procs})
}

// RecordAs is Record with options.
func RecordAs(t testing.TB, inst workload.Instance, opt spmd.Options) (*Memory, *spmd.Recording) {
	t.Helper()
	procs := opt.Procs
	m := newMemory(procs)
	m.Head.WorkUnit = trace.WorkInstr
	for p, n := range inst.Counts().Refs {
		r := &m.RefsOf[p]
		r.Instr, r.Addr = make([]uint32, 0, n), make([]uint64, 0, n)
		r.Size, r.Op = make([]uint16, 0, n), make([]trace.Op, 0, n)
	}
	rec, err := spmd.Record(context.Background(), opt, inst.Program, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(&m.Memory); err != nil {
		t.Error(err)
	}
	return m, rec
}

// CountEvents is how many events of a kind each rank has, of objects below limit.
func CountEvents(m *Memory, kind trace.Kind, limit int32) (counts []int) {
	counts = make([]int, len(m.EventsOf))
	for p := range m.EventsOf {
		for _, e := range m.EventsOf[p].Rows {
			if e.Kind == kind && e.Peer < limit {
				counts[p]++
			}
		}
	}
	return counts
}
