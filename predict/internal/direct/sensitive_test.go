package direct

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
)

// work counts instructions, as instrumented code does: 500 ps each.
func work(n uint64) { tape.Cur().N += n }

// replayed is what a replay of the events that were recorded while a program ran directly says of it.
func replayed(t *testing.T, program spmd.Program, procs int, network string, ahead int) (*Result, *replay.Result) {
	t.Helper()
	m, rec := machineOf(t, network), newRecording(procs)
	got, err := Simulate(context.Background(), program, m, Options{Options: scope(replay.Messages), Procs: procs, Ahead: ahead, Sink: sink{rec}})
	if err != nil {
		t.Fatal(err)
	}
	return got, replayOf(t, rec, m, scope(replay.Messages))
}

// sameAs compares runs, but for the operations: a WaitAny is several.
func sameAs(t *testing.T, what string, got *Result, want *replay.Result) {
	t.Helper()
	g, w := *got.Messages, *want.Messages
	g.Ops, w.Ops = 0, 0
	if !reflect.DeepEqual(g, w) {
		t.Errorf("%s: %s", what, different(&g, &w))
	}
}

// A program that asks takes as long as what it did then, and what it finds does not depend on how
// far it runs ahead.
func TestPolling(t *testing.T) {
	set := kernel.Values{"triangles": 30, "frames": 2, "size": 64, "extent": 8, "buffer": 4}
	for _, network := range []string{ports, lines, torus, fair, plogp} {
		t.Run(network, func(t *testing.T) {
			var first *Result
			for _, ahead := range []int{64, 1, 5} {
				inst := instance(t, "pgl", 7, set)
				got, want := replayed(t, inst.Program, 7, network, ahead)
				sameAs(t, "replay", got, want)
				if err := inst.Verify(); err != nil {
					t.Error(err)
				}
				if first == nil {
					first = got
				}
				if !reflect.DeepEqual(first.Messages, got.Messages) {
					t.Errorf("F = %d: %s", ahead, different(got.Messages, first.Messages))
				}
			}
			if first.Answered == 0 {
				t.Error("no test was answered at once")
			}
		})
	}
}

// What ranks find on a machine on which a message of 10 bytes takes 500 + 2000 + 9 + 500 ns.
func TestAnswers(t *testing.T) {
	var said []string
	say := func(r *spmd.Rank, format string, args ...any) {
		said = append(said, fmt.Sprintf("%d at %v: ", r.ID(), r.Clock())+fmt.Sprintf(format, args...))
	}
	program := func(r *spmd.Rank) error {
		x, y := make([]byte, 10), make([]byte, 10)
		switch r.ID() {
		case 0:
			work(2000) // 1 us
			spmd.Send(r, 2, 1, x)
		case 1:
			spmd.Send(r, 2, 2, x)
		case 2:
			begin := r.Stamp()
			a, b := spmd.Irecv(r, 0, 1, x), spmd.Irecv(r, spmd.Any, 2, y)
			i, s := spmd.WaitAny(a, b)
			say(r, "request %d from %d", i, s.Source) // 500 + 2000 + 9 + 500
			_, done := a.Test()
			say(r, "done %v", done)
			work(1000) // 500 ns: the other one comes at 3509
			_, done = a.Test()
			say(r, "done %v", done)
			say(r, "began at %v", begin.Time())
		case 3:
			_, there := spmd.Iprobe(r, 4, spmd.Any)
			say(r, "%v", there)
			s := spmd.Probe(r, spmd.Any, spmd.Any)
			say(r, "%v", s)
			s, there = spmd.Iprobe(r, spmd.Any, spmd.Any)
			say(r, "%v %v", s, there)
			spmd.Recv(r, spmd.Any, spmd.Any, x)
			say(r, "received")
		case 4:
			spmd.Send(r, 3, 7, x)
		}
		return nil
	}
	want := []string{
		"2 at 3.009µs: done false", "2 at 3.009µs: request 1 from 1", "2 at 4.009µs: began at 0s", "2 at 4.009µs: done true",
		"3 at 0s: false", "3 at 2.509µs: {4 7 10}", "3 at 2.509µs: {4 7 10} true", "3 at 3.009µs: received",
	}
	for _, ahead := range []int{1, 2, 64} {
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			said = nil
			got, replay := replayed(t, program, 5, ports, ahead)
			sameAs(t, "replay", got, replay)
			slices.Sort(said)
			if !slices.Equal(said, want) {
				t.Errorf("F = %d:\n%s", ahead, strings.Join(said, "\n"))
			}
		})
	}
}

