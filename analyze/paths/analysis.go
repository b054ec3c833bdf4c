// Package paths finds the critical paths of programs that pass messages, as functions of the costs of a machine.
//
// The machine is LogGP: an instruction, the overheads o_s and o_r, the latency L, the gap g and the time G of a byte. Without contention
// at receivers, each moment of a program is a maximum of sums of costs, so that its time is the largest of linear functions: of all paths
// to its end. Few of them are ever the largest. They are found by cutting planes [kelley1960]: the program is simulated at chosen
// costs, and the path that determines its time there counts how often it has each cost. Elsewhere, that path is a lower bound of the time.
//
// With the rendezvous protocol, bytes leave a port in the order of the answers, so that this holds only nearly.
//
// With contention, messages of several senders queue at their receiver, in an order that depends on the costs, and the time is no maximum
// of linear functions. For that, the program is also simulated at random costs. [Term.Time] takes the paths of the nearest of them.
//
// LLAMP [shen2024] finds the same functions without contention for one cost at a time, by linear programming.
package paths

import (
	"errors"

	"spoor/analyze/analysis"
	"spoor/analyze/comm"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Analysis finds the paths.
type Analysis struct {
	Events      trace.Source // the trace; nil if it is not available
	Collectives comm.Algorithm
	Rendezvous  []int64 // limits of the rendezvous protocol; -1: none
	Meta        []trace.Arg
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "paths".
func (a *Analysis) Name() string { return "paths" }

// NewShard returns no shard: the events of all processors are read together.
func (a *Analysis) NewShard(trace.Header, trace.Proc) analysis.Shard { return nil }

// Merge reads the events and finds the paths.
func (a *Analysis) Merge([]analysis.Shard) (analysis.Result, error) {
	if a.Events == nil {
		return analysis.Result{Warnings: []error{errors.New("paths: omitted; they need the events of the trace")}}, nil
	}
	t, err := a.term()
	if err != nil {
		return analysis.Result{}, err
	}
	full := t.table(a.Meta)
	return analysis.Result{Tables: []*store.Table{full}, Full: full, Summary: t.summary(), Warnings: t.warnings()}, nil
}

// term finds the paths of the program, or says why it has none.
func (a *Analysis) term() (*Term, error) {
	t := &Term{WorkUnit: a.Events.Header().WorkUnit, Collectives: string(a.Collectives)}
	p, err := Compile(a.Events, a.Collectives)
	if err == nil {
		t.Messages, t.Instructions, t.Work, t.Largest = len(p.messages), p.instr, p.work, p.largest()
		err = a.find(p, t)
	}
	if reason := (unfit{}); errors.As(err, &reason) {
		t.Unfit, t.paths, err = err.Error(), nil, nil
	}
	return t, err
}

// find finds the paths of all classes.
func (a *Analysis) find(p *Program, t *Term) error {
	s := &search{Program: p, box: boxOf(p, t.WorkUnit)}
	for _, limit := range a.Rendezvous {
		if limit >= t.Largest {
			continue // as without
		}
		found, err := s.cover(limit)
		if errors.Is(err, errDeadlock) && limit >= 0 {
			t.Deadlocks = append(t.Deadlocks, limit)
			continue
		}
		if err != nil {
			return err
		}
		t.Missing = max(t.Missing, found.missing())
		t.Tried += found.tried
		t.paths = append(t.paths, found.paths...)
		for _, ports := range []Ports{SendPort, BothPort} {
			found, err := s.sample(Class{ports, limit})
			if err != nil {
				return err
			}
			t.Tried += found.tried
			t.paths = append(t.paths, found.paths...)
		}
	}
	return nil
}

// largest returns the bytes of the largest message.
func (p *Program) largest() (most int64) {
	for i := range p.messages {
		most = max(most, p.messages[i].bytes)
	}
	return most
}
