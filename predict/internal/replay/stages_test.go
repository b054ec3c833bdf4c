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

// unreadable is a source whose events cannot be read again.
type unreadable struct{ trace.Source }

var errUnreadable = errors.New("read again")

func (unreadable) Events(...trace.Proc) iter.Seq2[*trace.Events, error] {
	return func(yield func(*trace.Events, error) bool) { yield(nil, errUnreadable) }
}

// TestStagesAreExact: package forkjoin and package engine have the same result.
func TestStagesAreExact(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 5))
		net := fmt.Sprintf("model = \"loggp\"\nL = \"%d ns\"\no = \"%d ns\"\ng = \"%d ns\"\nG = \"%d ns/B\"", r.IntN(5), r.IntN(4), r.IntN(5), r.IntN(3))
		rendezvous := seed%8 == 0
		if rendezvous {
			net += "\nS = \"3 B\""
		}
		if r.IntN(2) == 0 {
			net += "\nports = \"both\""
		}
		m, src := messageMachine(t, net), randomStages(r)
		s, err := Scan(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, semantics := range []Semantics{LogGPS, LogGOPSim} {
			opt := Options{Scope: Messages, Semantics: semantics}
			general := *s
			general.stages = nil
			want, err := Simulate(context.Background(), src, &general, m, opt)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Simulate(context.Background(), unreadable{src}, s, m, opt)
			if rendezvous && errors.Is(err, errUnreadable) {
				continue // package engine simulates it
			}
			if err != nil {
				t.Fatal(err)
			}
			got.Messages.Engine, want.Messages.Engine = outcome.Stats{}, outcome.Stats{}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s, semantics %s:\n%+v by package forkjoin\n%+v by package engine", seed, net, semantics, got.Messages, want.Messages)
			}
		}
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
	stats, err := Scan(src)
	if err != nil || stats.stages == nil {
		t.Fatal(stats.stages, err)
	}
	_, err = Simulate(context.Background(), src, stats, m, Options{Scope: Messages, Semantics: LogGOPSim})
	if want := "deadlock at 0s: 2 of 2 ranks wait forever: rank 0 (event 0) for a message from rank 1"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s...", err, want)
	}
}

// TestLongWaits: waiting for long takes no longer to simulate than waiting for a moment.
func TestLongWaits(t *testing.T) {
	for name, net := range map[string]string{
		"bytes": `model = "loggp"
L = "0 ns"
o = "0 ns"
g = "0 ns"
G = "1 ns/B"`,
		"gap": `model = "loggp"
L = "1 ns"
o = "0 ns"
g = "1 s"
G = "0 ns/B"`,
	} {
		for _, semantics := range []Semantics{LogGPS, LogGOPSim} {
			t.Run(name+"/"+string(semantics), func(t *testing.T) {
				s := schedule{make([][]trace.Event, 3), make([][2]int, 3)}
				for from := range 2 {
					s.add(2, an(trace.Recv, with(int32(from)), of(1e9)))
					s.add(from, an(trace.Send, with(2), of(1e9)))
				}
				s.endStage(2, 0)
				s.add(2, an(trace.Compute, works(1)))
				ctx, cancel := context.WithCancel(context.Background())
				windows := 0
				opt := Options{Scope: Messages, Semantics: semantics, Progress: func(int) {
					if windows++; windows > 10 {
						cancel()
					}
				}}
				m, src := messageMachine(t, net), messageTrace(s.ranks...)
				stats, err := Scan(src)
				if err != nil || stats.stages == nil {
					t.Fatal(stats, err)
				}
				if _, err := Simulate(ctx, src, stats, m, opt); err != nil {
					t.Errorf("%v after %d windows", err, windows)
				}
			})
		}
	}
}

const logGOPSimNet = "model = \"loggp\"\nL = \"2 us\"\no = \"500 ns\"\ng = \"500 ns\"\nG = \"1 ns/B\""
