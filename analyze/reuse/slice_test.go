package reuse

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// rowsOf is the slice of a trace that has rows from up to to. The last slice also has the events at its end.
func rowsOf(m *trace.Memory, from, to int, last bool) *trace.Memory {
	out := &trace.Memory{Head: m.Head, RefsOf: []trace.Refs{m.RefsOf[0].Slice(from, to)}, EventsOf: make([]trace.Events, 1)}
	for _, e := range m.EventsOf[0].Rows {
		if at := int(e.Refs); at >= from && (at < to || last) {
			e.Refs -= uint64(from)
			out.EventsOf[0].Rows = append(out.EventsOf[0].Rows, e)
		}
	}
	return out
}

// shardOf returns the shard of a new analysis of some line sizes, with segments or without.
func shardOf(h trace.Header, segments bool) (*Analysis, *Shard) {
	a := &Analysis{Lines: []unit.Bytes{64, 128}}
	s := a.NewShard(h, 0).(*Shard)
	if segments {
		s.KeepSegments(128)
	}
	return a, s
}

// state returns the JSON of the shard after a run.
func state(t testing.TB, m *trace.Memory, segments bool, firstRow func(trace.Proc) uint64) string {
	t.Helper()
	a, s := shardOf(m.Head, segments)
	if _, err := analysis.Run(context.Background(), m, analysis.Options{Procs: []trace.Proc{0}, FirstRow: firstRow}, a); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkSlices joins slices that end at the given rows, and compares the result with that of the whole.
func checkSlices(t testing.TB, m *trace.Memory, ends ...int) {
	t.Helper()
	for _, segments := range []bool{false, true} {
		_, joined := shardOf(m.Head, segments)
		from := 0
		for i, to := range append(ends, m.RefsOf[0].Len()) {
			part := state(t, rowsOf(m, from, to, i == len(ends)), segments, func(trace.Proc) uint64 { return uint64(from) })
			if err := joined.Append([]byte(part)); err != nil {
				t.Fatal(err)
			}
			from = to
		}
		if err := joined.End(); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(joined)
		if err != nil {
			t.Fatal(err)
		}
		if want := state(t, m, segments, nil); string(got) != want {
			t.Fatalf("%d slices, segments %v:\n%.3000s\nwant\n%.3000s", len(ends)+1, segments, got, want)
		}
	}
}

// random returns ascending random rows.
func random(r *rand.Rand, n, rows int) (ends []int) {
	for range n {
		ends = append(ends, r.IntN(rows+1))
	}
	slices.Sort(ends)
	return ends
}

// Slices of any length are joined to what the whole stream gives. Events and references may disagree about the time.
func TestSlicesJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	many := make([]int, 2500)
	for i := range many {
		many[i] = r.IntN(20)
	}
	for name, phases := range map[string][]int{"one": {30_000}, "few": {5000, 0, 9000, 100, 7000}, "many": many, "tiny": {3}, "nothing": {0, 0}} {
		t.Run(name, func(t *testing.T) {
			m := program(r, phases...)
			rows := m.RefsOf[0].Len()
			for i := range m.EventsOf[0].Rows {
				e := &m.EventsOf[0].Rows[i]
				e.Group = int32(r.IntN(2) - 1)
				if r.IntN(4) == 0 {
					*e = trace.Event{Kind: trace.Compute, Refs: e.Refs, Instr: uint32(r.IntN(30_000)), Work: r.Int64N(100_000)}
				}
			}
			m.Head.WorkUnit = trace.WorkInstr
			for _, n := range []int{0, 1, 2, 15, 40} {
				checkSlices(t, m, random(r, n, rows)...)
			}
			checkSlices(t, m, min(4096, rows), min(8192, rows))
		})
	}
}

// Slices of one reference each.
func TestSlicesOfOneRow(t *testing.T) {
	m := program(rand.New(rand.NewPCG(41, 2)), 20, 0, 30, 60)
	var ends []int
	for i := range m.RefsOf[0].Len() - 1 {
		ends = append(ends, i+1)
	}
	checkSlices(t, m, ends...)
}

// Large footprints, with phases of near uses, decide where segments end.
func TestSlicesOfManyLines(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 3))
	m := program(r, 0, 0, 0)
	for i := range 150_000 {
		line := r.Uint64N(60_000)
		if i/10_000%2 == 0 {
			line = uint64(i) % 5
		}
		m.RefsOf[0].Append(1, line*64, 8, trace.Load)
	}
	checkSlices(t, m, random(r, 7, m.RefsOf[0].Len())...)
}

