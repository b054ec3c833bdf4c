package phases

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A oracle is the protocol as written down, for caches of one shape: no stack distances, no
// holes, each way a line and a state.
type oracle struct {
	shift  uint
	sets   uint64
	ways   int
	window unit.Instructions
	caches [][][]way                      // by processor, by set: most recent first
	counts [][]map[int64]Counts           // by processor, by phase, by window
	users  map[uint64]map[trace.Proc]bool // by line: its last storer, and all that have used it since
	at     []unit.Instructions            // by processor: executed in its phase
	cur    []int64                        // by processor: the window of its last reference in the phase

	prefetching bool // the use is a prefetch
}

type way struct {
	line  uint64
	dirty bool // exclusive; else shared
}

func newOracle(procs int, line unit.Bytes, window unit.Instructions, sets uint64, ways int) *oracle {
	o := &oracle{shift: line.Shift(), sets: sets, ways: ways, window: window, caches: make([][][]way, procs),
		counts: make([][]map[int64]Counts, procs), users: map[uint64]map[trace.Proc]bool{}, at: make([]unit.Instructions, procs), cur: make([]int64, procs)}
	for p := range procs {
		o.caches[p] = make([][]way, sets)
		o.counts[p] = []map[int64]Counts{{0: {}}}
	}
	return o
}

// count adds to what p did in the window that it is in.
func (o *oracle) count(p trace.Proc, c Counts) {
	windows := o.counts[p][len(o.counts[p])-1]
	sum := windows[o.cur[p]]
	sum.add(c)
	windows[o.cur[p]] = sum
}

func (o *oracle) piece(p *analysis.Chunk) {
	if p.Event != nil {
		o.count(p.Proc, Counts{Instr: p.Instr}) // an event begins no window
		o.at[p.Proc] += p.Instr
		if p.Event.Kind == trace.Barrier {
			o.counts[p.Proc] = append(o.counts[p.Proc], map[int64]Counts{0: {}})
			o.at[p.Proc], o.cur[p.Proc] = 0, 0
		}
	}
	for i, addr := range p.Refs.Addr {
		o.at[p.RefProcs[i]] += unit.Instructions(p.Refs.Instr[i])
		if at := o.at[p.RefProcs[i]]; at > 0 {
			o.cur[p.RefProcs[i]] = int64((at - 1) / o.window)
		}
		o.count(p.RefProcs[i], Counts{Instr: unit.Instructions(p.Refs.Instr[i])})
		if op := p.Refs.Op[i]; op.Data() {
			for l := addr >> o.shift; l <= (addr+uint64(p.Refs.Size[i])-1)>>o.shift; l++ {
				o.use(p.RefProcs[i], l, op == trace.Store)
			}
		} else if op.Moves() {
			for l := addr >> o.shift; l <= (addr+uint64(p.Refs.Size[i])-1)>>o.shift; l++ {
				o.move(p.RefProcs[i], l, op)
			}
		}
	}
}

// move flushes a line from all caches, or fetches it without counting a use.
func (o *oracle) move(p trace.Proc, line uint64, op trace.Op) {
	if op == trace.Prefetch {
		o.prefetching = true
		o.use(p, line, false)
		o.prefetching = false
		return
	}
	delete(o.users, line)
	for q := range o.caches {
		set := o.set(trace.Proc(q), line)
		at := slices.IndexFunc(*set, func(w way) bool { return w.line == line })
		if at < 0 {
			continue
		}
		if (*set)[at].dirty {
			o.count(trace.Proc(q), Counts{Writebacks: 1})
		}
		*set = slices.Delete(*set, at, at+1)
	}
}

func (o *oracle) set(p trace.Proc, line uint64) *[]way { return &o.caches[p][line%o.sets] }

func (o *oracle) use(p trace.Proc, line uint64, isStore bool) {
	var c Counts
	set := o.set(p, line)
	at := slices.IndexFunc(*set, func(w way) bool { return w.line == line })
	hit := at >= 0
	if isStore {
		c.Stores++
	} else {
		c.Loads++
	}
	switch {
	case !hit && isStore:
		c.StoreMisses++
	case !hit:
		c.LoadMisses++
	case isStore && !(*set)[at].dirty:
		c.Upgrades++
		if maps.Equal(o.users[line], map[trace.Proc]bool{p: true}) {
			c.Alone++
		}
	}
	if isStore || o.users[line] == nil {
		o.users[line] = map[trace.Proc]bool{}
	}
	o.users[line][p] = true
	c.Supplies = o.snoop(p, line, isStore)
	entry := way{line, isStore}
	if hit {
		entry.dirty = entry.dirty || (*set)[at].dirty
		*set = slices.Delete(*set, at, at+1)
	} else if len(*set) == o.ways {
		if (*set)[o.ways-1].dirty {
			c.Writebacks++
		}
		*set = (*set)[:o.ways-1]
	}
	*set = slices.Insert(*set, 0, entry)
	if o.prefetching {
		c.Loads, c.LoadMisses = 0, 0
	}
	o.count(p, c)
}

