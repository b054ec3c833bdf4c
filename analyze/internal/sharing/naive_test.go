package sharing

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// measure is the analysis of a trace before it becomes tables.
func measure(src trace.Source, a *Analysis) (*shard, error) {
	s := a.NewShard(src.Header(), trace.Interleaved).(*shard)
	for p, err := range analysis.Interleave(src) {
		if err != nil {
			return nil, err
		}
		if err := s.Add(p); err != nil {
			return nil, err
		}
	}
	return s, s.End()
}

// compare holds the analysis of a trace to the oracle.
func compare(src trace.Source, a *Analysis) error {
	s, err := measure(src, a)
	if err != nil {
		return err
	}
	for _, sim := range s.sims {
		o, err := newOracle(src, sim.line, a.word(), s.regions)
		if err != nil {
			return err
		}
		if err := o.compare(sim); err != nil {
			return fmt.Errorf("lines of %v: %w", sim.line, err)
		}
	}
	return nil
}

func (o *oracle) compare(sim *simulation) error {
	procs := len(sim.phases.at)
	for region := range sim.tallies {
		for p := range procs {
			var got counts
			if t := sim.tallies[region]; t != nil {
				got = t[p]
			}
			if want := o.counts[[2]int32{int32(region), int32(p)}]; got != want {
				return fmt.Errorf("region %d, processor %d: got %+v, want %+v", region, p, got, want)
			}
		}
	}
	for from := int32(-1); int(from) < procs; from++ {
		for to := range procs {
			if got, want := sim.matrix.get(from, int32(to)), o.flows[[2]int32{from, int32(to)}]; got != want {
				return fmt.Errorf("from %d to %d: got %+v, want %+v", from, to, got, want)
			}
		}
	}
	if sim.runs != o.runs {
		return fmt.Errorf("runs: got %v, want %v", sim.runs, o.runs)
	}
	if !maps.Equal(sim.kinds, o.kinds) {
		return fmt.Errorf("kinds: got %v, want %v", sim.kinds, o.kinds)
	}
	want := map[[2]int32]phaseCounts{}
	for at, c := range o.phases {
		if c == (phaseCounts{}) {
			continue
		}
		sum := want[[2]int32{at[0], at[1] >> sim.phases.shift}]
		sum.add(c)
		want[[2]int32{at[0], at[1] >> sim.phases.shift}] = sum
	}
	got := map[[2]int32]phaseCounts{}
	for i, span := range sim.phases.counts {
		for p := range span {
			if span[p] != (phaseCounts{}) {
				got[[2]int32{int32(p), int32(i)}] = span[p]
			}
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("phases: got %v, want %v", got, want)
	}
	return nil
}

// randomTrace has processors that share some words, in arrays that overlap lines and each other.
func randomTrace(r *rand.Rand, procs, phases, length int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}
	span := 16 + r.Uint64N(400)
	for range r.IntN(6) {
		m.Head.Regions = append(m.Head.Regions, trace.Region{Name: string(rune('a' + r.IntN(3))), Owner: trace.Proc(r.IntN(2) - 1), Base: r.Uint64N(span), Bytes: r.Uint64N(100)})
	}
	stores, moves := r.IntN(80), r.IntN(2)*r.IntN(40)
	for p := range procs {
		refs, events := &m.RefsOf[p], &m.EventsOf[p]
		refs.Proc, events.Proc = trace.Proc(p), trace.Proc(p)
		for range phases {
			for range r.IntN(length + 1) {
				op := trace.Load
				if r.IntN(100) < stores {
					op = trace.Store
				}
				if r.IntN(30) == 0 {
					op = trace.Ifetch
				}
				if r.IntN(100) < moves {
					op = []trace.Op{trace.Prefetch, trace.Flush}[r.IntN(2)]
				}
				addr := r.Uint64N(1 + r.Uint64N(span))
				if r.IntN(3) == 0 {
					addr += uint64(p+1) << 20
				}
				refs.Append(uint32(r.IntN(4)), addr, uint16(1+r.IntN(20)), op)
			}
			e := trace.NewEvent(trace.Barrier)
			e.Refs = uint64(refs.Len())
			events.Rows = append(events.Rows, e)
		}
	}
	return m
}

func TestFastIsNaive(t *testing.T) {
	for seed := range testsize.Cases[uint64](60, 15) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := randomTrace(r, 1+r.IntN(5), r.IntN(5), 30)
		a := &Analysis{Lines: []unit.Bytes{1, 8, 64, 1024}[r.IntN(3):], Word: unit.Bytes(1) << r.IntN(5), spans: 1 + r.IntN(20), publications: uint32(r.IntN(6))}
		if err := compare(m.InBatches(7), a); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// More processors than bits in a word.
func TestManyProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	if err := compare(randomTrace(r, 70, 2, 8), &Analysis{Lines: []unit.Bytes{32}}); err != nil {
		t.Fatal(err)
	}
}

// Counters of a word run over, those of its neighbours do not.
func TestWordsThatAreUsedOften(t *testing.T) {
	var text strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&text, "%d%c%d ", i%2, "LLS"[i%3], i%7%2*8+i%13/12*16)
	}
	if err := compare(script(t, 2, text.String()), &Analysis{Lines: []unit.Bytes{16, 64}}); err != nil {
		t.Fatal(err)
	}
}

func FuzzFastIsNaive(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 128, 129, 1, 0}, uint8(2), uint8(1))
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint8(3), uint8(0))
	f.Add([]byte{0, 240, 128, 241, 0, 129, 240, 1, 0, 241, 128}, uint8(1), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, procs, logWord uint8) {
		n := 1 + int(procs%4)
		m := &trace.Memory{Head: trace.Header{Procs: n}, RefsOf: make([]trace.Refs, n), EventsOf: make([]trace.Events, n)}
		m.Head.Regions = []trace.Region{{Name: "a", Owner: trace.Everyone, Base: 5, Bytes: uint64(procs)}}
		for p := range n {
			m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
		}
		for i, b := range data[:min(len(data), 200)] {
			if b == 255 {
				for p := range n {
					barrier := trace.NewEvent(trace.Barrier)
					barrier.Refs = uint64(m.RefsOf[p].Len())
					m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, barrier)
				}
				continue
			}
			op := trace.Load
			switch {
			case b >= 240:
				op = []trace.Op{trace.Prefetch, trace.Flush}[b&1]
			case b&128 != 0:
				op = trace.Store
			}
			m.RefsOf[(i+int(b>>5&3))%n].Append(1, uint64(b&31)*2, uint16(1+b%5), op)
		}
		if err := compare(m, &Analysis{Lines: []unit.Bytes{8, 16}, Word: 1 << (logWord % 5), spans: 4}); err != nil {
			t.Fatal(err)
		}
	})
}
