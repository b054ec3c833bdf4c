package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// item is one reference or event in an order, or that a processor stops, for comparison.
type item struct {
	proc  trace.Proc
	addr  uint64     // of a reference
	kind  trace.Kind // of an event, or that stops the processor: none at its end
	peer  int32
	instr uint64
	time  uint64
	stops bool
}

// flatten splits the chunks of an order into items.
func flatten(t testing.TB, src trace.Source) (items []item, err error) {
	t.Helper()
	clock := make([]uint64, src.Header().Procs)
	for p, err := range Interleave(src) {
		if err != nil {
			return items, err
		}
		if p.Event != nil {
			clock[p.Proc] = uint64(p.Time)
			items = append(items, item{proc: p.Proc, kind: p.Event.Kind, peer: p.Event.Peer, instr: uint64(p.Instr), time: uint64(p.Time)})
			continue
		}
		if p.Refs.Len() == 0 {
			items = append(items, item{proc: p.Proc, kind: p.StopsAt, time: uint64(p.Time), stops: true})
		}
		total := uint64(0)
		for i, a := range p.Refs.Addr {
			n := uint64(p.Refs.Instr[i])
			total += n
			clock[p.RefProcs[i]] += n
			items = append(items, item{proc: p.RefProcs[i], addr: a, instr: n, time: clock[p.RefProcs[i]]})
		}
		if n := p.Refs.Len(); n > 0 && clock[p.RefProcs[n-1]] != uint64(p.Time) {
			t.Errorf("a chunk that ends at %d says %d", clock[p.RefProcs[n-1]], p.Time)
		}
		if total != uint64(p.Instr) {
			t.Errorf("a chunk of %d instructions says %d", total, p.Instr)
		}
	}
	return items, nil
}

// naiveStep is one item of a processor's program at its own position.
type naiveStep struct {
	item
	at uint64 // instructions of this processor up to the end of the item
}

// naiveInterleave is the definition: one item at a time, always of the processor
// whose next item comes first among those that need not wait.
func naiveInterleave(m *trace.Memory) (out []item, stuck bool) {
	n := m.Head.Procs
	steps := make([][]naiveStep, n)
	for p := range n {
		steps[p] = naiveProgram(m, p)
	}
	waited := make([]uint64, n) // total waiting
	blocked := make([]bool, n)
	owner := map[int32]int{}
	queue := map[int32][]int{}
	emit := func(p int, now uint64) {
		s := steps[p][0].item
		s.time = now
		out = append(out, s)
		steps[p] = steps[p][1:]
	}
	stop := func(p int, at trace.Kind, now uint64) {
		out = append(out, item{proc: trace.Proc(p), kind: at, time: now, stops: true})
	}
	stopAtEnd := func(p int, now uint64) {
		if len(steps[p]) == 0 {
			stop(p, 0, now)
		}
	}
	for p := range n {
		stopAtEnd(p, 0)
	}
	for {
		best := -1
		for p := range n {
			if len(steps[p]) == 0 || blocked[p] {
				continue
			}
			if best < 0 || steps[p][0].at+waited[p] < steps[best][0].at+waited[best] {
				best = p
			}
		}
		if best < 0 {
			return out, slices.Contains(blocked, true)
		}
		s := steps[best][0]
		now := s.at + waited[best]
		switch s.kind {
		case trace.Barrier:
			blocked[best] = true
			stop(best, trace.Barrier, now)
			if !all(blocked, func(p int) bool { return steps[p][0].kind == trace.Barrier && steps[p][0].peer == s.peer }) {
				continue
			}
			for p := range n {
				waited[p] = now - steps[p][0].at
				emit(p, now)
				blocked[p] = false
			}
			for p := range n {
				stopAtEnd(p, now)
			}
			continue
		case trace.Lock:
			if o, held := owner[s.peer]; held && o != best {
				blocked[best] = true
				queue[s.peer] = append(queue[s.peer], best)
				stop(best, trace.Lock, now)
				continue
			}
			owner[s.peer] = best
		}
		emit(best, now)
		stopAtEnd(best, now)
		if s.kind == trace.Unlock {
			delete(owner, s.peer)
			if q := queue[s.peer]; len(q) > 0 {
				p := q[0]
				queue[s.peer] = q[1:]
				owner[s.peer] = p
				blocked[p] = false
				waited[p] = now - steps[p][0].at
			}
		}
	}
}

func all(blocked []bool, same func(int) bool) bool {
	for p, b := range blocked {
		if !b || !same(p) {
			return false
		}
	}
	return true
}