// snoop is what the other caches do, and how many supply the line.
func (o *oracle) snoop(p trace.Proc, line uint64, isStore bool) (supplies uint64) {
	for q := range o.caches {
		if trace.Proc(q) == p {
			continue
		}
		set := o.set(trace.Proc(q), line)
		at := slices.IndexFunc(*set, func(w way) bool { return w.line == line })
		if at < 0 {
			continue
		}
		if (*set)[at].dirty {
			supplies++
			(*set)[at].dirty = false
		}
		if isStore {
			*set = slices.Delete(*set, at, at+1)
		}
	}
	return supplies
}

// randomTrace has processors that share some lines and stride over sets.
func randomTrace(r *rand.Rand, procs, phases, length int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}
	lines := 2 + r.Uint64N(150)
	stores, moves := r.IntN(60), 1+2*r.IntN(2)
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
					op = trace.Ops[int(trace.Ifetch)-1+r.IntN(moves)]
				}
				addr := r.Uint64N(1+r.Uint64N(lines))*32 + r.Uint64N(32)
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

// compute has processors compute for a while before some of their events.
func compute(r *rand.Rand, m *trace.Memory) {
	m.Head.WorkUnit = trace.WorkInstr
	for p := range m.EventsOf {
		var all []trace.Event
		for _, e := range m.EventsOf[p].Rows {
			if r.IntN(3) == 0 {
				c := trace.NewEvent(trace.Compute)
				c.Refs, c.Work = e.Refs, r.Int64N(500)
				all = append(all, c)
			}
			all = append(all, e)
		}
		m.EventsOf[p].Rows = all
	}
}

// compare holds the analysis of a trace to the oracle at every associativity.
func compare(src trace.Source, a *Analysis) error {
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		return err
	}
	for _, line := range a.Lines {
		profile, err := Load(results[0].Full, line)
		if err != nil {
			return err
		}
		if err := compareSummary(results[0].Summary, profile); err != nil {
			return err
		}
		for _, n := range a.Sets {
			for ways := 1; ways <= MaxWays; ways++ {
				o := newOracle(src.Header().Procs, line, profile.Window, uint64(n), ways)
				for p, err := range analysis.Interleave(src) {
					if err != nil {
						return err
					}
					o.piece(p)
				}
				if err := o.compare(profile, n); err != nil {
					return fmt.Errorf("lines of %v, %d sets, %d ways: %w", line, n, ways, err)
				}
			}
		}
	}
	return nil
}

// compareSummary holds a summary to the phases of a profile, added up.
func compareSummary(t *store.Table, profile *Profile) error {
	proc, err1 := store.Data[int32](t, "proc")
	line, err2 := store.Data[int64](t, "line")
	sets, err3 := store.Data[int64](t, "sets")
	ways, err4 := store.Data[int64](t, "ways")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	for i, p := range proc {
		if line[i] != profile.line {
			continue
		}
		var c Counts
		for phase := range profile.Windows {
			d, err := profile.Counts(trace.Proc(p), phase, sets[i], int(ways[i]))
			if err != nil {
				return err
			}
			c.add(d)
		}
		want := map[string]uint64{"instr": uint64(c.Instr), "uses": c.Loads + c.Stores, "misses": c.LoadMisses + c.StoreMisses,
			"upgrades": c.Upgrades, "writebacks": c.Writebacks, "supplies": c.Supplies}
		for name, want := range want {
			if got, err := store.Data[uint64](t, name); err != nil || got[i] != want {
				return fmt.Errorf("summary of processor %d, %d sets, %d ways: %s is not %d (%v)", p, sets[i], ways[i], name, want, err)
			}
		}
	}
	return nil
}

