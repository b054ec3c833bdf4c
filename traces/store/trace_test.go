package store

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"spoor/traces/trace"
)

// header is a final header with something in every field.
func header(procs int) trace.Header {
	return trace.Header{
		Program: "fft", Format: "spmd", Args: []trace.Arg{{Key: "points", Value: "<64>"}, {Key: "é", Value: ""}},
		Procs: procs, Seed: 1<<64 - 1, Rule: "merge by instructions", WorkUnit: trace.WorkInstr,
		Inputs: []string{zeroDigest}, Tool: "tracegen 0.1.0", Notes: []string{"a note"},
		Regions: []trace.Region{
			{Name: "x <é>", Owner: trace.Everyone, Base: 1 << 28, Bytes: 1 << 20, Home: trace.Home{Kind: trace.CyclicHome, Bytes: 64}},
			{Name: "y", Owner: trace.Everyone, Base: 1 << 30, Bytes: 7, Home: trace.Home{Kind: trace.ExplicitHome, Procs: []trace.Proc{1, 0}}},
			{Name: "", Owner: 1, Base: 1<<47 - 1, Bytes: 0},
		},
	}
}

// memory is a random trace of the given rows per processor.
func memory(rng *rand.Rand, h trace.Header, refs, events int) *trace.Memory {
	m := &trace.Memory{Head: h}
	for p := range h.Procs {
		r := trace.Refs{Proc: trace.Proc(p)}
		for range refs {
			r.Append(rng.Uint32N(9), rng.Uint64N(1<<40), uint16(1+rng.UintN(64)), trace.Ops[rng.IntN(len(trace.Ops))])
			if h.HasPC {
				r.PC = append(r.PC, rng.Uint64N(1<<20))
			}
		}
		m.RefsOf = append(m.RefsOf, r)
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: randomEvents(rng, h, refs, events)})
	}
	return m
}

func randomEvents(rng *rand.Rand, h trace.Header, refs, n int) []trace.Event {
	var rows []trace.Event
	for i := range n {
		e := trace.NewEvent(trace.Kinds[rng.IntN(len(trace.Kinds))])
		e.Instr, e.Refs = rng.Uint32N(1000), uint64(refs*i/n)
		e.Peer, e.Tag, e.Group, e.Request = rng.Int32N(9)-1, rng.Int32N(9)-1, rng.Int32N(9)-1, rng.Int32N(9)-1
		e.Bytes, e.Addr, e.Count, e.Block = rng.Int64N(1<<40), rng.Int64()-rng.Int64(), rng.Int64N(9), rng.Int64N(9)
		e.Stride, e.Work = rng.Int64N(99)-50, rng.Int64()
		if h.HasTime {
			e.Time = rng.Int64()
		}
		switch rng.IntN(3) {
		case 0:
			e.Needs = []int64{}
		case 1:
			e.Needs = []int64{rng.Int64N(10), rng.Int64N(10)}
		}
		rows = append(rows, e)
	}
	return rows
}

// save writes m in pieces of the given size, processors taking turns.
func save(t testing.TB, prefix string, m *trace.Memory, piece int) {
	t.Helper()
	saveBatches(t, prefix, m, piece, batchRows)
}

// saveBatches does so with batches of the given number of rows.
func saveBatches(t testing.TB, prefix string, m *trace.Memory, piece, rows int) {
	t.Helper()
	saveAs(t, Create, prefix, m, piece, rows)
}

// saveAs does so with Create or CreateArchive.
func saveAs(t testing.TB, create func(string, trace.Header) (*Writer, error), prefix string, m *trace.Memory, piece, rows int) {
	t.Helper()
	first := m.Head
	first.Procs, first.Inputs, first.Notes, first.Regions = 0, nil, nil, nil
	w, err := create(prefix, first)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	w.rows, w.most = rows, rows
	for i, more := 0, true; more; i += piece {
		more = false
		for p := range m.RefsOf {
			if r := &m.RefsOf[p]; i < r.Len() {
				part := r.Slice(i, min(i+piece, r.Len()))
				if err := w.Refs(&part); err != nil {
					t.Fatal(err)
				}
				more = true
			}
		}
		for p := range m.EventsOf {
			if rows := m.EventsOf[p].Rows; i < len(rows) {
				if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: rows[i:min(i+piece, len(rows))]}); err != nil {
					t.Fatal(err)
				}
				more = true
			}
		}
	}
	if err := w.Close(m.Head); err != nil {
		t.Fatal(err)
	}
}

