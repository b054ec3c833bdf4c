package engine

import (
	"fmt"
	"strings"
	"testing"

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
		opt.Model.Long, opt.Model.LogGOPSim = -1, false
		if holdToWatched(t, ops, opt); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// holdToWatched holds all protocols to a run that is watched.
func holdToWatched(t *testing.T, ops [][]Op, opt Options) {
	t.Helper()
	opt.Observer = Quiet{}
	want, _ := account(ops, nil, opt)
	opt.Observer = nil
	for _, opt.Protocol = range []Protocol{Sequential, Quantum, Whoa} {
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
	anyOne, first, second := recv(None), recv(0), recv(1)
	for i, op := range []*Op{&anyOne, &first, &second} {
		op.Kind, op.Request = Irecv, int32(i)
	}
	ends := func(ops ...Op) string {
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
	late, sooner := does(slow, bad), does(recv(0), work(10), bad)
	ops := ranks(does(send(1, 1), work(unit.Picos(5e5)), send(1, 1)), sooner, late)
	for _, p := range []Protocol{Sequential, Quantum, Whoa} {
		for _, workers := range []int{1, 2, 3} {
			got, _ := account(ops, nil, Options{Model: loggp(), Protocol: p, Workers: workers})
			if want := "rank 1: operation 2 sends to rank 7 of 3"; got != want {
				t.Errorf("%s, %d workers: %s, want %s", p, workers, got, want)
			}
		}
	}
}

// Of ranks that wait for ever it says what they wait for, not what came before.
func TestAheadWaitsForEver(t *testing.T) {
	var ops []Op
	for i := range int32(3) {
		one := recv(1 + i)
		one.Kind, one.Request = Irecv, i
		ops = append(ops, one)
	}
	ops = append(ops, wait(0), wait(1), wait(2))
	all := ranks(ops, does(send(0, 10)), does(send(0, 10)), nil)
	got, _ := account(all, nil, Options{Model: loggp()})
	if want := fmt.Sprintf("deadlock at %v: 1 of 4 ranks wait for ever: rank 0 (event 5) for a message from rank 3 with tag 0, which has ended", unit.Picos(56)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	holdToWatched(t, all, Options{Model: loggp()})
}