func naiveProgram(m *trace.Memory, p int) (out []naiveStep) {
	var refs trace.Refs
	var events []trace.Event
	if p < len(m.RefsOf) {
		refs = m.RefsOf[p]
	}
	if p < len(m.EventsOf) {
		events = m.EventsOf[p].Rows
	}
	var refAt, eventAt, last uint64
	add := func(it item, at uint64) {
		it.proc, it.instr = trace.Proc(p), at-last
		out = append(out, naiveStep{it, at})
		last = at
	}
	for i := 0; ; i++ {
		for len(events) > 0 && events[0].Refs == uint64(i) {
			eventAt += uint64(events[0].Instr)
			if events[0].Kind == trace.Compute && m.Head.WorkUnit == trace.WorkInstr {
				eventAt += uint64(events[0].Work)
				refAt += uint64(events[0].Work)
			}
			add(item{kind: events[0].Kind, peer: events[0].Peer}, eventAt)
			events = events[1:]
		}
		if i == refs.Len() {
			return out
		}
		refAt += uint64(refs.Instr[i])
		add(item{addr: refs.Addr[i]}, refAt)
	}
}

// randomTrace makes a trace with consistent positions whose barriers and locks
// match, in half of all cases with more behind the last barrier. Instruction counts are small, so that ties are common.
func randomTrace(r *rand.Rand, procs, phases, length int) *trace.Memory {
	units := []trace.WorkUnit{trace.WorkInstr, trace.WorkPicos}
	m := &trace.Memory{Head: trace.Header{Procs: procs, WorkUnit: units[r.IntN(2)]}, RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}
	more := r.IntN(2)
	for p := range procs {
		w := recorder{refs: &m.RefsOf[p], events: &m.EventsOf[p]}
		w.refs.Proc, w.events.Proc = trace.Proc(p), trace.Proc(p)
		for phase := range phases + more {
			for range r.IntN(length + 1) {
				w.random(r)
			}
			if phase < phases {
				w.event(r, trace.Barrier, int32(phase%2))
			}
		}
	}
	return m.InBatches(1 + r.IntN(5))
}

type recorder struct {
	refs             *trace.Refs
	events           *trace.Events
	sinceRef, sinceE uint32
}

func (w *recorder) random(r *rand.Rand) {
	switch r.IntN(9) {
	case 0:
		object := int32(10 + r.IntN(2))
		w.event(r, trace.Lock, object)
		for range r.IntN(4) {
			w.ref(r)
		}
		w.event(r, trace.Unlock, object)
	case 1:
		w.event(r, trace.Marker, 0)
	case 2:
		w.event(r, trace.Compute, 0)
		w.events.Rows[len(w.events.Rows)-1].Work = int64(r.IntN(6))
	default:
		w.ref(r)
	}
}

func (w *recorder) ref(r *rand.Rand) {
	n := uint32(r.IntN(4))
	w.refs.Append(w.sinceRef+n, uint64(r.IntN(1<<12)), uint16(1+r.IntN(16)), trace.Op(1+r.IntN(3)))
	w.sinceRef, w.sinceE = 0, w.sinceE+n
}

func (w *recorder) event(r *rand.Rand, k trace.Kind, peer int32) {
	n := uint32(r.IntN(3))
	e := trace.NewEvent(k)
	e.Instr, e.Refs, e.Peer = w.sinceE+n, uint64(w.refs.Len()), peer
	w.events.Rows = append(w.events.Rows, e)
	w.sinceE, w.sinceRef = 0, w.sinceRef+n
}

func TestInterleaveIsNaive(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := randomTrace(r, 1+r.IntN(5), r.IntN(4), 12)
		if msg := differs(t, m); msg != "" {
			t.Fatalf("seed %d: %s", seed, msg)
		}
	}
}

func differs(t testing.TB, m *trace.Memory) string {
	want, stuck := naiveInterleave(m)
	got, err := flatten(t, m)
	if stuck != (err != nil) {
		return fmt.Sprintf("stuck %t, error %v", stuck, err)
	}
	if i := firstDifference(got, want); i >= 0 {
		return fmt.Sprintf("item %d of %d and %d: got %v, want %v", i, len(got), len(want), at(got, i), at(want, i))
	}
	return ""
}

func at(s []item, i int) any {
	if i < len(s) {
		return s[i]
	}
	return "none"
}

func firstDifference(a, b []item) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func FuzzInterleaveIsNaive(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(2), []byte{})
	f.Add(uint64(7), uint8(2), uint8(1), []byte{0, 1})
	f.Fuzz(func(t *testing.T, seed uint64, procs, phases uint8, drop []byte) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := randomTrace(r, 1+int(procs%6), int(phases%4), 10)
		for _, d := range drop { // barriers that others wait for in vain
			dropBarrier(&m.EventsOf[int(d)%m.Head.Procs])
		}
		if msg := differs(t, m); msg != "" {
			t.Fatal(msg)
		}
	})
}

// dropBarrier removes a processor's last barrier. Its instructions go to nobody:
// nothing comes after it but references and locks of the same phase.
func dropBarrier(e *trace.Events) {
	if n := len(e.Rows); n > 0 && e.Rows[n-1].Kind == trace.Barrier {
		e.Rows = e.Rows[:n-1]
	}
}

