package replay

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/plainmachine"
	"spoor/predict/internal/timeline"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// recorder sums up what processors do, and holds the calls to their order.
type recorder struct {
	observe.NopObserver
	t     *testing.T
	at    []unit.Picos
	parts [][observe.EndPart]unit.Picos
	open  []int64 // the event that has begun, or none
	ended []int64 // the last event that ended
}

func newRecorder(t *testing.T, procs int) *recorder {
	return &recorder{t: t, at: make([]unit.Picos, procs), parts: make([][observe.EndPart]unit.Picos, procs),
		open: slices.Repeat([]int64{noRow}, procs), ended: slices.Repeat([]int64{noRow}, procs)}
}

func (r *recorder) Span(rank int32, what observe.Part, from, to unit.Picos) {
	if from != r.at[rank] || to <= from {
		r.t.Errorf("processor %d: %v from %d to %d follows %d", rank, what, from, to, r.at[rank])
	}
	r.at[rank] = to
	r.parts[rank][what] += to - from
}

func (r *recorder) Waited(rank int32, why observe.Cause) {
	if why.Since > r.at[rank] {
		r.t.Errorf("processor %d waited until %d for what was at %d", rank, r.at[rank], why.Since)
	}
}

func (r *recorder) Began(rank int32, row int64, at unit.Picos) {
	if at < r.at[rank] || r.open[rank] != noRow || row <= r.ended[rank] {
		r.t.Errorf("processor %d: event %d begins at %d, after %d, %d is open and %d ended", rank, row, at, r.at[rank], r.open[rank], r.ended[rank])
	}
	r.open[rank] = row
}

func (r *recorder) Ended(rank int32, row int64, at unit.Picos) {
	if row != r.open[rank] || at < r.at[rank] {
		r.t.Errorf("processor %d: event %d ends at %d, after %d, and %d is open", rank, row, at, r.at[rank], r.open[rank])
	}
	r.open[rank], r.ended[rank] = noRow, row
}

// check holds what was observed to the result.
func (r *recorder) check(what string, res *Result) {
	r.t.Helper()
	for i := range res.Procs {
		p := &res.Procs[i]
		want := [observe.EndPart]unit.Picos{observe.Computing: p.Ideal, observe.MemoryLatency: p.Latency, observe.MemoryContention: p.Contention, observe.Sync: p.Sync}
		if res.Messages != nil {
			copy(want[observe.Overhead:], res.Messages.Ranks[i].Parts[observe.Overhead:])
		}
		if r.parts[i] != want || r.at[i] != p.Total() || r.open[i] != noRow {
			r.t.Errorf("%s: processor %d: observed %v until %d, want %v until %d", what, i, r.parts[i], r.at[i], want, p.Total())
		}
	}
}

// observed simulates src with and without an observer. The critical path takes the time of the run, without gaps.
func observed(t *testing.T, what string, src trace.Source, m *machine.Machine, opt Options) *timeline.Path {
	t.Helper()
	s, err := Scan(src)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Simulate(context.Background(), src, s, m, opt)
	if err != nil {
		t.Fatal(what, err)
	}
	seen, path := newRecorder(t, src.Header().Procs), timeline.NewPath(src.Header().Procs)
	opt.Observer = observe.Observers{seen, path}
	res, err := Simulate(context.Background(), src, s, m, opt)
	if err != nil || !reflect.DeepEqual(res, alone) {
		t.Fatalf("%s: %v, got %+v, and without an observer %+v", what, err, res, alone)
	}
	seen.check(what, res)
	at := unit.Picos(0)
	for _, step := range path.CriticalPath(res.Time) {
		if step.Begin != at || step.T <= 0 {
			t.Errorf("%s: a step of the path %+v follows %d", what, step, at)
		}
		at += step.T
	}
	if at != res.Time {
		t.Errorf("%s: the path takes %d of %d", what, at, res.Time)
	}
	return path
}

// Observers see all time of all processors, in every scope.
func TestObserved(t *testing.T) {
	targets := []string{"smp", "cow", "clump", "ccnuma", "clogp", "logp"}
	for seed := range testsize.Cases[uint64](600, 120) {
		c := randomChoices(seed, 900)
		if seed%2 == 0 {
			src := randomTrace(c)
			m, err := machine.Parse("m.toml", []byte(randomDescription(c, targets[seed/2%6], src.Head.Procs)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ClockOf(m); err == nil {
				observed(t, fmt.Sprint("seed ", seed), src, m, Options{Scope: References, Barrier: unit.Picos(c.below(1000))})
			}
			continue
		}
		src := randomMixed(c)
		m, _, _, _ := randomMixedMachine(t, c, src.Head.Procs)
		observed(t, fmt.Sprint("seed ", seed), src, m, Options{Scope: Both, Warm: seed%4 == 3})
	}
}

// Processor 0 holds a lock for 100 ns. Processor 1 waits for it, and then computes 7 ns: the path goes from one to the other.
func TestPathOfLocks(t *testing.T) {
	src := messageTrace(rows(an(trace.Lock, object(3)), an(trace.Unlock, object(3), after(100))),
		rows(an(trace.Lock, object(3), after(30)), an(trace.Unlock, object(3), after(7))))
	m := plainmachine.New(t)
	res := observed(t, "locks", src, m, Options{Scope: References}).CriticalPath(107_000)
	want := []timeline.Segment{{Rank: 0, From: program.None, Part: observe.Computing, Begin: 0, T: 100_000}, {Rank: 1, From: program.None, Part: observe.Computing, Begin: 100_000, T: 7000}}
	if !reflect.DeepEqual(res, want) {
		t.Errorf("got %+v, want %+v", res, want)
	}
}

func object(id int32) func(*trace.Event) { return func(e *trace.Event) { e.Peer = id } }

// Messages alone take as long after a warm-up run as without one, on any network.
func TestWarmMessages(t *testing.T) {
	for _, network := range []string{"", "model = \"torus\"\nbandwidth = \"1 GB/s\"\no = \"10 ns\""} {
		t.Run(network, func(t *testing.T) {
			m := messageMachine(t, network)
			cold, err := replayMixed(exchange(8, 20), m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			warm, err := replayMixed(exchange(8, 20), m, Options{Warm: true})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(cold.Messages.Ranks, warm.Messages.Ranks) {
				t.Errorf("warm %+v, cold %+v", warm.Messages.Ranks, cold.Messages.Ranks)
			}
		})
	}
}

// References between messages that fit the caches miss once: not at all after a warm-up run.
func TestWarmMixed(t *testing.T) {
	m := messageMachine(t, "", `"50 cycles"`, "\"50 cycles\"\npage = \"1 KiB\"\nplacement = \"first-touch\"")
	whole, _, _ := segments(randomChoices(5, 4000), 4)
	cold, err := replayMixed(whole, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	warm, err := replayMixed(whole, m, Options{Warm: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := cold.Counts(); c.Misses() == 0 || c.Misses() != c.LoadMisses.Cold+c.StoreMisses.Cold {
		t.Fatalf("%+v", c)
	}
	if c := warm.Counts(); c.Misses() != 0 || !(warm.Time < cold.Time) {
		t.Errorf("%d misses in %v, cold %v", c.Misses(), warm.Time, cold.Time)
	}
}
