package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// tick is a clock of 1 ns a period: one period an instruction and one a touch.
var tick = func() Clock {
	c, err := NewClock(1e9, 1, 1)
	if err != nil {
		panic(err)
	}
	return c
}()

// worked is a machine for examples by hand: memory takes 100 ns and holds the bus
// as long, an upgrade takes 10 ns.
func worked(procs int) memsys.Config {
	return memsys.Config{Processors: procs, Caches: []memsys.Cache{{Size: 1 << 10, Line: 64, Ways: 2}},
		Memory: memsys.Memory{Latency: 100_000, Occupancy: 100_000, Invalidate: 10_000}}
}

const ns = unit.Picos(1000)

// TestWorkedBus: both processors miss on their own line in their first
// instruction, at 2 ns (one instruction, one touch); processor 0 goes first, 1
// waits until 102 ns. Then 0 runs 8 instructions (to 110 ns), 1 runs 3 (205 ns).
func TestWorkedBus(t *testing.T) {
	a, b := &builder{}, &builder{}
	a.ref(1, 0, 8, trace.Load)
	a.work(8)
	a.at(trace.Marker, trace.None)
	b.ref(1, 640, 8, trace.Store)
	b.work(3)
	b.at(trace.Marker, trace.None)
	got := replayed(t, source(a, b), worked(2), tick, Options{})
	want := []Processor{
		{Times: Times{Ideal: 10 * ns, Latency: 100 * ns}, End: 95 * ns, Instr: 9, Refs: 1, Events: 1,
			Counts: touch.Counts{Loads: 1, LoadMisses: touch.Misses{Cold: 1}}},
		{Times: Times{Ideal: 5 * ns, Latency: 100 * ns, Contention: 100 * ns}, Instr: 4, Refs: 1, Events: 1,
			Counts: touch.Counts{Stores: 1, StoreMisses: touch.Misses{Cold: 1}}},
	}
	if !reflect.DeepEqual(got.Procs, want) || got.Time != 205*ns {
		t.Errorf("got %v %+v\nwant %v %+v", got.Time, got.Procs, 205*ns, want)
	}
	if e := got.EInstr(); e != unit.Seconds(205e-9/13) {
		t.Errorf("E(Instr) = %v, want 205 ns / 13", e)
	}
	if got.Shared.Busy != 200*ns || got.Utilization() != 200.0/205 {
		t.Errorf("bus %+v, utilization %g", got.Shared, got.Utilization())
	}
}

// TestWorkedBarrier: processor 0 arrives after 5 ns, 1 after 30 ns; the barrier
// costs 4 ns; then 0 needs 2 ns more and 1 has ended.
func TestWorkedBarrier(t *testing.T) {
	a, b := &builder{}, &builder{}
	a.work(5)
	a.at(trace.Barrier, 0)
	a.work(2)
	a.at(trace.Marker, trace.None)
	b.work(30)
	b.at(trace.Barrier, 0)
	got := replayed(t, source(a, b), worked(2), tick, Options{Barrier: 4 * ns, Phases: true})
	checkSums(t, got)
	want := []Phase{
		{Proc: 0, Phase: 0, Times: Times{Ideal: 5 * ns, Sync: 29 * ns}, Instr: 5},
		{Proc: 0, Phase: 1, Times: Times{Ideal: 2 * ns}, Instr: 2},
		{Proc: 1, Phase: 0, Times: Times{Ideal: 30 * ns, Sync: 4 * ns}, Instr: 30},
		{Proc: 1, Phase: 1, Times: Times{Sync: 2 * ns}},
	}
	if !reflect.DeepEqual(got.Phases, want) {
		t.Errorf("got %+v\nwant %+v", got.Phases, want)
	}
}

// TestWorkedLock: all want the lock at 10, 5 and 5 ns and keep it for 20 ns: 1
// has it from 5, 2 (arrived with 1, later by number) from 25, 0 from 45 to 65.
func TestWorkedLock(t *testing.T) {
	var bs []*builder
	for _, before := range []uint32{10, 5, 5} {
		b := &builder{}
		b.work(before)
		b.at(trace.Lock, 7)
		b.work(20)
		b.at(trace.Unlock, 7)
		bs = append(bs, b)
	}
	got := replayed(t, source(bs...), worked(3), tick, Options{})
	for p, want := range []unit.Picos{35 * ns, 0, 20 * ns} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got.Procs[p].Sync != want {
				t.Errorf("processor %d waits %v for the lock, want %v", p, got.Procs[p].Sync, want)
			}
		})
	}
	if got.Time != 65*ns {
		t.Errorf("time %v, want 65 ns", got.Time)
	}
}