func TestInterleaveNamesWhoWaits(t *testing.T) {
	barrier := func(refs uint64, peer int32) trace.Event {
		e := trace.NewEvent(trace.Barrier)
		e.Refs, e.Peer = refs, peer
		return e
	}
	event := func(k trace.Kind, peer int32) trace.Event {
		e := barrier(0, peer)
		e.Kind = k
		return e
	}
	burst := func(instr uint32, work int64) trace.Event {
		e := event(trace.Compute, trace.None)
		e.Instr, e.Work = instr, work
		return e
	}
	for _, c := range []struct {
		name   string
		events [][]trace.Event
		want   []string
	}{
		{"one ends", [][]trace.Event{{barrier(0, 3)}, {}}, []string{"processor 0 at barrier 3", "have ended: 1"}},
		{"different barriers", [][]trace.Event{{barrier(0, 3)}, {barrier(0, 4)}}, []string{"processor 0 at barrier 3", "processor 1 at barrier 4"}},
		{"lock never given back", [][]trace.Event{{event(trace.Lock, 5)}, {event(trace.Lock, 5)}}, []string{"processor 1 at lock 5 held by 0"}},
		{"lock twice", [][]trace.Event{{event(trace.Lock, 5), event(trace.Lock, 5)}}, []string{"processor 0 at lock 5 held by 0"}},
		{"unlock of another's", [][]trace.Event{{event(trace.Lock, 5)}, {event(trace.Unlock, 5)}}, []string{"processor 1: unlock", "lock 5", "does not hold"}},
		{"more than can be", [][]trace.Event{{burst(0, math.MaxInt64), burst(10, 0)}}, []string{"processor 0: compute after 0 references: more than 2^63 instructions"}},
		{"no more than can be", [][]trace.Event{{burst(10, math.MaxInt64-10), barrier(0, 3)}, {}}, []string{"processor 0 at barrier 3"}},
		{"too many references", [][]trace.Event{{barrier(9, 0)}}, []string{"barrier after 9 references, but the processor has 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &trace.Memory{Head: trace.Header{Procs: len(c.events), WorkUnit: trace.WorkInstr}}
			for p, rows := range c.events {
				var refs trace.Refs
				refs.Proc = trace.Proc(p)
				refs.Append(1, 64, 8, trace.Load)
				m.RefsOf = append(m.RefsOf, refs)
				m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: rows})
			}
			_, err := flatten(t, m)
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v does not say %q", err, want)
				}
			}
		})
	}
}

// Where the two streams count differently, time neither jumps nor runs backwards.
func TestDisagreeingStreams(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 1), EventsOf: make([]trace.Events, 1)}
	for i := range 3 {
		m.RefsOf[0].Append(10, uint64(i), 1, trace.Load)
	}
	late := trace.NewEvent(trace.Marker)
	late.Instr, late.Refs = 100, 1
	burst := trace.NewEvent(trace.Compute)
	burst.Instr, burst.Refs, burst.Work = 15, 2, 1<<33
	m.EventsOf[0].Rows = []trace.Event{late, burst}
	var got []uint64
	for p, err := range Program(m, 0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, uint64(p.Instr))
	}
	// 10, then the event at 100, a reference that lies behind it at 100, the burst
	// at 115 + 2^33, and the last reference, 10 after the one before plus the burst,
	// again behind.
	if want := []uint64{10, 90, 0, 15 + 1<<33, 0}; !slices.Equal(got, want) {
		t.Errorf("instructions %v, want %v", got, want)
	}
}

// Processors in step, the worst case: nearly every reference is another one's.
func BenchmarkInterleave(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	m := &trace.Memory{Head: trace.Header{Procs: 4}, RefsOf: make([]trace.Refs, 4)}
	const each = 500_000
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
		for i := range uint64(each) {
			m.RefsOf[p].Append(uint32(1+r.IntN(4)), i, 8, trace.Load)
		}
	}
	for b.Loop() {
		for _, err := range Interleave(m.InBatches(1 << 16)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)*4*each/b.Elapsed().Seconds()/1e6, "Mrefs/s")
}

// Programs side by side, each with a group, meet only their own processors at barriers.
func TestBarriersOfGroups(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 5, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 5)}
	for p := range trace.Proc(5) {
		m.RefsOf[p].Proc = p
		rows := trace.Events{Proc: p}
		for range 3 * int(p/2) {
			e := trace.NewEvent(trace.Barrier)
			e.Peer, e.Group, e.Instr = 0, int32(p/2), uint32(1+p)
			rows.Rows = append(rows.Rows, e)
		}
		m.EventsOf = append(m.EventsOf, rows)
	}
	items, err := flatten(t, m)
	if err != nil || len(items) < 2*3+6 {
		t.Errorf("%d items, %v", len(items), err)
	}
	m.EventsOf[2].Rows = m.EventsOf[2].Rows[:2]
	if _, err := flatten(t, m); err == nil || !strings.Contains(err.Error(), "processor 3 at barrier 0 of group 1") {
		t.Errorf("a missing member: %v", err)
	}
}
