package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// Who is watched does nothing ahead of time: the result is the same as of who does.
func TestAheadIsSeen(t *testing.T) {
	for _, w := range []*workload{stencil(16, 500), allToAll(100, 1), scattered(20, 2000)} {
		holdToWatched(t, w.ranks, Options{Model: benchModel()})
	}
	count := 300
	if testing.Short() {
		count = 30
	}
	for seed := range uint64(count) {
		ops, _, opt := random(seed, 2+int(seed%9), 20+int(seed%80), false, seed%3 == 0)
		opt.Model.EagerLimit, opt.Model.LogGOPSim = -1, false
		if holdToWatched(t, ops, opt); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// holdToWatched holds all protocols to a run that is watched.
func holdToWatched(t *testing.T, ops [][]program.Op, opt Options) {
	t.Helper()
	opt.Observer = observe.NopObserver{}
	want, _ := account(ops, nil, opt)
	opt.Observer = nil
	for _, opt.Protocol = range []outcome.Protocol{outcome.Sequential, outcome.Quantum, outcome.Whoa} {
		for _, opt.Workers = range []int{1, 3} {
			if got, _ := account(ops, nil, opt); got != want {
				t.Errorf("%s, %d workers: got\n%.2000s\nwant\n%.2000s", opt.Protocol, opt.Workers, got, want)
			}
		}
	}
}

// A receive from any sender that is posted ahead of time gets the message that comes first, here that of rank 1, unless one that was posted before
// selects it.
func TestAheadOfAny(t *testing.T) {
	anyOne, first, second := recv(program.None), recv(0), recv(1)
	for i, op := range []*program.Op{&anyOne, &first, &second} {
		op.Kind, op.Request = program.Irecv, int32(i)
	}
	ends := func(ops ...program.Op) string {
		ops = append(ops, wait(2), wait(0), wait(1), wait(3))
		all := ranks(does(work(500), send(2, 10), send(2, 20)), does(work(100), send(2, 30), work(1000), send(2, 40)), ops)
		holdToWatched(t, all, Options{Model: loggp()})
		text, _ := account(all, nil, Options{Model: loggp()})
		return text
	}
	last := second
	last.Request = 3
	before, after := ends(work(1), work(300), anyOne, second, first, last), ends(work(1), work(300), second, anyOne, first, last)
	if !strings.HasPrefix(before, "deadlock") || after[0] != '{' {
		t.Errorf("%s\n%s", before, after)
	}
}

// An error that a rank meets with ahead of time is not the first where another one is before it in time, however much later it is met with.
func TestAheadFails(t *testing.T) {
	bad := send(7, 1)
	slow := send(0, 1)
	slow.Extra = 1e6
	portWait, sooner := does(slow, bad), does(recv(0), work(10), bad)
	ops := ranks(does(send(1, 1), work(unit.Picos(5e5)), send(1, 1)), sooner, portWait)
	for _, p := range []outcome.Protocol{outcome.Sequential, outcome.Quantum, outcome.Whoa} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			for _, workers := range []int{1, 2, 3} {
				got, _ := account(ops, nil, Options{Model: loggp(), Protocol: p, Workers: workers})
				if want := "rank 1: operation 2 sends to rank 7, but there are only 3 ranks"; got != want {
					t.Errorf("%s, %d workers: %s, want %s", p, workers, got, want)
				}
			}
		})
	}
}

// Of ranks that wait for ever it says what they wait for, not what came before.
func TestAheadWaitsForEver(t *testing.T) {
	var ops []program.Op
	for i := range int32(3) {
		one := recv(1 + i)
		one.Kind, one.Request = program.Irecv, i
		ops = append(ops, one)
	}
	ops = append(ops, wait(0), wait(1), wait(2))
	all := ranks(ops, does(send(0, 10)), does(send(0, 10)), nil)
	got, _ := account(all, nil, Options{Model: loggp()})
	if want := fmt.Sprintf("deadlock at %v: 1 of 4 ranks wait forever: rank 0 (event 5) for a message from rank 3 with tag 0, which has ended", unit.Picos(56)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	holdToWatched(t, all, Options{Model: loggp()})
}

// Operations that are not as most are, between such: the result or the error is that of who is watched.
func TestAheadOfSpecial(t *testing.T) {
	lenient, extra, unsound := wait(9), isend(1, 8, 5), isend(1, 8, 6)
	lenient.IgnoreClosed, extra.Extra, unsound.Extra = true, 70, -1
	far := work(cost.Horizon / 5)
	for name, middle := range map[string][]program.Op{
		"nothing":               nil,
		"no work":               does(work(0), program.Op{Kind: program.Compute, Request: program.None}),
		"overhead":              does(extra, wait(5)),
		"itself":                does(irecv(0, 5), isend(0, 8, 6), wait(5), wait(6)),
		"a request twice":       does(isend(1, 8, 5), isend(1, 8, 5), wait(5)),
		"no request":            does(isend(1, 8, program.None), wait(program.None)),
		"one lenient":           does(lenient),
		"one that is not open":  does(wait(9)),
		"nobody":                does(isend(2, 8, 5)),
		"negative overhead":     does(unsound),
		"a kind that is not":    does(program.Op{Kind: program.Suspended + 1}),
		"next to for ever":      does(far, far, far, far, isend(1, 8, 5), work(cost.MaxDuration), isend(1, 8, 6), wait(5)),
		"more than at once":     slices.Repeat(does(isend(1, 8, 5), wait(5)), maxAhead),
		"more than is received": slices.Repeat(does(isend(1, 8, program.None)), 3),
	} {
		t.Run(name, func(t *testing.T) {
			first := slices.Concat(does(irecv(1, 0), isend(1, 80, 1)), middle, does(irecv(1, 2), isend(1, 80, 3), wait(0), wait(1), wait(2), wait(3)))
			second := does(send(0, 20), work(100), send(0, 8), probe(0), recv(0))
			for _, op := range first[2:] {
				if op.Peer == 1 && (op.Kind == program.Isend) {
					second = append(second, recv(0))
				}
			}
			if strings.HasPrefix(name, "more than is") {
				second = second[:5]
			}
			holdToWatched(t, ranks(first, second), Options{Model: loggp()})
		})
	}
}

// An operation of a kind that there is not is an error wherever it comes: programs that go on freely once passed it by.
func TestKindsThatThereAreNot(t *testing.T) {
	for _, kind := range []program.Kind{0, program.Suspended + 1} {
		ops := [][]program.Op{{{Kind: program.Irecv, Peer: 1, Request: 0, Group: program.None}, {Kind: kind, Request: program.None}, {Kind: program.Wait, Request: 0}}, {{Kind: program.Send, Request: program.None, Group: program.None}}}
		if _, err := outcomeOf(t, newWindows(1000), ops, nil, Options{Model: loggp()}); err == nil || !strings.Contains(err.Error(), "unknown kind") {
			t.Errorf("kind %d: %v", kind, err)
		}
	}
}
