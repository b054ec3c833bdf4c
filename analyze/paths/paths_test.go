package paths

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/analyze/comm"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// source returns a trace with the events of each processor.
func source(ranks ...[]trace.Event) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "test", Format: "test", Procs: len(ranks), WorkUnit: trace.WorkInstr}}
	for p, rows := range ranks {
		m.RefsOf = append(m.RefsOf, trace.Refs{Proc: trace.Proc(p)})
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: rows})
	}
	return m
}

func event(k trace.Kind, instr uint32, peer int32, bytes int64) trace.Event {
	e := trace.NewEvent(k)
	e.Instr, e.Peer, e.Bytes = instr, peer, bytes
	if peer >= 0 {
		e.Tag = 0
	}
	return e
}

// stencil has n processors that exchange messages with their neighbours, and compute different amounts.
func stencil(n, steps int, rng *rand.Rand) *trace.Memory {
	ranks := make([][]trace.Event, n)
	for range steps {
		for r := range ranks {
			left, right := int32((r+n-1)%n), int32((r+1)%n)
			ranks[r] = append(ranks[r], event(trace.Isend, rng.Uint32N(2000), left, rng.Int64N(300)), event(trace.Isend, 50, right, rng.Int64N(300)))
		}
		for r := range ranks {
			left, right := int32((r+n-1)%n), int32((r+1)%n)
			ranks[r] = append(ranks[r], event(trace.Recv, 0, right, 0), event(trace.Recv, 0, left, 0))
		}
	}
	for r := range ranks {
		ranks[r] = append(ranks[r], event(trace.AllReduce, 10, -1, 8))
	}
	return source(ranks...)
}

func compiled(t *testing.T, src trace.Source) *Program {
	t.Helper()
	p, err := Compile(src, comm.Doubling)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPing computes the time of a message by hand: o_s + L + (s-1) G + o_r, and that of the second, which waits for the port.
func TestPing(t *testing.T) {
	p := compiled(t, source(
		[]trace.Event{event(trace.Send, 10, 1, 101), event(trace.Send, 0, 1, 1)},
		[]trace.Event{event(trace.Recv, 0, 0, 0), event(trace.Recv, 0, 0, 0)}))
	c := Vector{Instruction: 1000, Send: 20, Receive: 30, Latency: 500, Gap: 40, Byte: 2}
	// The first arrives at 10000+20+500+200; the second leaves at 10000+40+200 and arrives at 10240+20+500; both are taken up.
	got, counts, err := p.Time(Class{SendPort, -1}, c)
	if err != nil || got != 10_240+20+500+30 || counts != (Vector{Instruction: 10, Send: 1, Receive: 1, Latency: 1, Gap: 1, Byte: 100}) {
		t.Errorf("%v with %v, %v", got, counts, err)
	}
	// With rendezvous, the first asks (20+500), is answered (30+20+500), and sends its bytes (30+20+500+200).
	got, _, err = p.Time(Class{SendPort, 100}, c)
	if want := 10_000 + 20 + 500 + 30 + 20 + 500 + 30; err != nil || got < 0 || int(got) < want {
		t.Errorf("with rendezvous %v, %v; at least %v", got, err, want)
	}
}

// TestCover: the longest of the paths is never above the time of the program without contention, equal at the costs where they were
// found, and nearly so elsewhere.
func TestCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		p := compiled(t, stencil(2+rng.IntN(7), 20, rng))
		s := &search{Program: p, box: boxOf(p, trace.WorkInstr)}
		found, err := s.cover(-1)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found.paths {
			costs := path.Costs.floats()
			if got := longest(found.paths, &costs); got != float64(path.Time) {
				t.Errorf("%v ps where the program takes %v", got, path.Time)
			}
		}
		for range 500 {
			at := s.box.random(rng)
			costs := at.floats()
			end, err := p.path(Class{NoPort, -1}, at)
			if share := longest(found.paths, &costs) / float64(end.at); err != nil || share > 1 || share < 0.98 {
				t.Errorf("%v of the time at %v, %v", share, at, err)
			}
		}
	}
}

