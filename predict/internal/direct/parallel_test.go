package direct

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// byWorkers simulates a program with several workers, and up to two more for the application.
func byWorkers(t testing.TB, program spmd.Program, network string, procs, ahead, workers int, protocol outcome.Protocol) (*Result, recording, error) {
	t.Helper()
	rec := newRecording(procs)
	opt := Options{Options: scope(replay.Messages), Procs: procs, Ahead: ahead, Sink: sink{rec}}
	opt.Engine = engine.Options{Protocol: protocol, Workers: workers, Application: ahead % 3}
	got, err := Simulate(context.Background(), program, machineOf(t, network), opt)
	return got, rec, err
}

// equalRuns compares a run of several workers with that of one. The statistics of the engine differ.
func equalRuns(t *testing.T, what string, got, want *Result, gotRec, wantRec recording) {
	t.Helper()
	g, w := *got.Messages, *want.Messages
	g.Engine, w.Engine = outcome.Stats{}, outcome.Stats{}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("%s: %s", what, different(&g, &w))
	}
	if !reflect.DeepEqual(gotRec.EventsOf, wantRec.EventsOf) {
		t.Errorf("%s: other events", what)
	}
}

var protocols = []outcome.Protocol{outcome.Quantum, outcome.Whoa}

// eachDivision calls run for workers and engines.
func eachDivision(run func(what string, workers, ahead int, p outcome.Protocol)) {
	workers := []int{2, 3, 1, 8, 4}
	for _, p := range protocols {
		for i, w := range workers[:testsize.Cases(len(workers), 1)] {
			ahead := []int{64, 3, 1, 16, 5}[i]
			run(fmt.Sprintf("%s, %d workers, F = %d", p, w, ahead), w, ahead, p)
		}
	}
}

// Several workers run all kernels that pass messages as one worker does, and verify them.
func TestWorkersRunKernelsAsOne(t *testing.T) {
	for i, c := range []struct {
		kernel string
		procs  int
		set    kernel.Values
	}{
		{"sor", 7, kernel.Values{"g": 9, "iterations": 12}},
		{"bps", 16, kernel.Values{"g": 8}},
		{"apucs", 9, nil},
		{"pgl", 9, kernel.Values{"triangles": 30, "frames": 2, "size": 64, "extent": 8, "buffer": 4}},
		{"transfer", 4, nil},
	}[:testsize.Cases(5, 2)] {
		network := []string{lines, plogp, ports}[i%3] // eager: sor sends before it receives
		inst := instance(t, c.kernel, c.procs, c.set)
		want, wantRec, err := byWorkers(t, inst.Program, network, c.procs, 64, 1, outcome.Sequential)
		if err != nil {
			t.Fatal(err)
		}
		eachDivision(func(what string, workers, ahead int, p outcome.Protocol) {
			inst := instance(t, c.kernel, c.procs, c.set)
			got, rec, err := byWorkers(t, inst.Program, network, c.procs, ahead, workers, p)
			if err != nil {
				t.Fatal(err)
			}
			if err := inst.Verify(); err != nil {
				t.Error(err)
			}
			equalRuns(t, c.kernel+", "+what, got, want, rec, wantRec)
			if e := got.Messages.Engine; e.Workers != min(workers, c.procs) || e.Reason != "" {
				t.Errorf("%s: %+v", what, e)
			}
		})
	}
}

// Several workers run random programs, which ask for the time and for messages, as one worker does.
func TestWorkersRunRandomProgramsAsOne(t *testing.T) {
	for seed := range uint64(testsize.Cases(40, 6)) {
		procs := 2 + int(seed%7)
		network := []string{ports, lines, ports + "S = \"40 B\"\n"}[seed%3]
		want, wantRec, err := byWorkers(t, randomProgram(seed, procs), network, procs, 64, 1, outcome.Sequential)
		if err != nil {
			t.Fatal(err)
		}
		eachDivision(func(what string, workers, ahead int, p outcome.Protocol) {
			got, rec, err := byWorkers(t, randomProgram(seed, procs), network, procs, ahead, workers, p)
			if err != nil {
				t.Fatal(err)
			}
			equalRuns(t, fmt.Sprintf("seed %d, %s", seed, what), got, want, rec, wantRec)
		})
	}
}