// load collects a source, or its first error.
func load(s trace.Source, procs ...trace.Proc) (*trace.Memory, error) {
	m := &trace.Memory{Head: s.Header(), RefsOf: make([]trace.Refs, s.Header().Procs), EventsOf: make([]trace.Events, s.Header().Procs)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
	}
	for b, err := range s.Refs(procs...) {
		if err != nil {
			return nil, err
		}
		r := &m.RefsOf[b.Proc]
		r.Instr, r.Addr, r.Size = append(r.Instr, b.Instr...), append(r.Addr, b.Addr...), append(r.Size, b.Size...)
		r.Op, r.PC = append(r.Op, b.Op...), append(r.PC, b.PC...)
	}
	for b, err := range s.Events(procs...) {
		if err != nil {
			return nil, err
		}
		for _, e := range b.Rows {
			if e.Needs != nil {
				e.Needs = append([]int64{}, e.Needs...)
			}
			m.EventsOf[b.Proc].Rows = append(m.EventsOf[b.Proc].Rows, e)
		}
	}
	return m, nil
}

func TestTraceComesBackAsWritten(t *testing.T) {
	for _, c := range []struct {
		name                string
		procs, refs, events int
		pc, time            bool
		piece               int
	}{
		{"nothing", 1, 0, 0, false, false, 10},
		{"no processors", 0, 0, 0, false, false, 10},
		{"one row", 1, 1, 1, false, false, 10},
		{"several processors, optional columns", 3, 1000, 50, true, true, 7},
		{"less than a batch", 1, batchRows - 1, 10, false, true, 1 << 20},
		{"a batch", 1, batchRows, 10, false, false, 1 << 20},
		{"more than a batch", 2, batchRows + 1, 10, true, false, 100_000},
		{"refs alone", 2, 100, 0, false, false, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := header(c.procs)
			h.HasPC, h.HasTime = c.pc, c.time
			if c.pc {
				h.Unrecorded = trace.Unrecorded{Instr: 0.4583, Refs: 1}
			}
			want := memory(rand.New(rand.NewPCG(1, 2)), h, c.refs, c.events)
			prefix := filepath.Join(t.TempDir(), "x")
			save(t, prefix, want, c.piece)
			got, err := Open(prefix)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Close()
			same(t, got, want)
		})
	}
}

// same fails unless s holds exactly what want does.
func same(t *testing.T, s *Trace, want *trace.Memory) {
	t.Helper()
	if !reflect.DeepEqual(s.Header(), want.Head) {
		t.Fatalf("header %+v, want %+v", s.Header(), want.Head)
	}
	m, err := load(s)
	if err != nil {
		t.Fatal(err)
	}
	for p := range want.RefsOf {
		if !sameRefs(&m.RefsOf[p], &want.RefsOf[p]) {
			t.Fatalf("references of processor %d differ", p)
		}
		if len(m.EventsOf[p].Rows)+len(want.EventsOf[p].Rows) > 0 && !reflect.DeepEqual(m.EventsOf[p], want.EventsOf[p]) {
			t.Fatalf("events of processor %d differ", p)
		}
	}
}

func sameRefs(a, b *trace.Refs) bool {
	return a.Proc == b.Proc && slices.Equal(a.Instr, b.Instr) && slices.Equal(a.Addr, b.Addr) &&
		slices.Equal(a.Size, b.Size) && slices.Equal(a.Op, b.Op) && slices.Equal(a.PC, b.PC)
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