// TestTerm: a term is the same after it was written and read. Its time without contention is that of the longest path, and its time with
// contention is near that of a simulation.
func TestTerm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	src := stencil(6, 30, rng)
	a := &Analysis{Events: src, Collectives: comm.Doubling, Rendezvous: []int64{-1, 200, 1 << 20}}
	res, err := a.Merge(nil)
	if err != nil || len(res.Warnings) > 0 {
		t.Fatal(err, res.Warnings)
	}
	path := t.TempDir() + "/paths.arrow"
	if err := store.WriteTable(path, res.Tables[0]); err != nil {
		t.Fatal(err)
	}
	table, err := store.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	term, err := Load(table)
	if err != nil {
		t.Fatal(err)
	}
	p, worst := compiled(t, src), 0.0
	boxAt := boxOf(p, trace.WorkInstr)
	for i := range 300 {
		at := boxAt.random(rng)
		c := Class{[]Ports{NoPort, SendPort, BothPort}[i%3], []int64{-1, 200, 1 << 30}[i/3%3]}
		end, err := p.path(c, at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := term.Time(Machine{c, at.floats()})
		off := float64(got.Time)*1e12/float64(end.at) - 1
		if err != nil || c.Ports == NoPort && (math.Abs(off) > 0.1 || c.Rendezvous != 200 && (off > 1e-12 || off < -0.02)) {
			t.Fatalf("%+v: %v off at %v, %v", c, off, at, err)
		}
		worst = max(worst, math.Abs(off))
	}
	if worst > 0.5 {
		t.Errorf("with contention at most %v off", worst)
	}
	if _, err := term.Time(Machine{Class{SendPort, 77}, Vector{Instruction: 1}.floatsOf()}); err == nil || !strings.Contains(err.Error(), "--rendezvous none,77B") {
		t.Errorf("an uncounted limit: %v", err)
	}
}

func (v Vector) floatsOf() [costs]float64 { return v.floats() }

// TestUnfit: programs whose time is no function of this kind say why.
func TestUnfit(t *testing.T) {
	send, receive := event(trace.Send, 0, 1, 8), event(trace.Recv, 0, 0, 0)
	nonblocking := event(trace.Barrier, 0, -1, 0)
	nonblocking.Request = 1
	graph := send
	graph.Needs = []int64{}
	for want, src := range map[string]*trace.Memory{
		"passes no messages":                    source([]trace.Event{event(trace.Compute, 5, -1, 0)}, nil),
		"of any processor":                      source([]trace.Event{send}, []trace.Event{event(trace.Recv, 0, -1, 0)}),
		"is a graph":                            source([]trace.Event{graph}, []trace.Event{receive}),
		"is nonblocking":                        source([]trace.Event{send, nonblocking}, []trace.Event{receive, nonblocking}),
		"shares memory":                         source([]trace.Event{send, event(trace.Lock, 0, 3, 0)}, []trace.Event{receive}),
		"receives without messages: 1":          source([]trace.Event{send}, []trace.Event{receive, receive}),
		"wait for ever":                         source([]trace.Event{event(trace.Recv, 0, 1, 0), send}, []trace.Event{receive, event(trace.Send, 0, 0, 8)}),
		"probes for a message that it does not": source([]trace.Event{send}, []trace.Event{receive, event(trace.Probe, 0, 0, 0)}),
	} {
		res, err := (&Analysis{Events: src, Collectives: comm.Doubling, Rendezvous: []int64{-1}}).Merge(nil)
		if err != nil || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0].Error(), want) {
			t.Errorf("%s: %v, %v", want, res.Warnings, err)
			continue
		}
		term, err := Load(res.Tables[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := term.Time(Machine{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the term says %v", want, err)
		}
	}
	wrong := source([]trace.Event{event(trace.Send, 0, 5, 8)}, nil)
	if _, err := Compile(wrong, comm.Doubling); err == nil || errors.As(err, &unfit{}) {
		t.Errorf("a message to nobody: %v", err)
	}
}

// TestRendezvousDeadlock: a program that relies on buffers has paths without the rendezvous protocol only.
func TestRendezvousDeadlock(t *testing.T) {
	src := source(
		[]trace.Event{event(trace.Send, 5, 1, 100), event(trace.Recv, 0, 1, 0)},
		[]trace.Event{event(trace.Send, 5, 0, 100), event(trace.Recv, 0, 0, 0)})
	res, err := (&Analysis{Events: src, Collectives: comm.Doubling, Rendezvous: []int64{-1, 50}}).Merge(nil)
	if err != nil || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0].Error(), "more than 50B use the rendezvous") {
		t.Fatal(res.Warnings, err)
	}
	term, err := Load(res.Tables[0])
	if err != nil {
		t.Fatal(err)
	}
	costs := Vector{Instruction: 1000, Latency: 5}
	if _, err := term.Time(Machine{Class{NoPort, -1}, costs.floats()}); err != nil {
		t.Error(err)
	}
	if _, err := term.Time(Machine{Class{NoPort, 50}, costs.floats()}); err == nil || !strings.Contains(err.Error(), "wait for ever") {
		t.Error(err)
	}
}
