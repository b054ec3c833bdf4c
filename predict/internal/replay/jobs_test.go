package replay

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"spoor/calibrate/machine"
	"spoor/traces/merge"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// scanned is the Scan of src.
func scanned(t testing.TB, src trace.Source) *EventStats {
	t.Helper()
	s, err := Scan(src)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// simulated scans and simulates src.
func simulated(t *testing.T, src trace.Source, m *machine.Machine, opt Options) *Result {
	t.Helper()
	res, err := Simulate(context.Background(), src, scanned(t, src), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A program that begins later takes the same time, in every scope.
func TestLaterStart(t *testing.T) {
	later := func(t *testing.T, src trace.Source, m *machine.Machine, opt Options) {
		t.Helper()
		want := simulated(t, src, m, opt)
		opt.Starts = slices.Repeat([]unit.Picos{7_000_003}, src.Header().Procs)
		got := simulated(t, src, m, opt)
		if got.Time != want.Time+7_000_003 {
			t.Errorf("ends at %d, want 7000003 after %d", got.Time, want.Time)
		}
		for i := range want.Procs {
			g, w := got.Procs[i], want.Procs[i]
			if g.Start != 7_000_003 || g.Times != w.Times || g.End != w.End || g.Counts != w.Counts {
				t.Errorf("processor %d: %+v, want %+v", i, g, w)
			}
		}
		if want.Messages != nil && !reflect.DeepEqual(got.Messages.Ranks, want.Messages.Ranks) {
			t.Errorf("ranks %+v, want %+v", got.Messages.Ranks, want.Messages.Ranks)
		}
	}
	for seed := range testsize.Cases[uint64](200, 60) {
		c := randomChoices(seed, 900)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if seed%2 == 0 {
				src := randomMixed(c)
				m, _, _, _ := randomMixedMachine(t, c, src.Head.Procs)
				later(t, src, m, Options{Scope: Both})
				return
			}
			src := randomTrace(c)
			m, err := machine.Parse("m.toml", []byte(randomDescription(c, "smp", src.Head.Procs)))
			if err != nil {
				t.Fatal(err)
			}
			later(t, src, m, Options{Scope: References})
		})
	}
	later(t, exchange(6, 9), messageMachine(t, ""), Options{Scope: Messages})
}

// joined are traces as one.
func joined(t *testing.T, all ...*trace.Memory) *merge.Joined {
	t.Helper()
	var inputs []merge.Input
	for i, src := range all {
		inputs = append(inputs, merge.Input{Source: src, Name: fmt.Sprint(i)})
	}
	j, err := merge.Join(inputs, true)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Two programs each send 1000 bytes over a bus of 1 GB/s, in 1 us. The second message waits for the first one, unless
// its program begins later.
func TestJobsShareTheNetwork(t *testing.T) {
	pair := messageTrace(rows(an(trace.Send, with(1), of(1000))), rows(an(trace.Recv, with(0))))
	m := messageMachine(t, "model = \"bus\"\nbandwidth = \"1 GB/s\"\no = \"10 ns\"")
	for start, want := range map[unit.Picos]unit.Picos{0: 2_020_000, 400_000: 1_620_000, 1_000_000: 1_020_000, 5_000_000: 1_020_000} {
		t.Run(fmt.Sprint(start), func(t *testing.T) {
			res := simulated(t, joined(t, pair, pair), m, Options{Scope: Messages, Starts: []unit.Picos{0, 0, start, start}})
			first, second := res.Job(0, 2), res.Job(2, 4)
			if first.Time != 1_020_000 || second.Time != want || second.Messages.Messages != 1 {
				t.Errorf("jobs take %d and %d, want 1020000 and %d", first.Time, second.Time, want)
			}
		})
	}
}

// Programs that share nothing take together what each takes alone: barriers, locks and ranks are their own.
func TestJobsApart(t *testing.T) {
	m := messageMachine(t, "")
	for seed := range testsize.Cases[uint64](60, 20) {
		a, b := exchange(3, int(seed%5)+1), exchange(4, int(seed%7)+1)
		res := simulated(t, joined(t, a, b), m, Options{Scope: Messages})
		for i, want := range []*Result{simulated(t, a, m, Options{Scope: Messages}), simulated(t, b, m, Options{Scope: Messages})} {
			got := res.Job(3*i, 3+4*i)
			if got.Time != want.Time || !reflect.DeepEqual(got.Messages.Ranks, want.Messages.Ranks) {
				t.Errorf("seed %d: job %d takes %d, alone %d", seed, i, got.Time, want.Time)
			}
		}
	}
}

// Joining traces does not change them.
func TestJoinLeavesItsInputs(t *testing.T) {
	src := randomTrace(randomChoices(3, 900))
	before := fmt.Sprintf("%+v", src)
	j := joined(t, src, src)
	procs := trace.Proc(src.Head.Procs)
	n := 0
	for b, err := range j.Refs(procs) {
		if err != nil || b.Proc != procs {
			t.Fatal(b.Proc, err)
		}
		n += b.Len()
	}
	if n != len(src.RefsOf[0].Addr) || fmt.Sprintf("%+v", src) != before {
		t.Errorf("%d references of the second trace's first processor, of %d", n, len(src.RefsOf[0].Addr))
	}
}
