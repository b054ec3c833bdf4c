package format

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/traces/format/internal/csv"
	"spoor/traces/format/internal/din"
	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/lackey"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// positions are what package trace defines: sums of Instr and of the Work of
// Compute events, here of one processor's references and events.
func positions(m *trace.Memory) (refs, marks []uint64, end uint64) {
	var pos, ev uint64
	all, next := formattest.Events(m, 0), 0
	take := func(e *trace.Event) {
		ev += uint64(e.Instr)
		if e.Kind == trace.Marker {
			marks = append(marks, ev)
		}
		ev += uint64(e.Work)
		pos += uint64(e.Work)
	}
	for i, r := range formattest.Rows(m, 0) {
		for ; next < len(all) && all[next].Refs <= uint64(i); next++ {
			take(&all[next])
		}
		pos += uint64(r.Instr)
		refs = append(refs, pos)
	}
	for ; next < len(all); next++ {
		take(&all[next])
	}
	return refs, marks, max(pos, ev)
}

// Whatever the distances between references and markers, positions are the sums
// of what was executed.
func TestStreamKeepsPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	gaps := []uint64{0, 0, 1, 1, 7, 1 << 20, math.MaxInt32 - 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxInt32 + 2,
		math.MaxUint32 - 1, math.MaxUint32, math.MaxUint32 + 1, math.MaxUint32 + 2, 3 * math.MaxUint32, 1 << 40}
	for range 3000 {
		sink := new(formattest.MemorySink)
		s := emit.NewStream(sink, 0)
		var now uint64
		var refs, marks []uint64
		for range rng.IntN(12) {
			switch rng.IntN(4) {
			case 0, 1:
				gap := gaps[rng.IntN(len(gaps))]
				s.Execute(gap)
				now += gap
			case 2:
				s.Ref(64, 8, trace.Load)
				refs = append(refs, now)
				if rng.IntN(4) == 0 {
					s.Unref()
					refs = refs[:len(refs)-1]
				}
			case 3:
				s.Mark(trace.NewEvent(trace.Marker))
				marks = append(marks, now)
			}
		}
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		m := &sink.Memory
		m.Head = trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}
		if err := trace.Check(m); err != nil {
			t.Fatalf("%v\n%v\n%v", err, formattest.Rows(m, 0), formattest.Events(m, 0))
		}
		gotRefs, gotMarks, end := positions(m)
		if !slices.Equal(gotRefs, refs) || !slices.Equal(gotMarks, marks) || end != now {
			t.Fatalf("positions %v, markers %v, end %d; want %v, %v, %d\n%v\n%v", gotRefs, gotMarks, end, refs, marks, now, formattest.Rows(m, 0), formattest.Events(m, 0))
		}
	}
}

func TestStreamBatches(t *testing.T) {
	for _, n := range []int{0, 1, emit.StreamRows - 1, emit.StreamRows, emit.StreamRows + 1, 3*emit.StreamRows + 5} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			sink := new(formattest.MemorySink)
			s := emit.NewStream(sink, 0)
			for i := range n {
				s.Execute(1)
				s.Ref(uint64(i), 1, trace.Load)
				if i == n-1 { // also when it is the first of a batch
					s.Unref()
					s.Ref(uint64(i), 1, trace.Store)
				}
			}
			if err := s.Finish(); err != nil {
				t.Fatal(err)
			}
			got := formattest.Rows(&sink.Memory, 0)
			if len(got) != n || n > 0 && got[n-1] != (formattest.Row{Instr: 1, Addr: uint64(n - 1), Size: 1, Op: trace.Store}) {
				t.Errorf("%d references: %d came, the last %+v", n, len(got), got[max(0, len(got)-1):])
			}
		})
	}
}

func TestSinkErrorsEndImports(t *testing.T) {
	full := errors.New("disk full")
	for _, c := range []struct {
		im   format.Importer
		text string
	}{{lackey.Lackey{}, "I  00401000,7\n"}, {din.Din{}, "0 1000\n"}, {din.XDin{}, "r 1000 4\n"}, {csv.CSV{}, "addr\n64\n"}, {din.D4Bin{}, "\x00\x10\x00\x00\x04\x00\x00\x00"}} {
		t.Run(c.text, func(t *testing.T) {
			in := formattest.Open(t, c.text)
			if _, err := c.im.Import(in, format.Options{}, &formattest.MemorySink{Err: full}); !errors.Is(err, full) {
				t.Errorf("%s: %v", c.im.Info().Name, err)
			}
		})
	}
}
