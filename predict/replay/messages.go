package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"spoor/analyze/comm"
	"spoor/analyze/comm/topology"
	"spoor/calibrate/machine"
	"spoor/predict/engine"
	"spoor/traces/trace"
)

// MessageOptions changes what Messages does.
type MessageOptions struct {
	Semantics   Semantics      // the zero Semantics are LogGPS
	Collectives comm.Algorithm // which messages those are that are recorded whole; if empty, comm.Doubling
	Recorded    bool           // computation takes as long as it did when the trace was recorded
	Observer    engine.Observer
	Engine      engine.Options // of several workers: Protocol, Workers, Quantum, Ahead
	Progress    func(n int)    // is told the number of events done since its last call
}

// MessageResult is a simulated run of a program that passes messages.
type MessageResult struct {
	*engine.Result
	Warnings []error
}

// messageRun is what all processors of a replay share.
type messageRun struct {
	rates    []rates // of each processor
	src      trace.Source
	head     trace.Header
	opt      MessageOptions
	stats    *EventStats
	tagCalls bool // messages of collectives say of which call they are

	maxBytes int64 // bytes of a message
}

// Messages replays the events of src, which passes messages, on the processors and the network of m:
// processor p runs on processor p. What is between two events takes as long as its instructions; a
// Compute its work. Package engine says what messages take.
//
// A collective that is recorded whole is the messages of an algorithm, in a group of their own: a
// member sends what it has to send in a round when it has what it gets in the rounds before. A
// barrier in shared memory is a barrier of all.
//
// What the program found out about time is as recorded: a test or an iprobe that succeeded waits until it
// does, one that failed takes no time, and so does reading the clock. References are not simulated.
func Messages(ctx context.Context, src trace.Source, s *EventStats, m *machine.Machine, opt MessageOptions) (*MessageResult, error) {
	if opt.Collectives == "" {
		opt.Collectives = comm.Doubling
	}
	r := &messageRun{src: src, head: src.Header(), opt: opt, stats: s, tagCalls: s.nonblocking}
	if err := r.check(m); err != nil {
		return nil, err
	}
	flows := func() (all []topology.Flow) {
		all, _ = s.traffic(src, opt.Collectives)
		return all
	}
	model, err := MessageModel(m, r.head.Procs, opt.Semantics, flows)
	if err != nil {
		return nil, err
	}
	r.maxBytes = model.MaxBytes()
	var programs []engine.Program
	for p := range trace.Proc(r.head.Procs) {
		in := r.newEventReader(p)
		defer in.stop()
		one := engine.Program{Next: in.next}
		if s.graphs[p] {
			r.tagCalls = true
			if one.Graph, err = r.graph(p); err != nil {
				return nil, err
			}
		}
		programs = append(programs, one)
	}
	run := opt.Engine
	run.Model, run.Steps, run.Observer, run.Progress = model, newPlans(s, opt.Collectives).steps, opt.Observer, opt.Progress
	res, err := engine.Run(ctx, programs, run)
	if err != nil {
		return nil, err
	}
	out := &MessageResult{res, r.warnings(m, res)}
	if s.refs {
		out.Warnings = append(out.Warnings, ErrNoReferences)
	}
	return out, nil
}

// ErrNoReferences warns of a simulation of messages alone, of a program that uses memory.
var ErrNoReferences = errors.New("references are not simulated where there are messages: misses of caches cost nothing beyond processor.cpi; --references simulates them")

// check refuses what cannot be replayed, and finds what m says of computation.
func (r *messageRun) check(m *machine.Machine) (err error) {
	return cmp.Or(r.stats.errShared(), r.checkMessages(m))
}

// checkMessages is check, but for what belongs to a shared memory.
func (r *messageRun) checkMessages(m *machine.Machine) (err error) {
	s := r.stats
	if s.collectiveErr != nil {
		return s.collectiveErr
	}
	if err := m.Fits("the trace has", r.head.Procs); err != nil {
		return err
	}
	if r.opt.Recorded && !r.head.HasTime {
		return errors.New("the trace has no times of its recording")
	}
	for p, graph := range s.graphs {
		if graph && r.opt.Recorded {
			return fmt.Errorf("the events of processor %d are a graph, whose computation begins when what it needs has ended, not at a recorded time", p)
		}
	}
	var one rates
	for p := range r.head.Procs {
		if p == 0 || len(m.OtherNodes) > 0 {
			if one, err = ratesOf(m, p); err != nil {
				return err
			}
		}
		if s.flops && r.head.WorkUnit == trace.WorkFlop && one.perFlop == 0 && !r.opt.Recorded {
			return fmt.Errorf("computation is in unit %q, and machine %q has no processor.cpf, the clock periods of one", trace.WorkFlop, m.Node(m.NodeOf(p)).Name)
		}
		r.rates = append(r.rates, one)
	}
	return nil
}

// noticeable is the share of the time from which the overlap of messages is worth a warning.
const overlapThreshold = 0.05

// Overlap is what readers of a result must know of messages that come at the same time, or nil.
func OverlapWarning(m *machine.Machine, s Semantics, res *engine.Result) error {
	worst := 0
	for i := range res.Ranks {
		if res.Ranks[i].Overlap > res.Ranks[worst].Overlap {
			worst = i
		}
	}
	if res.Time == 0 || m.Network.Ports != machine.SendPort || s == LogGOPSim || float64(res.Ranks[worst].Overlap) <= overlapThreshold*float64(res.Time) {
		return nil
	}
	return fmt.Errorf("messages come to processor %d faster than 1/G, for %v in all, as nothing spaces those of several senders; "+
		"with network.ports = %q they queue", worst, res.Ranks[worst].Overlap, machine.BothPorts)
}

// warnings are what readers of the result must know.
func (r *messageRun) warnings(m *machine.Machine, res *engine.Result) (all []error) {
	for _, k := range []trace.Kind{trace.Test, trace.Iprobe, trace.Clock} {
		if n := r.stats.timeDependent[k]; n > 0 {
			all = append(all, fmt.Errorf("what a program finds by %v depends on time, and is as recorded (%d)", k, n))
		}
	}
	if err := OverlapWarning(m, r.opt.Semantics, res); err != nil {
		all = append(all, err)
	}
	if res.Reused > 0 {
		all = append(all, fmt.Errorf("requests that were opened again before anybody waited for them (%d)", res.Reused))
	}
	if n := res.Truncations.Receives; n > 0 {
		all = append(all, fmt.Errorf("receives with less room than their messages have bytes, which MPI calls an error (truncation), are replayed with all bytes (%d): the first %v; traces check lists them", n, &res.Truncations))
	}
	if res.Open > 0 {
		all = append(all, fmt.Errorf("requests that nobody waits for (%d)", res.Open))
	}
	if r.rates[0].gamma > 0 && len(r.stats.collectives) > 0 {
		all = append(all, errors.New("network.gamma is not added to the messages of collectives that are recorded whole, whose buffers are not known"))
	}
	return all
}
