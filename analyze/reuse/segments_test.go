package reuse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/definition"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// program is one processor whose references cross lines, with a barrier after each phase but the last.
func program(r *rand.Rand, phases ...int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1), EventsOf: make([]trace.Events, 1)}
	refs := &m.RefsOf[0]
	for i, n := range phases {
		for range n {
			op := trace.Load
			if r.IntN(5) == 0 {
				op = trace.Ifetch
			}
			refs.Append(uint32(r.IntN(4)), r.Uint64N(1+r.Uint64N(1<<16)), uint16(1+r.IntN(80)), op)
		}
		if i < len(phases)-1 {
			m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, trace.Event{Kind: trace.Barrier, Instr: uint32(i), Refs: uint64(refs.Len())})
		}
	}
	return m
}

func segmentsOf(t testing.TB, m trace.Source, lines ...unit.Bytes) *Shard {
	return segmentsBeside(t, m, nil, lines...)
}

// segmentsBeside is segmentsOf where others ask for uses of lines.
func segmentsBeside(t testing.TB, m trace.Source, asked asker, lines ...unit.Bytes) *Shard {
	t.Helper()
	a := &Analysis{Lines: lines}
	a.NewShard(m.Header(), 0).(*Shard).KeepSegments(lines[0])
	if _, err := analysis.Run(context.Background(), m, analysis.Options{}, a, asked); err != nil {
		t.Fatal(err)
	}
	return a.shards[0]
}

// Segments are what the definition counts between their ends, and the whole together.
func TestSegmentsAreNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	many := make([]int, 200)
	for i := range many {
		many[i] = r.IntN(300)
	}
	for name, phases := range map[string][]int{"one": {30_000}, "few": {5000, 0, 9000, 100, 7000}, "many": many, "tiny": {3}, "nothing": {0, 0}} {
		t.Run(name, func(t *testing.T) {
			m := program(r, phases...)
			s := segmentsOf(t, m, 64)
			for cut, segments := range map[string][]Segment{"phases": s.Segments.Phases, "even": s.Segments.Even} {
				if len(segments) > maxSegments {
					t.Errorf("%s, %s: %d segments", name, cut, len(segments))
				}
				checkSegments(t, name+", "+cut, m, s, segments)
			}
			for _, n := range []int{1, 1000} {
				for _, asked := range []asker{nil, {64}, {128}} {
					if other := segmentsBeside(t, m.InBatches(n), asked, 64, 128); !equal(other.Segments.Phases, s.Segments.Phases) || !equal(other.Segments.Even, s.Segments.Even) {
						t.Errorf("batches of %d, beside one who asks for uses of %v, make other segments", n, asked)
					}
				}
			}
		})
	}
}

func equal(a, b []Segment) bool {
	return slices.EqualFunc(a, b, func(x, y Segment) bool {
		return x.Instr == y.Instr && x.Refs == y.Refs && x.Before == y.Before && x.Cold == y.Cold && slices.Equal(x.Uses, y.Uses)
	})
}

func checkSegments(t *testing.T, name string, m *trace.Memory, s *Shard, segments []Segment) {
	t.Helper()
	var naive definition.Stack
	before, after := clocks(m)
	at, sum := 0, Segment{}
	for i, seg := range segments {
		want := Segment{Instr: seg.Instr, Before: uint64(len(naive.Order)), Uses: make([]uint64, len(seg.Uses))}
		for ; want.Refs < seg.Refs; at++ {
			if !m.RefsOf[0].Op[at].Data() {
				continue
			}
			want.Refs++
			addr := m.RefsOf[0].Addr[at]
			for l := addr >> 6; l <= (addr+uint64(m.RefsOf[0].Size[at])-1)>>6; l++ {
				switch d := naive.Touch(l); d {
				case Cold:
					want.Cold++
				default:
					class := 0
					for ClassStart(class+1) <= d {
						class++
					}
					want.Uses[class]++
				}
			}
		}
		if !equal([]Segment{seg}, []Segment{want}) {
			t.Errorf("%s, segment %d: %+v, want %+v", name, i, seg, want)
		}
		sum.Instr += seg.Instr
		next := at // that may be of the next segment
		for next < len(after) && !m.RefsOf[0].Op[next].Data() {
			next++
		}
		if at > 0 && (sum.Instr < after[at-1] || sum.Instr > before[next]) {
			t.Errorf("%s, segment %d: ends after %d instructions, want %d to %d", name, i, sum.Instr, after[at-1], before[next])
		}
		sum.Refs += seg.Refs
		sum.Cold += seg.total()
	}
	if d := s.Sizes[0]; sum.Instr != s.Instr || sum.Refs != s.Refs || sum.Cold != d.Total() {
		t.Errorf("%s: %d instructions, %d references, %d uses, want %d, %d, %d", name, sum.Instr, sum.Refs, sum.Cold, s.Instr, s.Refs, d.Total())
	}
}

