package replay

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/layer"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// choices makes decisions from bytes, and zeros when they are used up.
type choices struct{ data []byte }

func (c *choices) below(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	v := c.data[0]
	c.data = c.data[1:]
	return int(v) % n
}

func randomChoices(seed uint64, n int) *choices {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &choices{data: make([]byte, n)}
	for i := range c.data {
		c.data[i] = byte(r.Uint32())
	}
	return c
}

// randomConfig is a small machine for procs processors.
func randomConfig(c *choices, procs int) memsys.Config {
	cache := memsys.Cache{Line: 16 << c.below(3), Ways: 1 + c.below(3)}
	cache.Size = cache.Line * unit.Bytes(cache.Ways) * unit.Bytes(1<<c.below(3))
	cfg := memsys.Config{Processors: procs, Caches: []memsys.Cache{cache}}
	cfg.Memory.Latency = unit.Picos(c.below(200)) * 100
	cfg.Memory.Occupancy = cfg.Memory.Latency * unit.Picos(c.below(3)) / 2
	cfg.Memory.Invalidate = unit.Picos(c.below(50)) * 100
	return cfg
}

func randomClock(t testing.TB, c *choices) Clock {
	t.Helper()
	clock, err := NewClock([]unit.Hertz{1e9, 2.4e9, 200e6}[c.below(3)], []unit.Cycles{1, 0.97, 0}[c.below(3)], unit.Cycles(c.below(4)))
	if err != nil {
		t.Fatal(err)
	}
	return clock
}

// builder writes the two streams of one processor.
type builder struct {
	refs       trace.Refs
	events     trace.Events
	sinceRef   uint32 // instructions
	sinceEvent uint32
}

// work executes instructions without references.
func (b *builder) work(instr uint32) {
	b.sinceRef += instr
	b.sinceEvent += instr
}

// ref adds a reference, the last of instr instructions.
func (b *builder) ref(instr uint32, addr uint64, size uint16, op trace.Op) {
	b.work(instr)
	b.refs.Append(b.sinceRef, addr, size, op)
	b.sinceRef = 0
}

// at adds an event right here.
func (b *builder) at(k trace.Kind, object int32) *trace.Event {
	e := trace.NewEvent(k)
	e.Instr, e.Refs, e.Peer = b.sinceEvent, uint64(b.refs.Len()), object
	b.sinceEvent = 0
	b.events.Rows = append(b.events.Rows, e)
	return &b.events.Rows[len(b.events.Rows)-1]
}

// source is the trace of some builders.
func source(bs ...*builder) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "test", Procs: len(bs), WorkUnit: trace.WorkInstr}}
	for i, b := range bs {
		b.refs.Proc, b.events.Proc = trace.Proc(i), trace.Proc(i)
		m.RefsOf, m.EventsOf = append(m.RefsOf, b.refs), append(m.EventsOf, b.events)
	}
	return m
}

// randomTrace has phases between barriers, sections under locks, flags, forks and joins, all kinds of
// references, references that cross lines and work of its own. Processors wait for the flags of lower
// ones, are forked by lower ones, and wait for the end of higher ones, so that all can end.
func randomTrace(c *choices) *trace.Memory {
	var bs []*builder
	barriers := c.below(4)
	for p := range 1 + c.below(4) {
		b := &builder{}
		if p > 0 && c.below(4) == 0 {
			parent := bs[c.below(p)]
			fork := trace.NewEvent(trace.Fork)
			fork.Peer = int32(p)
			parent.events.Rows = slices.Insert(parent.events.Rows, 0, fork)
		}
		for phase := 0; phase <= barriers; phase++ {
			randomPhase(c, b)
			if p > 0 && c.below(3) == 0 {
				b.at(trace.WaitFlag, int32(c.below(p))).Tag = int32(phase + 1)
				randomPhase(c, b)
			}
			b.at(trace.Signal, int32(p))
			randomPhase(c, b)
			if phase < barriers {
				b.at(trace.Barrier, int32(phase%2))
			}
		}
		for lower := range bs {
			if c.below(6) == 0 {
				bs[lower].at(trace.Join, int32(p))
			}
		}
		bs = append(bs, b)
	}
	return source(bs...)
}

func randomPhase(c *choices, b *builder) {
	for range c.below(24) {
		switch c.below(16) {
		case 0:
			object := int32(c.below(2))
			b.at(trace.Lock, object)
			b.ref(1, uint64(c.below(8))*8, 8, trace.Store)
			b.work(uint32(c.below(3)))
			b.at(trace.Unlock, object)
		case 1:
			b.at(trace.Compute, trace.None).Work = int64(c.below(40))
		case 2: // in the middle of the instructions between two references
			b.work(uint32(c.below(9)))
			b.at(trace.Marker, trace.None)
		default:
			op := []trace.Op{trace.Load, trace.Load, trace.Store, trace.Load, trace.Store, trace.Ifetch, trace.Prefetch, trace.Flush}[c.below(8)]
			b.ref(uint32(c.below(5)), uint64(c.below(96))*4, uint16(1+c.below(40)), op)
		}
	}
}

