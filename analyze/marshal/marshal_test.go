package marshal

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// run is the analysis of a trace.
func run(t testing.TB, src trace.Source, procs []trace.Proc, lines ...unit.Bytes) analysis.Result {
	t.Helper()
	results, err := analysis.Run(context.Background(), src, analysis.Options{Procs: procs}, &Analysis{Lines: lines})
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

// text is the rows of a table, column by column.
func text(t *store.Table) (rows []string) {
	for i := range t.Rows() {
		var cells []string
		for _, c := range t.Columns {
			cells = append(cells, fmt.Sprint(reflect.ValueOf(c.Data).Index(i)))
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return rows
}

func event(kind trace.Kind, refs int, l Layout, more func(*trace.Event)) trace.Event {
	e := trace.NewEvent(kind)
	e.Refs, e.Peer, e.Addr, e.Count, e.Block, e.Stride, e.Bytes = uint64(refs), 0, int64(l.Addr), l.Count, l.Block, l.Stride, l.Count*l.Block
	if more != nil {
		more(&e)
	}
	return e
}

func memory(procs int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "test", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr},
		RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}
	for p := range procs {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
	}
	return m
}

// A column of a matrix of 8 x 8 numbers of 8 bytes, lines of 64 bytes: a row is a line.
func TestUsedLines(t *testing.T) {
	m := memory(1)
	load := func(addrs ...uint64) {
		for _, a := range addrs {
			m.RefsOf[0].Append(1, a, 8, trace.Load)
		}
	}
	column := Layout{4096, 8, 8, 64}
	load(4096, 4096+64+8, 4096+128+56, 4096+128)               // three rows, ...
	send := event(trace.Send, 4, column, nil)                  // ... which are three of eight lines
	load(9000, 9001)                                           // nothing of it
	second := event(trace.Send, 6, column, nil)                //
	barrier := event(trace.Barrier, 6, Layout{}, nil)          // no message
	recv := event(trace.Recv, 6, Layout{8192, 1, 128, 0}, nil) // two lines
	load(8192 + 127)                                           // one of them
	irecv := event(trace.Irecv, 7, Layout{16384, 2, 64, 64}, func(e *trace.Event) { e.Request = 3 })
	load(16384) // before it has come: behind the recv
	wait := event(trace.Wait, 8, Layout{}, func(e *trace.Event) { e.Request, e.Bytes = 3, 65 })
	load(16384+64, 16384+65)
	lost := event(trace.Irecv, 10, Layout{16384, 1, 64, 64}, func(e *trace.Event) { e.Request = 4 })
	unknown := event(trace.Irecv, 10, Layout{32768, 1, 192, 0}, func(e *trace.Event) { e.Request = 5 })
	early := event(trace.Test, 10, Layout{}, func(e *trace.Event) { e.Request = 5 })
	load(32768) // before a test that succeeds
	late := event(trace.Test, 11, Layout{}, func(e *trace.Event) { e.Request, e.Peer, e.Count = 5, trace.None, 1 })
	load(32768+64, 32768+128)
	short := event(trace.Recv, 13, Layout{65536, 1, 128, 0}, func(e *trace.Event) { e.Bytes = 10 })
	m.EventsOf[0].Rows = []trace.Event{send, second, barrier, recv, irecv, wait, lost, unknown, early, late, short}
	r := run(t, m, nil, 64)
	want := []string{ // proc line kind bytes count block stride offset messages total packed expected lower upper placed mlt measured used
		"0 64 send 64 8 8 64 0 2 128 2 16.21875 -1 -1 2 16 2 3", // expected: (456 + 63)/64 each, as one stretch
		"0 64 recv 10 1 128 0 0 1 10 1 1.140625 1 2 1 1 1 0",    // bounds of 10 bytes
		"0 64 recv 128 1 128 0 0 1 128 2 2.984375 2 3 1 2 1 1",
		"0 64 irecv 64 1 64 0 0 1 64 1 1.984375 1 2 1 1 0 0",
		"0 64 irecv 65 2 64 64 0 1 65 2 2 2 3 1 2 1 1",          // a row of 65 bytes
		"0 64 irecv 192 1 192 0 0 1 192 3 3.984375 3 4 1 3 1 2", // nobody says how much came: all
	}
	if got := text(r.Full); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// naiveUsed is the definition: the lines of a buffer that an interval's references touch.
func naiveUsed(refs *trace.Refs, from, to uint64, l Layout, n int64, line unit.Bytes) (used uint64) {
	touched := naive(l, n, line)
	for i := from; i < to; i++ {
		for a := refs.Addr[i]; refs.Op[i].Data() && a < refs.Addr[i]+uint64(refs.Size[i]); a++ {
			if touched[a/uint64(line)] {
				used++
				delete(touched, a/uint64(line))
			}
		}
	}
	return used
}

// random makes a trace of messages with layouts of all sorts, and what its lines of 16
// bytes amount to: MLT, used.
func random(seed uint64) (m *trace.Memory, mlt, used uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	m = memory(3)
	for p := range m.EventsOf {
		refs := &m.RefsOf[p]
		var sent []trace.Event
		for range 40 {
			for range r.IntN(30) {
				refs.Append(1, 1<<16+r.Uint64N(600), uint16(1+r.IntN(20)), trace.Ops[r.IntN(5)])
			}
			l := Layout{1<<16 + r.Uint64N(300), r.Int64N(6), r.Int64N(30), r.Int64N(80) - 40}
			e := event([]trace.Kind{trace.Send, trace.Recv, trace.AllReduce}[r.IntN(3)], refs.Len(), l, nil)
			if e.Kind == trace.Recv {
				e.Bytes = r.Int64N(e.Bytes + 1)
			}
			sent = append(sent, e)
		}
		m.EventsOf[p].Rows = sent
		for i, e := range sent {
			if e.Count == 0 || e.Block == 0 {
				continue
			}
			from, to := uint64(0), e.Refs
			if i > 0 {
				from = sent[i-1].Refs
			}
			if e.Kind == trace.Recv {
				if from, to = e.Refs, uint64(refs.Len()); i+1 < len(sent) {
					to = sent[i+1].Refs
				}
			}
			l := Layout{uint64(e.Addr), e.Count, e.Block, e.Stride}
			mlt += uint64(len(naive(l, e.Bytes, 16)))
			used += naiveUsed(refs, from, to, l, e.Bytes, 16)
		}
	}
	return m, mlt, used
}

func total[T uint64 | float64](t testing.TB, table *store.Table, name string) (sum T) {
	t.Helper()
	data, err := store.Data[T](table, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range data {
		sum += n
	}
	return sum
}

func TestRandomTracesAreNaive(t *testing.T) {
	for seed := range uint64(100) {
		m, mlt, used := random(seed)
		m.InBatches(1 + int(seed%7)*10)
		full := run(t, m, nil, 16).Full
		inBounds(t, full)
		if got := total[uint64](t, full, "mlt"); got != mlt {
			t.Fatalf("seed %d: MLT %d, want %d", seed, got, mlt)
		}
		if got := total[uint64](t, full, "used"); got != used {
			t.Fatalf("seed %d: %d lines used, want %d", seed, got, used)
		}
		if n := total[uint64](t, full, "messages"); n != 120 {
			t.Fatalf("seed %d: %d messages", seed, n)
		}
	}
}

// inBounds holds the lines of every class to the bounds that it is said to have.
func inBounds(t testing.TB, full *store.Table) {
	t.Helper()
	messages, _ := store.Data[uint64](full, "messages")
	mlt, _ := store.Data[uint64](full, "mlt")
	lower, _ := store.Data[int64](full, "lower")
	upper, _ := store.Data[int64](full, "upper")
	for i, n := range messages {
		if upper[i] >= 0 && (mlt[i] < n*uint64(lower[i]) || mlt[i] > n*uint64(upper[i])) {
			t.Fatalf("%d lines are not within bounds: %s", mlt[i], text(full)[i])
		}
	}
}

// A receive fills 57 bytes of 4 blocks of 28 that follow each other downwards: 56 in a row, and one that lies apart, at the start of the third
// block. So that is no row of 57 bytes, and nothing is known of it.
func TestBoundsOfRowsFilledDownwards(t *testing.T) {
	for bytes, want := range map[int64][2]int64{56: {4, 5}, 57: {unknown, unknown}} {
		m := memory(1)
		m.EventsOf[0].Rows = []trace.Event{event(trace.Recv, 0, Layout{1<<16 + 8, 4, 28, -28}, func(e *trace.Event) { e.Bytes = bytes })}
		full := run(t, m, nil, 16).Full
		inBounds(t, full)
		lower, _ := store.Data[int64](full, "lower")
		upper, _ := store.Data[int64](full, "upper")
		if got := [2]int64{lower[0], upper[0]}; got != want {
			t.Errorf("%d bytes: bounds %v, want %v", bytes, got, want)
		}
	}
}

// What one line size says does not depend on the others, nor one processor on the others.
func TestSizesAndProcessorsAreIndependent(t *testing.T) {
	m, _, _ := random(5)
	var want []string
	for _, p := range []trace.Proc{0, 1, 2} {
		for _, line := range []unit.Bytes{8, 16, 128} {
			want = append(want, text(run(t, m, []trace.Proc{p}, line).Full)...)
		}
	}
	if got := text(run(t, m, nil, 8, 16, 128).Full); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Too many classes are added up, and nothing is lost.
func TestRestOfTheClasses(t *testing.T) {
	m, _, _ := random(7)
	sums := func(limit int) (rows int, mlt, used, bytes uint64, expected float64) {
		var all []row
		for p := range m.EventsOf {
			s := newShard(trace.Proc(p), []unit.Bytes{16}, trace.DataOps)
			s.limit = limit
			for piece, err := range analysis.Program(m, trace.Proc(p)) {
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Add(piece); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.End(); err != nil {
				t.Fatal(err)
			}
			of, _ := s.rows(0, 16)
			all = append(all, of...)
		}
		table := fullTable(all, nil)
		return len(all), total[uint64](t, table, "mlt"), total[uint64](t, table, "used"), total[uint64](t, table, "total"), total[float64](t, table, "expected")
	}
	n, a, b, c, d := sums(maxClasses)
	few, e, f, g, h := sums(4)
	if few > 3*7 || n < 100 || a != e || b != f || c != g || math.Abs(d-h) > 1e-9*d { // another order of the sum
		t.Errorf("%d rows with sums %d %d %d %v, and %d with %d %d %d %v", n, a, b, c, d, few, e, f, g, h)
	}
}

// Traces that have no messages, or no addresses, or that are wrong.
func TestEdges(t *testing.T) {
	none := memory(2)
	if r := run(t, none, nil, 64); r.Full.Rows() != 0 || len(r.Warnings) != 1 {
		t.Errorf("no messages: %v, %v", text(r.Full), r.Warnings)
	}
	imported := memory(1)
	imported.EventsOf[0].Rows = []trace.Event{
		event(trace.Send, 0, Layout{}, func(e *trace.Event) { e.Bytes = 1000 }),
		event(trace.Wait, 0, Layout{}, func(e *trace.Event) { e.Request = 9 }),
		event(trace.Recv, 0, Layout{}, nil),
		event(trace.Bcast, 0, Layout{0, 4, 8, -128}, nil), // a layout without an address
	}
	want := []string{
		"0 64 send 1000 1 1000 0 -1 1 1000 16 16.609375 16 17 0 0 0 0",
		"0 64 recv 0 1 0 0 -1 1 0 0 0 0 0 0 0 0 0",
		"0 64 bcast 32 4 8 -128 -1 1 32 1 4.4375 -1 -1 0 0 0 0",
	}
	if got := text(run(t, imported, nil, 64).Full); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, l := range []Layout{{100, 2, 8, -128}, {math.MaxUint64 - 3, 1, 8, 0}} {
		m := memory(1)
		m.EventsOf[0].Rows = []trace.Event{event(trace.Send, 0, l, nil)}
		_, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{Lines: []unit.Bytes{64}})
		if err == nil || !strings.Contains(err.Error(), "processor 0: send after 0 references: ") {
			t.Errorf("%+v: %v", l, err)
		}
	}
	alone := memory(1) // no references: nobody knows what is used
	alone.EventsOf[0].Rows = []trace.Event{event(trace.Send, 0, Layout{4096, 1, 64, 0}, nil)}
	if got := run(t, alone, nil, 64).Full; total[uint64](t, got, "placed") != 1 || total[uint64](t, got, "measured") != 0 {
		t.Errorf("without references: %v", text(got))
	}
	end := memory(1) // to the last byte there is
	end.RefsOf[0].Append(1, math.MaxUint64-7, 8, trace.Store)
	end.EventsOf[0].Rows = []trace.Event{event(trace.Send, 1, Layout{math.MaxUint64 - 127, 1, 128, 0}, nil)}
	if got := total[uint64](t, run(t, end, nil, 64).Full, "used"); got != 1 {
		t.Errorf("%d lines at the end of memory", got)
	}
}

// benchmarkTrace has an interval of n references for each of so many messages.
func benchmarkTrace(messages, n int) *trace.Memory {
	r := rand.New(rand.NewPCG(1, 1))
	m := memory(1)
	for range messages {
		for range n {
			m.RefsOf[0].Append(1, 1<<20+uint64(float64(1<<22)*r.Float64()*r.Float64()*r.Float64()), 8, trace.Load)
		}
		m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, event(trace.Send, m.RefsOf[0].Len(), Layout{1 << 20, 500, 8, 4096}, nil))
	}
	return m.InBatches(1 << 14)
}

func BenchmarkUsed(b *testing.B) {
	m := benchmarkTrace(100, 10_000)
	for b.Loop() {
		run(b, m, []trace.Proc{0}, 64)
	}
	b.ReportMetric(float64(b.N)*float64(m.RefsOf[0].Len())/1e6/b.Elapsed().Seconds(), "Mrefs/s")
}

// BenchmarkHash puts the same lines into a map of Go, emptied for each message.
func BenchmarkHash(b *testing.B) {
	m := benchmarkTrace(100, 10_000)
	for b.Loop() {
		used := map[uint64]struct{}{}
		for i, a := range m.RefsOf[0].Addr {
			if i%10_000 == 0 {
				clear(used)
			}
			used[a/64] = struct{}{}
		}
	}
	b.ReportMetric(float64(b.N)*float64(m.RefsOf[0].Len())/1e6/b.Elapsed().Seconds(), "Mrefs/s")
}

func BenchmarkLines(b *testing.B) {
	n := uint64(0)
	for b.Loop() {
		l, _ := Layout{n % 64, 1 << 40, 12, 8004}.Lines(64)
		n += l
	}
}

// counting counts the references of a trace that are read.
type counting struct {
	trace.Source
	refs *int
}

func (c counting) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return func(yield func(*trace.Refs, error) bool) {
		for b, err := range c.Source.Refs(procs...) {
			if err == nil {
				*c.refs += b.Len()
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// Where no message has an address references say nothing, and processors that have none are not read.
func TestReferencesOfPlacedMessages(t *testing.T) {
	m, _, _ := random(5)
	for p := range m.EventsOf[:2] {
		for i := range m.EventsOf[p].Rows {
			m.EventsOf[p].Rows[i].Addr = 0
		}
	}
	m.EventsOf[1].Rows[39].Addr = 1 << 16
	want, read := text(run(t, m, nil, 16, 64).Full), 0
	results, err := analysis.Run(context.Background(), counting{m, &read}, analysis.Options{}, &Analysis{Lines: []unit.Bytes{16, 64}, Events: m})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(results[0].Full); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if need := m.RefsOf[1].Len() + m.RefsOf[2].Len(); read != need {
		t.Errorf("%d references read, not the %d of processors 1 and 2", read, need)
	}
}