// clocks is how many instructions are executed before and after each reference. Those of events count where they are ahead.
func clocks(m *trace.Memory) (before, after []unit.Instructions) {
	var clock, ofRefs, ofEvents unit.Instructions
	events := m.EventsOf[0].Rows
	for i := range m.RefsOf[0].Len() + 1 {
		for ; len(events) > 0 && events[0].Refs == uint64(i); events = events[1:] {
			ofEvents = max(clock, ofEvents+unit.Instructions(events[0].Instr))
			clock = ofEvents
		}
		if before = append(before, clock); i < m.RefsOf[0].Len() {
			ofRefs = max(clock, ofRefs+unit.Instructions(m.RefsOf[0].Instr[i]))
			clock = ofRefs
			after = append(after, clock)
		}
	}
	return before, after
}

// Phases end at barriers, even segments are even.
func TestWhereSegmentsEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	m := program(r, 6000, 7000, 8000, 9000)
	s := segmentsOf(t, m, 64)
	if n := len(s.Segments.Phases); n != 4 {
		t.Errorf("%d phases, want 4", n)
	}
	long := segmentsOf(t, program(r, 1_500_000), 64)
	if n := len(long.Segments.Phases); n != 1 {
		t.Errorf("%d phases without a barrier", n)
	}
	n := len(long.Segments.Even)
	if n < maxSegments/2 {
		t.Errorf("%d even segments", n)
	}
	for i, seg := range long.Segments.Even {
		if share := float64(seg.Refs) * float64(n) / float64(long.Refs); share < 0.5 || share > 1.6 {
			t.Errorf("segment %d of %d has %.2f times its share", i, n, share)
		}
	}
}

// Of three phases of 1000 references and a rest, half of the mean is (3000 + rest)/8, which is the rest at 428.6.
func TestWhatIsLeftIsJoined(t *testing.T) {
	for rest, want := range map[int]int{1: 3, 428: 3, 429: 4, 1000: 4} {
		t.Run(fmt.Sprint(rest), func(t *testing.T) {
			m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1), EventsOf: make([]trace.Events, 1)}
			for i := range 3000 + rest {
				m.RefsOf[0].Append(1, uint64(i%4)*64, 8, trace.Load)
			}
			for _, at := range []uint64{1000, 2000, 3000} {
				m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, trace.Event{Kind: trace.Barrier, Refs: at})
			}
			s := segmentsOf(t, m, 64)
			if n := len(s.Segments.Phases); n != want {
				t.Errorf("a rest of %d: %d segments, want %d", rest, n, want)
			}
			checkSegments(t, "phases", m, s, s.Segments.Phases)
		})
	}
}

// What segments cost, beside the same without.
func BenchmarkSegments(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 3))
	for _, spread := range []uint64{1 << 16, 1 << 22, 1 << 26} {
		refs := trace.Refs{}
		for range 2_000_000 {
			refs.Append(2, r.Uint64N(spread), 8, trace.Load)
		}
		m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{refs}, EventsOf: make([]trace.Events, 1)}
		for at := uint64(1000); at < 2_000_000; at += 1000 {
			m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, trace.Event{Kind: trace.Barrier, Refs: at})
		}
		for _, keep := range []bool{false, true} {
			b.Run(map[bool]string{true: "segments", false: "plain"}[keep]+"-"+unit.Bytes(spread).String(), func(b *testing.B) {
				for range b.N {
					s := (&Analysis{Lines: []unit.Bytes{64}}).NewShard(m.Head, 0).(*Shard)
					if keep {
						s.KeepSegments(64)
					}
					for p, err := range analysis.Program(m, 0) {
						if err != nil || s.Add(p) != nil {
							b.Fatal(err)
						}
					}
					if err := s.End(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(refs.Len())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrefs/s")
			})
		}
	}
}

func FuzzSegments(f *testing.F) {
	f.Add(uint64(1), uint16(9000), []byte{3, 0, 200})
	f.Add(uint64(2), uint16(1), make([]byte, 150))
	f.Fuzz(func(t *testing.T, seed uint64, first uint16, more []byte) {
		phases := []int{int(first % 10_000)}
		for _, n := range more[:min(len(more), 300)] {
			phases = append(phases, int(n))
		}
		m := program(rand.New(rand.NewPCG(seed, 4)), phases...)
		for _, asked := range []asker{nil, {64}} {
			s := segmentsBeside(t, m, asked, 64)
			checkSegments(t, "phases", m, s, s.Segments.Phases)
			checkSegments(t, "even", m, s, s.Segments.Even)
		}
	})
}

// Uses by class are those of the distances, however often they are asked for on the way.
func TestClassesAreDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	asked, other := NewStack(), NewStack()
	for part := range 60 {
		used := make([]uint64, 1000)
		for i := range used {
			used[i] = r.Uint64N(uint64(20 + 5*part))
		}
		for _, s := range []*Stack{asked, other} {
			if err := s.Touch(used); err != nil {
				t.Fatal(err)
			}
		}
		now := asked.classes()
		got, gotCold := now.uses, now.cold
		uses, cold := other.Distances()
		want := classesOf(uses)
		if len(got) > len(want) || !slices.Equal(slices.Concat(got, make([]uint64, len(want)-len(got))), want) || gotCold != cold {
			t.Fatalf("after %d uses: %v and %d first ones, want %v and %d", 1000*(part+1), got, gotCold, want, cold)
		}
	}
}