func newSMP(t testing.TB, cfg memsys.Config) touch.System {
	t.Helper()
	sys, err := memsys.SMP{}.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func replayed(t testing.TB, m trace.Source, cfg memsys.Config, clock Clock, opt Options) *Result {
	t.Helper()
	res, err := Run(context.Background(), m, newSMP(t, cfg), clock, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// checkNaive compares a random replay with its definition, whatever the batches.
func checkNaive(t *testing.T, c *choices) {
	t.Helper()
	m := randomTrace(c)
	cfg, clock := randomConfig(c, m.Head.Procs), randomClock(t, c)
	barrier := unit.Picos(c.below(3)) * 1000
	want, err := runNaive(m, cfg, barrier, clock)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{0, 1, 3} {
		got := replayed(t, m.InBatches(batch), cfg, clock, Options{Barrier: barrier, Phases: true})
		checkSums(t, got)
		got.Warnings, got.Phases = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("batches of %d, %+v:\n got %+v\nwant %+v", batch, cfg, got, want)
		}
	}
}

// checkSums holds a result to its invariants: the parts of the time of each
// processor, and of its phases, add up to the time of the run.
func checkSums(t *testing.T, r *Result) {
	t.Helper()
	phases := make([]unit.Picos, len(r.Procs))
	for _, ph := range r.Phases {
		phases[ph.Proc] += ph.Total()
	}
	for p, q := range r.Procs {
		if got := q.Ideal + q.Latency + q.Contention + q.Sync + q.End; got != r.Time {
			t.Errorf("processor %d: parts add up to %d ps, the run takes %d", p, got, r.Time)
		}
		if phases[p] != r.Time {
			t.Errorf("processor %d: phases add up to %d ps, the run takes %d", p, phases[p], r.Time)
		}
	}
}

// TestNoOverlap: with room for nothing behind a miss, processors wait for each.
func TestNoOverlap(t *testing.T) {
	for seed := range uint64(1000) {
		c := randomChoices(seed, 800)
		m := randomTrace(c)
		cfg, clock := randomConfig(c, m.Head.Procs), randomClock(t, c)
		want := replayed(t, m, cfg, clock, Options{})
		sys := layer.WithOverlap(newSMP(t, cfg), layer.Overlap{Outstanding: 1 + c.below(3)}, m.Head.Procs)
		got, err := Run(context.Background(), m, sys, clock, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, %+v:\n got %+v\nwant %+v", seed, cfg, got, want)
		}
	}
}

// plain is a system of which no touch is known to be a hit: a replay brings all into the order of time.
type plain struct{ layer.Prefetching }

func plainOf(s touch.System, procs int) touch.System { return plain{layer.WithPrefetches(s, procs)} }

func (plain) Lookahead(trace.Proc, *trace.Refs, int, int) (int, uint64) { return 0, 0 }

// richConfig is a small machine of several levels of caches and any protocol, for procs processors.
func richConfig(c *choices, procs int) memsys.Config {
	cfg := randomConfig(c, procs)
	cfg.Protocol = coherence.Protocols[c.below(len(coherence.Protocols))]
	level := func() memsys.Cache {
		outer := cfg.Caches[0]
		outer.Size <<= c.below(4)
		outer.Latency = unit.Picos(c.below(9)) * 500
		return outer
	}
	for range c.below(3) {
		cfg.Caches = append(cfg.Caches, level())
	}
	if c.below(2) == 0 {
		last := level()
		cfg.Shared = &last
	}
	return cfg
}

// TestHitsDoNotMatter: bringing fewer touches into the order of time is faster, and nothing else.
func TestHitsDoNotMatter(t *testing.T) {
	for seed := range testsize.Cases[uint64](2000, 200) {
		c := randomChoices(seed, 800)
		m := randomTrace(c)
		cfg, clock := richConfig(c, m.Head.Procs), randomClock(t, c)
		o := layer.Overlap{Outstanding: c.below(4), Window: unit.Picos(c.below(40)) * 1000}
		var results []*Result
		for _, batch := range []int{0, 2} {
			for _, sys := range []touch.System{newSMP(t, cfg), plainOf(newSMP(t, cfg), m.Head.Procs)} {
				got, err := Run(context.Background(), m.InBatches(batch), layer.WithOverlap(sys, o, m.Head.Procs), clock, Options{Phases: true})
				if err != nil {
					t.Fatal(err)
				}
				checkSums(t, got)
				results = append(results, got)
			}
		}
		for _, got := range results[1:] {
			if !reflect.DeepEqual(got, results[0]) {
				t.Fatalf("seed %d, %+v, %+v:\n got %+v\nwant %+v", seed, cfg, o, got, results[0])
			}
		}
	}
}

func TestReplayIsNaive(t *testing.T) {
	for seed := range testsize.Cases[uint64](3000, 300) {
		checkNaive(t, randomChoices(seed, 800))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzReplayIsNaive(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomChoices(seed, 300).data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkNaive(t, &choices{data: data}) })
}