// What cannot go on says why.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		want    string
		program spmd.Program
	}{
		{"rank 1: rotten", func(r *spmd.Rank) error {
			if r.ID() == 1 {
				return fmt.Errorf("rotten")
			}
			spmd.Recv(r, 1, 0, []int{0})
			return nil
		}},
		{"rank 1: the program ended its goroutine", func(r *spmd.Rank) error {
			if r.ID() == 1 {
				runtime.Goexit()
			}
			spmd.Recv(r, 1, 0, []int{0})
			return nil
		}},
		{"deadlock at 0s: 2 of 2 ranks wait forever: rank 0 (event 0) for a message from rank 1 with tag 0; rank 1 (event 0) for a message from rank 0 with tag 0; cycle",
			func(r *spmd.Rank) error { spmd.Recv(r, 1-r.ID(), 0, []int{0}); return nil }},
		{"left over at the end: a message from rank 0 with tag 0 that rank 1 does not receive", func(r *spmd.Rank) error {
			if r.ID() == 0 {
				spmd.Send(r, 1, 0, []int{0})
			}
			return nil
		}},
		{"rank 0: lock is an operation on shared memory", func(r *spmd.Rank) error { r.Lock(0); return nil }},
		{"simulate it as a shared-memory program", func(r *spmd.Rank) error { r.Barrier(); return nil }},
		{"rank 0: repeats clock 1048576 times while no simulated time passes", func(r *spmd.Rank) error {
			for r.Clock() < time.Second {
			}
			return nil
		}},
		{"message of 2 elements received into 1", func(r *spmd.Rank) error {
			if r.ID() == 0 {
				spmd.Send(r, 1, 0, []int{0, 1})
				return nil
			}
			spmd.Recv(r, 0, 0, []int{0})
			return nil
		}},
	} {
		if testing.Short() && strings.Contains(c.want, "repeats clock") {
			continue // a million times
		}
		_, err := Simulate(context.Background(), c.program, machineOf(t, ports), Options{Options: scope(replay.Messages), Procs: 2})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := Simulate(context.Background(), nil, machineOf(t, ports), Options{Options: scope(replay.Messages), Procs: 2000}); err == nil {
		t.Error("more ranks than processors")
	}
}

// Programs are what they were recorded as, and independent of how far they run ahead, whatever
// they do.
func FuzzDirectIsReplay(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		network := []string{ports, lines, torus, ports + "S = \"40 B\"\n", fair, plogp}[seed%6]
		procs := 2 + int(seed/4%5)
		var first *Result
		for _, ahead := range []int{64, 1, 3} {
			got, want := replayed(t, randomProgram(seed, procs), procs, network, ahead)
			sameAs(t, fmt.Sprintf("F = %d", ahead), got, want)
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(first.Messages, got.Messages) {
				t.Errorf("F = %d: %s", ahead, different(got.Messages, first.Messages))
			}
		}
	})
}

// randomProgram sends random messages in rounds, each with its tag. In a round, a rank receives some
// from their senders, and after them posts receives from anybody for the others; it waits for
// them in one of several ways, maybe rounds later.
func randomProgram(seed uint64, procs int) spmd.Program {
	return func(r *spmd.Rank) error {
		all := rand.New(rand.NewPCG(seed, 0)) // of all ranks alike
		own := rand.New(rand.NewPCG(seed, uint64(r.ID()+1)))
		var open []*spmd.Request
		for round := range 6 {
			var senders []int
			for range all.IntN(3 * procs) {
				from, to, n := all.IntN(procs), all.IntN(procs), all.IntN(80)
				if to == r.ID() {
					senders = append(senders, from)
				}
				if from == r.ID() {
					work(uint64(own.IntN(3000)))
					open = append(open, spmd.Isend(r, to, round, make([]byte, n)))
				}
			}
			own.Shuffle(len(senders), func(i, j int) { senders[i], senders[j] = senders[j], senders[i] })
			known := own.IntN(len(senders) + 1)
			for i, from := range senders {
				if i >= known {
					from = spmd.Any
				}
				work(uint64(own.IntN(1000)))
				open = append(open, spmd.Irecv(r, from, round, make([]byte, 80)))
			}
			if own.IntN(3) > 0 {
				open = finish(r, own, open)
			}
			if all.IntN(4) == 0 {
				r.Barrier()
			}
		}
		for len(open) > 0 {
			open = finish(r, own, open)
		}
		return nil
	}
}

// finish waits for some requests, and returns the others.
func finish(r *spmd.Rank, own *rand.Rand, open []*spmd.Request) []*spmd.Request {
	for n := own.IntN(len(open) + 1); n > 0 && len(open) > 0; n-- {
		i := own.IntN(len(open))
		switch own.IntN(4) {
		case 0:
			open[i].Wait()
		case 1:
			i, _ = spmd.WaitAny(open...)
		case 2:
			for _, done := open[i].Test(); !done; _, done = open[i].Test() {
				work(200)
			}
		case 3:
			if _, done := open[i].Test(); !done {
				continue
			}
		}
		open = slices.Delete(open, i, i+1)
	}
	return open
}
