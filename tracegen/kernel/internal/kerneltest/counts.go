package kerneltest

import (
	"slices"
	"testing"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// checkCounts holds a recording to the closed forms and to the laws of all recordings.
func checkCounts(t *testing.T, want workload.Counts, m *Memory, rec *spmd.Recording) {
	for p, total := range rec.Totals {
		if want.Refs != nil && (total.Refs < want.Refs[p] || (total.Refs > want.Refs[p] && !want.AtLeast)) {
			t.Errorf("rank %d: %d references, closed form %d", p, total.Refs, want.Refs[p])
		}
		events := map[trace.Kind]uint64{}
		for _, e := range m.EventsOf[p].Rows {
			events[e.Kind]++
		}
		if got := events[trace.Barrier]; got != want.Barriers {
			t.Errorf("rank %d: %d barriers, closed form %d", p, got, want.Barriers)
		}
		if got := events[trace.Send] + events[trace.Isend]; want.Messages != nil && got != want.Messages[p] {
			t.Errorf("rank %d: %d messages sent, closed form %d", p, got, want.Messages[p])
		}
		checkSums(t, m, p, total)
		checkRegions(t, &m.RefsOf[p], rec.Regions)
	}
}

// checkSums holds the instructions of references and events to the total.
func checkSums(t *testing.T, m *Memory, p int, total trace.Totals) {
	var refs, events uint64
	for _, n := range m.RefsOf[p].Instr {
		refs += uint64(n)
	}
	for _, e := range m.EventsOf[p].Rows {
		events += uint64(e.Instr) + uint64(e.Work)
	}
	if events != uint64(total.Instr) || refs > events || uint64(m.RefsOf[p].Len()) != total.Refs {
		t.Errorf("rank %d: events sum to %d instructions, references to %d, total %+v", p, events, refs, total)
	}
}

// checkRegions holds every reference to an array that the rank may touch.
func checkRegions(t *testing.T, refs *trace.Refs, regions []spmd.Region) {
	var in spmd.Region // where the previous one was
	for i, a := range refs.Addr {
		inside := func(r spmd.Region) bool {
			return (r.Owner < 0 || r.Owner == refs.Proc) && a >= r.Base && a-r.Base+uint64(refs.Size[i]) <= r.Bytes
		}
		if inside(in) {
			continue
		}
		at := slices.IndexFunc(regions, inside)
		if at < 0 {
			t.Fatalf("rank %d, reference %d at %#x lies in no array of its own", refs.Proc, i, a)
		}
		in = regions[at]
	}
}