func (o *oracle) compare(profile *Profile, sets int64) error {
	if profile.Procs != len(o.counts) || len(profile.Windows) != len(o.counts[0]) {
		return fmt.Errorf("%d processors and %d phases, want %d and %d", profile.Procs, len(profile.Windows), len(o.counts), len(o.counts[0]))
	}
	for phase := range o.counts[0] {
		windows := map[int64]bool{}
		for p := range o.counts {
			var want Counts
			for at, c := range o.counts[p][phase] {
				windows[at] = true
				want.add(c)
			}
			got, err := profile.Counts(trace.Proc(p), phase, sets, o.ways)
			if err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("processor %d, phase %d: got %+v, want %+v", p, phase, got, want)
			}
		}
		order := slices.Sorted(maps.Keys(windows))
		if got := len(profile.Windows[phase]); got != len(order) {
			return fmt.Errorf("phase %d: got %d windows, want %v", phase, got, order)
		}
		for p := range o.counts {
			for i, at := range order {
				got, err := profile.WindowCounts(trace.Proc(p), phase, i, sets, o.ways)
				if want := o.counts[p][phase][at]; err != nil || got != want {
					return fmt.Errorf("processor %d, phase %d, window %d: got %+v (%v), want %+v", p, phase, at, got, err, want)
				}
			}
		}
	}
	return nil
}

func TestEveryAssociativityIsTheProtocol(t *testing.T) {
	for seed := range testsize.Cases[uint64](60, 6) {
		r := rand.New(rand.NewPCG(seed, 9))
		m := randomTrace(r, 1+r.IntN(5), r.IntN(4), 400)
		a := &Analysis{Lines: []unit.Bytes{32, 64}, Sets: []int64{1, 2, 8},
			Window: unit.Instructions(1 + r.IntN(300)), windows: 1 + r.IntN(40)}
		if err := compare(m.InBatches(100), a); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// A line is used at the distance 1 between two stores: caches of two ways or more have it modified all the time, that of one way never has
// it when it is stored. So there are no upgrades, of which none need be taken off.
func TestNoUpgradesToTakeOff(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	for _, r := range []struct {
		addr uint64
		op   trace.Op
	}{{0, trace.Store}, {32, trace.Load}, {0, trace.Load}, {32, trace.Load}, {0, trace.Store}} {
		m.RefsOf[0].Append(1, r.addr, 8, r.op)
	}
	results, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{Lines: []unit.Bytes{32}, Sets: []int64{1}})
	if err != nil {
		t.Fatal(err)
	}
	events, err := store.Data[string](results[0].Full, "event")
	if err != nil || slices.ContainsFunc(events, func(e string) bool { return strings.HasPrefix(e, "upgrade") }) {
		t.Error(events, err)
	}
}

// Locks that are taken, and flags and other processors that are waited for, are counted apart.
func TestLocksAndFlags(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 2}, RefsOf: make([]trace.Refs, 2), EventsOf: make([]trace.Events, 2)}
	for _, on := range []struct {
		proc   int
		kind   trace.Kind
		object int32
	}{{0, trace.Lock, 5}, {0, trace.Unlock, 5}, {0, trace.Lock, 6}, {0, trace.Unlock, 6}, {0, trace.Signal, 7}, {1, trace.Lock, 5}, {1, trace.Unlock, 5}, {1, trace.WaitFlag, 7}} {
		e := trace.NewEvent(on.kind)
		e.Peer, e.Tag = on.object, 1
		m.RefsOf[on.proc].Proc, m.EventsOf[on.proc].Proc = trace.Proc(on.proc), trace.Proc(on.proc)
		m.EventsOf[on.proc].Rows = append(m.EventsOf[on.proc].Rows, e)
	}
	results, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{Lines: []unit.Bytes{64}, Sets: []int64{1}})
	if err != nil {
		t.Fatal(err)
	}
	if full := results[0].Full; full.Fact("locks") != "3" || full.Fact("flags") != "1" {
		t.Errorf("%s locks, %s flags, want 3 and 1", full.Fact("locks"), full.Fact("flags"))
	}
}

// More processors than bits in a word.
func TestManyProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	if err := compare(randomTrace(r, 70, 2, 60), &Analysis{Lines: []unit.Bytes{32}, Sets: []int64{2}, Window: 16}); err != nil {
		t.Fatal(err)
	}
}