// Windows and the numbers of resumptions do not depend on which worker is faster.
func TestWindowsDoNotDependOnTheHost(t *testing.T) {
	var first *Result
	for range testsize.Cases(6, 2) {
		inst := instance(t, "pgl", 8, kernel.Values{"triangles": 30, "frames": 2, "size": 64, "extent": 8, "buffer": 4})
		got, _, err := byWorkers(t, inst.Program, ports, 8, 16, 3, outcome.Whoa)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if got.Messages.Engine != first.Messages.Engine || got.Resumed != first.Resumed || got.Answered != first.Answered {
			t.Errorf("got %+v, %d, %d; want %+v, %d, %d", got.Messages.Engine, got.Resumed, got.Answered, first.Messages.Engine, first.Resumed, first.Answered)
		}
	}
}

// Errors, deadlocks and barriers are those of one worker.
func TestWorkersFailAsOne(t *testing.T) {
	for name, program := range map[string]spmd.Program{
		"an error": func(r *spmd.Rank) error {
			work(uint64(1000 * (10 - r.ID())))
			if r.ID() == 2 || r.ID() == 5 {
				return errors.New("wrong")
			}
			spmd.Recv(r, (r.ID()+1)%r.Procs(), 0, make([]byte, 1))
			return nil
		},
		"a panic": func(r *spmd.Rank) error {
			spmd.Sendrecv(r, (r.ID()+1)%r.Procs(), 0, make([]byte, 1), (r.ID()+r.Procs()-1)%r.Procs(), 0, make([]byte, 1))
			if r.ID() == 3 {
				panic("odd")
			}
			r.Barrier()
			return nil
		},
		"a deadlock": func(r *spmd.Rank) error {
			work(10)
			spmd.Recv(r, (r.ID()+1)%r.Procs(), 0, make([]byte, 1))
			return nil
		},
		"a lock": func(r *spmd.Rank) error {
			spmd.Sendrecv(r, (r.ID()+1)%r.Procs(), 0, make([]byte, 1), (r.ID()+r.Procs()-1)%r.Procs(), 0, make([]byte, 1))
			r.Lock(0)
			r.Unlock(0)
			return nil
		},
	} {
		_, _, want := byWorkers(t, program, ports, 6, 64, 1, outcome.Sequential)
		if want == nil {
			t.Fatalf("%s: no error", name)
		}
		eachDivision(func(what string, workers, ahead int, p outcome.Protocol) {
			if _, _, err := byWorkers(t, program, ports, 6, ahead, workers, p); err == nil || err.Error() != want.Error() {
				t.Errorf("%s: %s: got %v, want %v", name, what, err, want)
			}
		})
	}
}

// Where messages share links, one worker runs, and the result says why.
func TestLinksHaveOneWorker(t *testing.T) {
	inst := instance(t, "sor", 4, kernel.Values{"g": 5, "iterations": 4})
	got, _, err := byWorkers(t, inst.Program, torus, 4, 8, 2, outcome.Whoa)
	if err != nil {
		t.Fatal(err)
	}
	if e := got.Messages.Engine; e.Workers != 1 || !strings.Contains(e.Reason, "share") {
		t.Errorf("%+v", e)
	}
}

// Ranks see in shared memory what others did before a barrier.
func TestBarriersOfWorkersOrderMemory(t *testing.T) {
	eachDivision(func(what string, workers, ahead int, p outcome.Protocol) {
		total, parts := 0, make([]int, 6)
		_, _, err := byWorkers(t, func(r *spmd.Rank) error {
			parts[r.ID()] = r.ID()
			spmd.Sendrecv(r, (r.ID()+1)%r.Procs(), 0, make([]byte, 1), (r.ID()+r.Procs()-1)%r.Procs(), 0, make([]byte, 1))
			r.Barrier()
			if r.ID() == 0 {
				for _, n := range parts {
					total += n
				}
			}
			return nil
		}, ports, 6, ahead, workers, p)
		if err != nil || total != 15 {
			t.Errorf("%s: %d, %v", what, total, err)
		}
	})
}

var _ trace.Source = recording{}
