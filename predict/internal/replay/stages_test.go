package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spoor/predict/internal/engine/outcome"
	"spoor/traces/trace"
)

// schedule writes events that need all events of the stage before.
type schedule struct {
	ranks  [][]trace.Event
	before [][2]int // of each rank: the rows of that stage
}

func (s *schedule) add(p int, e trace.Event) {
	e.Needs = []int64{}
	for row := s.before[p][0]; row < s.before[p][1]; row++ {
		e.Needs = append(e.Needs, int64(row))
	}
	s.ranks[p] = append(s.ranks[p], e)
}

// endStage ends the stage of a rank that began at a row.
func (s *schedule) endStage(p, from int) {
	if len(s.ranks[p]) > from {
		s.before[p] = [2]int{from, len(s.ranks[p])}
	}
}

// randomStages is a random schedule. Times are small numbers of ns, so that much happens at the same time.
func randomStages(r *rand.Rand) *trace.Memory {
	n := 2 + r.IntN(6)
	s := schedule{make([][]trace.Event, n), make([][2]int, n)}
	for range 1 + r.IntN(6) {
		starts := make([]int, n)
		for p := range starts {
			starts[p] = len(s.ranks[p])
		}
		for range r.IntN(12) {
			from := r.IntN(n)
			to := (from + 1 + r.IntN(n-1)) % n
			tag := func(e *trace.Event) { e.Tag = 0 }
			if r.IntN(3) == 0 {
				tag = func(e *trace.Event) { e.Tag = 1 }
			}
			s.add(to, an(trace.Recv, with(int32(from)), tag))
			s.add(from, an(trace.Send, with(int32(to)), of(int64(r.IntN(3)*(1+r.IntN(2)))), tag))
		}
		for p := range s.ranks {
			s.endStage(p, starts[p])
			for range r.IntN(3) {
				s.add(p, an(trace.Compute, works(int64(r.IntN(6)))))
				s.endStage(p, len(s.ranks[p])-1)
			}
		}
	}
	return messageTrace(s.ranks...)
}

// TestStagesAreExact: package forkjoin and package engine have the same result.
func TestStagesAreExact(t *testing.T) {
	used := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 5))
		net := fmt.Sprintf("model = \"loggp\"\nL = \"%d ns\"\no = \"%d ns\"\ng = \"%d ns\"\nG = \"%d ns/B\"", r.IntN(5), r.IntN(4), r.IntN(5), r.IntN(3))
		if seed%8 == 0 {
			net += "\nS = \"3 B\""
		}
		m, src := messageMachine(t, net), randomStages(r)
		var results [2]*Result
		for i, semantics := range []Semantics{"", LogGOPSim} {
			s, err := ScanFor(src, semantics)
			if err != nil {
				t.Fatal(err)
			}
			if s.stages != nil {
				used++
			}
			if results[i], err = Simulate(context.Background(), src, s, m, Options{Scope: Messages, Semantics: LogGOPSim}); err != nil {
				t.Fatal(err)
			}
			results[i].Messages.Engine = outcome.Stats{}
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			t.Fatalf("seed %d, %s:\n%+v by package engine\n%+v by package forkjoin", seed, net, results[0].Messages, results[1].Messages)
		}
	}
	if used < 2900 {
		t.Errorf("only %d schedules are stages", used)
	}
}

// TestStuckStages: package engine explains schedules that do not end.
func TestStuckStages(t *testing.T) {
	s := schedule{make([][]trace.Event, 2), make([][2]int, 2)}
	for p := range 2 {
		s.add(p, an(trace.Recv, with(int32(1-p))))
		s.endStage(p, 0)
		s.add(p, an(trace.Send, with(int32(1-p))))
	}
	m, src := messageMachine(t, logGOPSimNet), messageTrace(s.ranks...)
	stats, err := ScanFor(src, LogGOPSim)
	if err != nil || stats.stages == nil {
		t.Fatal(stats.stages, err)
	}
	_, err = Simulate(context.Background(), src, stats, m, Options{Scope: Messages, Semantics: LogGOPSim})
	if want := "deadlock at 0s: 2 of 2 ranks wait forever: rank 0 (event 0) for a message from rank 1"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s...", err, want)
	}
}

const logGOPSimNet = "model = \"loggp\"\nL = \"2 us\"\no = \"500 ns\"\ng = \"500 ns\"\nG = \"1 ns/B\""