// TestWorkedFork: 1 begins when 0 forks it after 5 ns, works for 20 and signals on the way, after 8; 0 waits for
// the signal from 6 to 13 ns, and after 2 more for the end of 1, at 25.
func TestWorkedFork(t *testing.T) {
	a, b := &builder{}, &builder{}
	a.work(5)
	a.at(trace.Fork, 1)
	a.work(1)
	a.at(trace.WaitFlag, 3).Tag = 1
	a.work(2)
	a.at(trace.Join, 1)
	b.work(8)
	b.at(trace.Signal, 3)
	b.at(trace.Compute, trace.None).Work = 12 // in the last event: it ends before its work
	got := replayed(t, source(a, b), worked(2), tick, Options{Phases: true})
	checkSums(t, got)
	if got.Time != 25*ns || got.Procs[0].Sync != (7+10)*ns || got.Procs[1].Sync != 5*ns {
		t.Errorf("time %v, %+v", got.Time, got.Procs)
	}
}

// TestQueueNoted: tasks from a queue stay as recorded, and the result says so.
func TestQueueNoted(t *testing.T) {
	a, b := &builder{}, &builder{}
	for _, x := range []*builder{a, b} {
		x.at(trace.Lock, trace.TaskQueues)
		x.at(trace.Unlock, trace.TaskQueues)
		x.at(trace.WaitFlag, 0)
	}
	got := replayed(t, source(a, b), worked(2), tick, Options{})
	if all := fmt.Sprint(got.Warnings); !strings.Contains(all, "takes tasks from a queue") || !strings.Contains(all, "2 waits for flags") {
		t.Errorf("warnings %s", all)
	}
}

// TestWorkedCrossing: 8 bytes at 60 touch lines 0 and 1: two cold misses, the
// second 1 ns (its touch) after the first ended.
func TestWorkedCrossing(t *testing.T) {
	b := &builder{}
	b.ref(3, 60, 8, trace.Load)
	got := replayed(t, source(b), worked(1), tick, Options{})
	if p := got.Procs[0]; p.Ideal != 5*ns || p.Latency != 200*ns || p.Contention != 0 || p.Refs != 1 || p.Counts.Loads != 2 {
		t.Errorf("%+v", p)
	}
}

func TestComputeWork(t *testing.T) {
	for _, c := range []struct {
		unit  trace.WorkUnit
		time  unit.Picos
		instr unit.Instructions
	}{{trace.WorkInstr, 4007 * ns, 4007}, {trace.WorkPicos, 11 * ns, 7}} {
		b := &builder{}
		b.work(5)
		b.at(trace.Compute, trace.None).Work = 4000
		b.work(2)
		b.at(trace.Marker, trace.None)
		m := source(b)
		m.Head.WorkUnit = c.unit
		got := replayed(t, m, worked(1), tick, Options{Phases: true})
		checkSums(t, got)
		if got.Time != c.time || got.Instr() != c.instr {
			t.Errorf("%s: %v for %d instructions, want %v for %d", c.unit, got.Time, got.Instr(), c.time, c.instr)
		}
	}
}

func TestEmpty(t *testing.T) {
	got := replayed(t, source(&builder{}, &builder{}), worked(2), tick, Options{Phases: true})
	if got.Time != 0 || got.Instr() != 0 || got.EInstr() == got.EInstr() || got.MissRatio() != 0 || got.Utilization() != 0 {
		t.Errorf("%+v, E(Instr) %v", got, got.EInstr())
	}
	if len(got.Warnings) != 2 {
		t.Errorf("warnings %v", got.Warnings)
	}
}

// TestLargestGap: the second reference comes 2^32 + 100 instructions after the
// first, which its column cannot hold; the event right before it can.
func TestLargestGap(t *testing.T) {
	b := &builder{}
	b.ref(1, 0, 4, trace.Load)
	b.at(trace.Compute, trace.None)
	b.at(trace.Compute, trace.None).Instr = 1<<32 - 1
	b.at(trace.Compute, trace.None).Instr = 101
	b.refs.Append(1<<32-1, 0, 4, trace.Load)
	b.ref(5, 0, 4, trace.Load)
	for _, batch := range []int{0, 1} {
		got := replayed(t, source(b).InBatches(batch), worked(1), tick, Options{})
		if want := unit.Instructions(1 + 1<<32 + 100 + 5); got.Instr() != want {
			t.Errorf("batches of %d: %d instructions, want %d", batch, got.Instr(), want)
		}
	}
}

func TestWarnings(t *testing.T) {
	b := &builder{}
	b.ref(1, 0, 8, trace.Load)
	b.ref(1, 64, 8, trace.Ifetch)
	b.ref(1, 64, 8, trace.Prefetch)
	b.ref(1, 64, 8, trace.Flush)
	b.ref(1, 64, 8, trace.Store)
	got := replayed(t, source(b), worked(1), tick, Options{Memory: 64})
	if text := fmt.Sprint(got.Warnings); len(got.Warnings) != 2 || !strings.Contains(text, "1 ifetch is simulated") ||
		!strings.Contains(text, "touches 128B of data and the memory has 64B") {
		t.Errorf("warnings %v", got.Warnings)
	}
}

