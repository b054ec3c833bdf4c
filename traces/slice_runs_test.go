package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// signalled makes a random trace that can run: processors signal flags, wait for signals
// that have come, and, if they pass messages, send them and receive those that came from
// anyone.
func signalled(rng *rand.Rand, procs, steps int, messages bool) [][]placed {
	all, now := make([][]placed, procs), make([]uint64, procs)
	there, signals := make([]int, procs), [3]int32{}
	do := func(p int, kind trace.Kind, peer, tag int32) {
		e := trace.NewEvent(kind)
		e.Peer, e.Tag = peer, tag
		all[p] = append(all[p], placed{now[p], &e, 0})
	}
	for range steps {
		p, flag := rng.IntN(procs), int32(rng.IntN(len(signals)))
		now[p] += uint64(rng.IntN(3))
		if flag == 0 {
			p = 0 // which is the only one to signal it
		}
		switch what := rng.IntN(4); {
		case what == 0:
			signals[flag]++
			do(p, trace.Signal, flag, trace.None)
		case what == 1 && signals[flag] > 0:
			do(rng.IntN(procs), trace.WaitFlag, flag, 1+rng.Int32N(signals[flag]))
		case what == 2 && messages:
			q := rng.IntN(procs)
			there[q]++
			do(p, trace.Send, int32(q), 5)
		case what == 3 && there[p] > 0:
			there[p]--
			do(p, trace.Recv, trace.None, trace.None)
		}
	}
	for p, n := range there {
		for range n {
			do(p, trace.Recv, trace.None, trace.None)
		}
	}
	return all
}

// stuck runs a trace and says what cannot, or "". All that it has are sends, receives from
// anyone, signals and waits for them, of which none can take from another what that one
// needs, so that any order will do.
func stuck(all [][]placed) string {
	at, there, signals := make([]int, len(all)), make([]int, len(all)), map[int32]int32{}
	step := func(p int, e *trace.Event) bool {
		switch e.Kind {
		case trace.Send:
			there[e.Peer]++
		case trace.Recv:
			if there[p] == 0 {
				return false
			}
			there[p]--
		case trace.Signal:
			signals[e.Peer]++
		case trace.WaitFlag:
			return signals[e.Peer] >= e.Tag
		}
		return true
	}
	for moved := true; moved; {
		moved = false
		for p := range all {
			for at[p] < len(all[p]) && (all[p][at[p]].event == nil || step(p, all[p][at[p]].event)) {
				at[p]++
				moved = true
			}
		}
	}
	for p := range all {
		if at[p] < len(all[p]) {
			return fmt.Sprintf("processor %d waits for ever in event %d, %+v", p, at[p], *all[p][at[p]].event)
		}
	}
	return ""
}

func TestSlicesRun(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(31, 4))
	waits, receives := 0, 0
	for range testsize.Cases(150, 10) {
		messages := rng.IntN(2) == 0
		all := signalled(rng, 4, 120, messages)
		if problem := stuck(all); problem != "" {
			t.Fatalf("the whole: %s", problem)
		}
		save(t, "whole", all)
		args := []string{"slice", "whole", "-o", "part", "--procs", []string{"0-1", "1,3", "0,2-3", "1-3", "2"}[rng.IntN(5)]}
		if !messages { // one that is received elsewhere than in its window is received by another
			args = append(args, "--instr", fmt.Sprintf("%d:%d", rng.IntN(20), 20+rng.IntN(20)))
		}
		notes := run(t, args...)
		part, _ := reload(t, "part")
		if problem := stuck(part); problem != "" {
			t.Fatalf("%v: %s\n%s", args, problem, notes)
		}
		for _, rows := range part {
			for _, r := range rows {
				switch {
				case r.event == nil:
				case r.event.Kind == trace.WaitFlag:
					waits++
				case r.event.Kind == trace.Recv:
					receives++
				}
			}
		}
	}
	if least := testsize.Cases(300, 10); waits < least || receives < least {
		t.Errorf("parts have %d waits for flags and %d receives, too few to test much", waits, receives)
	}
}

// Processor 0 hears from 2, tells 1, and hears from 1, each time from anyone.
func TestSliceKeepsTheReceivesThatCanRun(t *testing.T) {
	t.Chdir(t.TempDir())
	all := make([][]placed, 3)
	do := func(p int, kind trace.Kind, peer int32) {
		e := trace.NewEvent(kind)
		if e.Peer = peer; kind == trace.Send {
			e.Tag = 1
		}
		all[p] = append(all[p], placed{0, &e, 0})
	}
	do(2, trace.Send, 0)
	do(0, trace.Recv, trace.None)
	do(0, trace.Send, 1)
	do(1, trace.Recv, trace.None)
	do(1, trace.Send, 0)
	do(0, trace.Recv, trace.None)
	save(t, "whole", all)
	run(t, "slice", "whole", "-o", "part", "--procs", "0-1")
	part, _ := reload(t, "part")
	if problem := stuck(part); problem != "" || len(part[0]) != 2 || len(part[1]) != 2 {
		t.Errorf("%s: %v", problem, part)
	}
}
