package reuse

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// onCores returns the JSON of a shard with segments that uses the given number of cores, without starting others.
func onCores(t testing.TB, m *trace.Memory, cores int) string {
	t.Helper()
	s := (&Analysis{Lines: []unit.Bytes{64}}).NewShard(m.Head, 0).(*Shard)
	s.KeepSegments(64)
	s.Cores(cores)
	for p, err := range analysis.Program(m, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The number of cores changes neither distances nor segments: of near and far uses in turn, with barriers, with and
// without flushes.
func TestWorkersFindSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 6))
	for i, every := range []int{7000, 7000, 40} { // references between barriers: with 40, a job has more than maxStops of them
		flushes := 3 * (i % 2)
		m := program(r, 3000, 20, 3000)
		refs, events := &m.RefsOf[0], &m.EventsOf[0]
		for i := range testsize.Cases(400_000, 60_000) {
			line := r.Uint64N(30_000)
			if i/20_000%2 == 0 {
				line = uint64(i) % 5
			}
			refs.Append(1, line*64, 8, trace.Load)
			if i%every == 0 {
				e := trace.NewEvent(trace.Barrier)
				e.Refs = uint64(refs.Len())
				events.Rows = append(events.Rows, e)
			}
		}
		for range flushes {
			refs.Append(1, 64, 8, trace.Flush)
			refs.Append(1, 64, 8, trace.Load)
		}
		want := onCores(t, m, 1)
		for _, cores := range []int{2, 3, 8} {
			if got := onCores(t, m, cores); got != want {
				t.Errorf("barriers every %d, %d flushes, %d cores: %.2000s\nwant %.2000s", every, flushes, cores, got, want)
			}
		}
	}
}