// TestLatencyLaw: alone, or where processors share neither data nor a busy bus,
// a slower memory never makes a run faster.
func TestLatencyLaw(t *testing.T) {
	for seed := range uint64(60) {
		for _, procs := range []int{1, 3} {
			r := rand.New(rand.NewPCG(seed, 9))
			var bs []*builder
			for p := range procs {
				b := &builder{}
				for i := range 300 {
					b.ref(uint32(r.IntN(4)), uint64(p)<<20+r.Uint64N(1<<12), 4, trace.Op(1+r.IntN(2)))
					if i%50 == 0 {
						b.at(trace.Barrier, 0)
					}
				}
				bs = append(bs, b)
			}
			last := unit.Picos(-1)
			for latency := unit.Picos(0); latency < 50*ns; latency += 7 * ns {
				cfg := worked(procs)
				cfg.Memory.Latency, cfg.Memory.Occupancy = latency, 0
				if procs == 1 {
					cfg.Memory.Occupancy = latency
				}
				got := replayed(t, source(bs...), cfg, tick, Options{})
				if got.Time < last {
					t.Fatalf("seed %d, %d processors: latency %v takes %v, less than %v before", seed, procs, latency, got.Time, last)
				}
				last = got.Time
			}
		}
	}
}

// TestErrors holds every bad trace to one clear error.
func TestErrors(t *testing.T) {
	event := func(kind trace.Kind, object int32) func(*builder) {
		return func(b *builder) { b.at(kind, object) }
	}
	none := func(*builder) {}
	for _, c := range []struct {
		name string
		a, b func(*builder)
		want string
	}{
		{"unmatched barrier", event(trace.Barrier, 3), none,
			"deadlock, 1 of 2 processors wait forever: processor 0 (event 0, after 0 references) waits at barrier 3, where 1 of 2 are; processor 1 has finished"},
		{"different barriers", event(trace.Barrier, 3), event(trace.Barrier, 4), "deadlock, 2 of 2"},
		{"lock never released", event(trace.Lock, 5), func(b *builder) { b.work(9); b.at(trace.Lock, 5) },
			"processor 1 (event 0, after 0 references) waits for lock 5, which processor 0 holds"},
		{"lock taken twice", func(b *builder) { b.at(trace.Lock, 5); b.at(trace.Lock, 5) }, none, "holds already"},
		{"unlock of another's", event(trace.Unlock, 5), event(trace.Lock, 5), "does not hold"},
		{"message", event(trace.Send, 1), none, "event 0 (send, after 0 references) cannot be replayed on a shared-memory target"},
		{"clock", event(trace.Clock, 1), none, "depends on simulated time"},
		{"fork of oneself", event(trace.Fork, 0), none, "processor 0 forks processor 0"},
		{"fork of nobody", event(trace.Fork, 2), none, "processor 0 forks processor 2, but there are only 2"},
		{"forked twice", func(b *builder) { b.at(trace.Fork, 1); b.at(trace.Fork, 1) }, none, "was already forked"},
		{"fork that never comes", func(b *builder) { b.at(trace.WaitFlag, 1).Tag = 1; b.at(trace.Fork, 1) }, none,
			"waits for 1 signals of flag 1, which has 0; processor 1 waits to be forked"},
		{"join of each other", event(trace.Join, 1), event(trace.Join, 0), "waits for the end of processor 1; "},
		{"join of oneself", event(trace.Join, 0), none, "waits for the end of processor 0"},
		{"join of nobody", event(trace.Join, 7), none, "of processor 7, of 2"},
		{"event beyond the references", func(b *builder) { b.at(trace.Marker, -1).Refs = 3 }, none, "comes after 3 references, but there are 0"},
		{"event before its reference", func(b *builder) { b.ref(9, 0, 4, trace.Load); b.at(trace.Marker, -1).Instr = 8 }, none,
			"do not belong together"},
		{"reference before its event", func(b *builder) {
			b.at(trace.Marker, -1).Instr = 20
			b.ref(9, 0, 4, trace.Load)
		}, none, "do not belong together"},
		{"too much work", func(b *builder) { b.work(9); b.at(trace.Compute, -1).Work = 1 << 62 }, none, "more than can be simulated"},
		{"invalid reference", func(b *builder) { b.ref(1, 1<<64-4, 8, trace.Load) }, none, "wraps around"},
		{"invalid event", func(b *builder) { b.at(trace.Barrier, -7) }, none, "below -1"},
		{"group unlike", func(b *builder) { b.at(trace.Barrier, 0).Group = 3 }, event(trace.Barrier, 0), "deadlock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := &builder{}, &builder{}
			c.a(a)
			c.b(b)
			_, err := Run(context.Background(), source(a, b), newSMP(t, worked(2)), tick, Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	slow, err := NewClock(1e6, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []trace.Op{trace.Ifetch, trace.Load} {
		b := &builder{}
		for range 4096 {
			b.refs.Append(1<<32-1, 0, 4, op)
		}
		for _, m := range []*trace.Memory{source(b), source(b, b)} {
			_, err := Run(context.Background(), m, newSMP(t, worked(m.Head.Procs)), slow, Options{})
			if err == nil || !strings.Contains(err.Error(), "can be simulated") {
				t.Errorf("%v: error %v", op, err)
			}
		}
	}
}

func TestUnknownWork(t *testing.T) {
	b := &builder{}
	b.at(trace.Compute, -1).Work = 1
	m := source(b)
	m.Head.WorkUnit = trace.WorkFlop
	if _, err := Run(context.Background(), m, newSMP(t, worked(1)), tick, Options{}); err == nil || !strings.Contains(err.Error(), `"flop"`) {
		t.Errorf("error %v", err)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, source(&builder{}), newSMP(t, worked(1)), tick, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// broken is a source that fails while it is read.
type broken struct{ trace.Memory }

func (b *broken) Refs(...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return func(yield func(*trace.Refs, error) bool) { yield(nil, errors.New("batch 3 is damaged")) }
}

func TestBrokenSource(t *testing.T) {
	src := &broken{*source(&builder{})}
	if _, err := Run(context.Background(), src, newSMP(t, worked(1)), tick, Options{}); err == nil || !strings.Contains(err.Error(), "batch 3 is damaged") {
		t.Errorf("error %v", err)
	}
}

func TestProgress(t *testing.T) {
	m, done := benchmarkTrace(3, 1000).InBatches(64), 0
	replayed(t, m, paperConfig(3), tick, Options{Progress: func(n int) { done += n }})
	if done != 3000 {
		t.Errorf("progress of %d references, want 3000", done)
	}
}

// TestManyProcessors compares long runs of many processors with the definition.
func TestManyProcessors(t *testing.T) {
	for _, m := range []*trace.Memory{benchmarkTrace(9, 400), sharingTrace(17, 150)} {
		cfg := worked(m.Head.Procs)
		cfg.Caches[0].Size = 4 << 10
		want, err := runNaive(m, cfg, 0, tick)
		if err != nil {
			t.Fatal(err)
		}
		got := replayed(t, m.InBatches(100), cfg, tick, Options{})
		got.Warnings = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
}

// TestQueue compares the queue with a sorted list.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	const procs = 11
	q, want := newQueue(procs), map[trace.Proc]unit.Picos{}
	for range 5000 {
		if len(want) > 0 && r.IntN(4) == 0 {
			first, _ := q.first()
			delete(want, first.proc)
			q.drop(first.proc)
		} else {
			t := action{unit.Picos(r.IntN(20)), trace.Proc(r.IntN(procs))}
			want[t.proc] = t.at
			q.put(t)
		}
		first, limit := action{horizon, 0}, horizon-1
		for p, at := range want {
			if (action{at, p}).before(first) {
				first = action{at, p}
			}
		}
		for p, at := range want {
			if p != first.proc {
				limit = min(limit, lastBefore(action{at, p}, first.proc))
			}
		}
		if got, last := q.first(); q.empty() != (len(want) == 0) || len(want) > 0 && (got != first || last != limit) {
			t.Fatalf("queue %+v, want first %+v and limit %v of %v", q, first, limit, want)
		}
	}
}

func Example() {
	var a, b trace.Refs
	b.Proc = 1
	for i := range uint64(1000) {
		a.Append(3, 1<<20+8*i, 8, trace.Load)  // an array of its own
		b.Append(3, 1<<20+8*i, 8, trace.Store) // the same one: they share lines
	}
	src := &trace.Memory{Head: trace.Header{Program: "pair", Procs: 2}, RefsOf: []trace.Refs{a, b}}
	sys, err := memsys.SMP{}.New(memsys.Config{Processors: 2, Caches: []memsys.Cache{{Size: 256 << 10, Line: 64, Ways: 2}},
		Memory: memsys.Memory{Latency: 250_000, Occupancy: 250_000, Invalidate: 15_000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	clock, err := NewClock(200e6, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := Run(context.Background(), src, sys, clock, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Procs {
		fmt.Println(p.Ideal, "+", p.Latency, "+", p.Contention, "+", p.End, "=", r.Time)
	}
	// Output:
	// 20us + 250us + 28.75us + 15ns = 298.8us
	// 20us + 44.38us + 234.4us + 0s = 298.8us
}