func FuzzEveryAssociativityIsTheProtocol(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 128, 129, 1, 0}, uint8(2), uint8(1))
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint8(3), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, procs, logSets uint8) {
		n := 1 + int(procs%4)
		m := &trace.Memory{Head: trace.Header{Procs: n}, RefsOf: make([]trace.Refs, n), EventsOf: make([]trace.Events, n)}
		for p := range n {
			m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
		}
		barrier := trace.NewEvent(trace.Barrier)
		for i, b := range data[:min(len(data), 1<<12)] {
			if b == 255 {
				for p := range n {
					barrier.Refs = uint64(m.RefsOf[p].Len())
					m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, barrier)
				}
				continue
			}
			op := trace.Load
			if b&128 != 0 {
				op = trace.Store
			}
			p := (i + int(b>>5&3)) % n
			m.RefsOf[p].Append(1, uint64(b&31)*64, 8, op)
		}
		if err := compare(m, &Analysis{Lines: []unit.Bytes{64}, Sets: []int64{1 << (logSets % 3)}, Window: unit.Instructions(1 + procs/4), windows: 20}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestProfileSaysWhatThereIs(t *testing.T) {
	m := randomTrace(rand.New(rand.NewPCG(1, 1)), 2, 1, 10)
	results, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{Lines: []unit.Bytes{32, 64}, Sets: []int64{4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(results[0].Full, 128); err == nil || !strings.Contains(err.Error(), "it has 32B, 64B") {
		t.Error(err)
	}
	p, err := Load(results[0].Full, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		proc  trace.Proc
		phase int
		sets  int64
		ways  int
		want  string
	}{
		{0, 0, 16, 2, "it has 4, 8"}, {0, 0, 4, 21, "1 to 20"}, {0, 0, 4, 0, "1 to 20"}, {0, 2, 4, 1, "2 phases of 2 processors"},
		{2, 0, 4, 1, "2 phases of 2 processors"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.proc, c.ways), func(t *testing.T) {
			if _, err := p.Counts(c.proc, c.phase, c.sets, c.ways); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v", c, err)
			}
		})
	}
}

// A table that does not say how many ways it has is one of 16.
func TestWaysOfTables(t *testing.T) {
	table := func(facts ...trace.Arg) *store.Table {
		return &store.Table{Name: "phases", Meta: append(facts, trace.Arg{Key: setsFact, Value: "4"}, trace.Arg{Key: windowFact, Value: "100"}), Columns: []store.Column{
			{Name: "proc", Data: []int32{0}}, {Name: "phase", Data: []int64{0}}, {Name: "window", Data: []int64{0}}, {Name: "line", Unit: "B", Data: []int64{64}}, {Name: "sets", Data: []int64{0}},
			{Name: "event", Data: []string{"instr"}}, {Name: "distance", Unit: "lines", Data: []int64{0}}, {Name: "count", Data: []uint64{9}}}}
	}
	for ways, facts := range map[int][]trace.Arg{16: nil, MaxWays: {{Key: waysFact, Value: strconv.Itoa(MaxWays)}}} {
		p, err := Load(table(facts...), 64)
		if err != nil || p.Ways != ways {
			t.Fatalf("%d ways: %v", ways, err)
		}
		if _, err := p.Counts(0, 0, 4, ways); err != nil {
			t.Error(err)
		}
		if _, err := p.Counts(0, 0, 4, ways+1); err == nil {
			t.Errorf("of %d ways there are %d", ways, ways+1)
		}
	}
	for _, wrong := range []string{"0", "many", "21"} {
		t.Run(wrong, func(t *testing.T) {
			if _, err := Load(table(trace.Arg{Key: waysFact, Value: wrong}), 64); err == nil || !strings.Contains(err.Error(), "run analyze again") {
				t.Errorf("%q ways: %v", wrong, err)
			}
		})
	}
}

// Without data references there are still phases, with instructions.
func TestNoReferences(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 2}, EventsOf: make([]trace.Events, 2)}
	for p := range m.EventsOf {
		e := trace.NewEvent(trace.Barrier)
		e.Instr = uint32(10 + p)
		m.EventsOf[p] = trace.Events{Proc: trace.Proc(p), Rows: []trace.Event{e}}
	}
	if err := compare(m, &Analysis{Lines: []unit.Bytes{64}, Sets: []int64{4}}); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkPhases(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	m := &trace.Memory{Head: trace.Header{Procs: 4}, RefsOf: make([]trace.Refs, 4)}
	const each = 500_000
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
		at := uint64(p) << 24
		for i := range each {
			op := trace.Load
			if i%4 == 0 {
				op = trace.Store
			}
			addr := at + uint64(i)*8%(1<<20) // its own data, in order
			switch r.IntN(10) {
			case 0:
				addr = 1<<30 + r.Uint64N(1<<18)&^7 // shared
			case 1, 2:
				addr = at + r.Uint64N(1<<22)&^7
			}
			m.RefsOf[p].Append(uint32(1+r.IntN(4)), addr, 8, op)
		}
	}
	a := &Analysis{Lines: []unit.Bytes{64}, Sets: []int64{2048, 4096}}
	for b.Loop() {
		if _, err := analysis.Run(context.Background(), m.InBatches(1<<16), analysis.Options{}, a); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*4*each/b.Elapsed().Seconds()/1e6, "Mrefs/s")
}