func FuzzSlices(f *testing.F) {
	f.Add(uint64(1), uint16(9000), uint8(3), []byte{3, 0, 200})
	f.Add(uint64(2), uint16(1), uint8(20), make([]byte, 150))
	f.Fuzz(func(t *testing.T, seed uint64, first uint16, n uint8, more []byte) {
		phases := []int{int(first % 10_000)}
		for _, n := range more[:min(len(more), 300)] {
			phases = append(phases, int(n))
		}
		r := rand.New(rand.NewPCG(seed, 5))
		m := program(r, phases...)
		checkSlices(t, m, random(r, int(n%32), m.RefsOf[0].Len())...)
	})
}

// What does not fit, or is damaged, is an error.
func TestSlicesThatDoNotFit(t *testing.T) {
	m := program(rand.New(rand.NewPCG(41, 4)), 100, 200)
	part := state(t, rowsOf(m, 0, 150, false), true, func(trace.Proc) uint64 { return 0 })
	for text, want := range map[string]string{
		state(t, m, true, nil): "it holds no part of a stream",
		state(t, rowsOf(m, 10, 150, false), true, func(trace.Proc) uint64 { return 10 }): "it starts at row 10, but the part before it ends at row 0",
		strings.Replace(part, `"First":"`, `"First":"AAAA`, 1):                           "its lists of lines are damaged",
		strings.Replace(part, `"First":`, `"First":9`, 1):                                "",
		regexp.MustCompile(`"Uses":"[^"]*"`).ReplaceAllString(part, `"Uses":"/////w=="`): "its counts of uses are damaged",
		part[:len(part)/2]: "unexpected end",
		regexp.MustCompile(`"Last":"....`).ReplaceAllString(part, `"Last":"fn5+`): "its lists of lines are damaged",
	} {
		_, s := shardOf(m.Head, true)
		if err := s.Append([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50s: %v, want %q", text, err, want)
		}
	}
}

// A sample, prefetches and flushes are refused.
func TestWhatCannotBeSliced(t *testing.T) {
	sampled := (&Analysis{Lines: []unit.Bytes{64}, Sampling: Sampling{Rate: 0.5}}).NewShard(trace.Header{Procs: 1}, 0).(*Shard)
	if err := sampled.Slice(0); err == nil || !strings.Contains(err.Error(), "cannot sample") {
		t.Error(err)
	}
	for _, op := range []trace.Op{trace.Prefetch, trace.Flush} {
		m := program(rand.New(rand.NewPCG(41, 5)), 100)
		m.RefsOf[0].Append(1, 64, 8, op)
		a, _ := shardOf(m.Head, true)
		_, err := analysis.Run(context.Background(), m, analysis.Options{Procs: []trace.Proc{0}, FirstRow: func(trace.Proc) uint64 { return 0 }}, a)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("(%v), which --shard cannot follow", op)) {
			t.Error(err)
		}
	}
}

// More instructions than a trace can have are an error, as in one run.
func TestSlicesOfTooManyInstructions(t *testing.T) {
	m := program(rand.New(rand.NewPCG(41, 7)), 10)
	m.Head.WorkUnit = trace.WorkInstr
	e := trace.NewEvent(trace.Compute)
	e.Work = 1 << 62
	m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, e)
	_, s := shardOf(m.Head, true)
	var err error
	for row := uint64(0); row < 20; row += 10 {
		if err == nil {
			err = s.Append([]byte(state(t, m, true, func(trace.Proc) uint64 { return row })))
		}
	}
	if err == nil || !strings.Contains(err.Error(), "more than 2^63 instructions") {
		t.Error(err)
	}
}

// The class of every distance is that of the definition.
func TestClassesOfUses(t *testing.T) {
	check := func(d uint32) {
		var got classTally
		if got.add([]uint32{d}); got[classOf(d)] != 1 {
			t.Errorf("distance %d is not in class %d", d, classOf(d))
		}
	}
	for d := range uint32(5000) {
		check(d)
	}
	for _, start := range classStarts {
		for _, d := range []uint32{start - 1, start, start + 1} {
			check(d)
		}
	}
}
