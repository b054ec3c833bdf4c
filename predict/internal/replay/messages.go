package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/traces/trace"
)

// messageRun is the state that all processors of a replay share.
type messageRun struct {
	rates    []rates // of each processor
	src      trace.Source
	head     trace.Header
	opt      Options
	stats    *EventStats
	tagCalls bool // messages of collectives carry the number of their call as tag

	maxBytes int64 // of a message
}

// runMessages replays the events of src, a message-passing program, on the processors and the network of m. Processor p
// of the trace runs on processor p. The interval between two events takes the time of its instructions, and a Compute
// the time of its work. Package engine computes the time of messages.
//
// A collective that is recorded as one event is replaced by the messages of an algorithm, in a group of their own. A
// member sends the messages of a round when it has received those of the rounds before. A barrier in shared memory is
// a barrier of all.
//
// Results that depend on time are as recorded. A test or an iprobe that succeeded waits until it succeeds. One that
// failed takes no time, and neither does reading the clock. References are not simulated.
func runMessages(ctx context.Context, src trace.Source, s *EventStats, m *machine.Machine, opt Options) (*Result, error) {
	defer collectOften(s.rows)()
	r := &messageRun{src: src, head: src.Header(), opt: opt, stats: s, tagCalls: s.nonblocking}
	if err := r.check(m); err != nil {
		return nil, err
	}
	flows := func() (all []comm.Flow) {
		all, _ = s.traffic(src, opt.Collectives)
		return all
	}
	model, err := MessageModel(m, r.head.Procs, opt.Semantics, flows)
	if err != nil {
		return nil, err
	}
	r.maxBytes = model.MaxBytes()
	run := opt.Engine
	run.Model, run.Steps, run.Observer, run.Progress = model, newPlans(s, opt.Collectives).steps, opt.Observer, opt.Progress
	res, err := r.run(ctx, run)
	if err != nil {
		return nil, err
	}
	warnings := r.warnings(m, &model, res)
	if s.refs {
		warnings = append(warnings, WithoutReferences(opt.Without))
	}
	out := OfMessages(res, warnings)
	out.begunAt(opt.Starts)
	return out, nil
}

// run simulates the programs.
func (r *messageRun) run(ctx context.Context, opt engine.Options) (*outcome.Result, error) {
	if res, err := r.runStages(ctx, &opt); res != nil || err != nil {
		return res, err
	}
	programs, stop, err := r.programs()
	defer stop()
	if err != nil {
		return nil, err
	}
	return engine.Run(ctx, programs, opt)
}

// WithoutReferences warns that references of a program are not simulated, and says why if that is known.
func WithoutReferences(why error) error {
	const what = "references are not simulated: misses of caches cost nothing beyond processor.cpi"
	if why == nil {
		return errors.New(what)
	}
	return fmt.Errorf("%s (%w)", what, why)
}

// check returns an error if the trace cannot be replayed. It sets the rates of computation.
func (r *messageRun) check(m *machine.Machine) (err error) {
	return cmp.Or(r.stats.errShared(), r.checkMessages(m))
}

// checkMessages is check without the test for events of a shared memory.
func (r *messageRun) checkMessages(m *machine.Machine) (err error) {
	s := r.stats
	if s.collectiveErr != nil {
		return s.collectiveErr
	}
	if err := m.Fits("the trace has", r.head.Procs); err != nil {
		return err
	}
	if r.opt.Recorded && !r.head.HasTime {
		return errors.New("the trace has no recorded times")
	}
	for p, graph := range s.graphs {
		if graph && r.opt.start(trace.Proc(p)) > 0 {
			return fmt.Errorf("the events of processor %d are a graph; it can only begin at 0", p)
		}
		if graph && r.opt.Recorded {
			return fmt.Errorf("the events of processor %d are a graph; recorded times can only be used for a sequence of events", p)
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
			return fmt.Errorf("the trace has computation in unit %q, but machine %q has no processor.cpf (clock periods of one)", trace.WorkFlop, m.Node(m.NodeOf(p)).Name)
		}
		r.rates = append(r.rates, one)
	}
	return nil
}

// overlapThreshold is the fraction of the run time from which the overlap of messages gives a warning.
const overlapThreshold = 0.05

// NetworkWarnings returns the warnings about the network of a run.
func NetworkWarnings(m *machine.Machine, model *cost.Model, res *outcome.Result) (all []error) {
	all = nodeWarnings(m, model, len(res.Ranks))
	if err := overlapWarning(m, model, res); err != nil {
		all = append(all, err)
	}
	return all
}

// overlapWarning returns a warning if many messages arrive at the same time, or nil.
func overlapWarning(m *machine.Machine, model *cost.Model, res *outcome.Result) error {
	worst := 0
	for i := range res.Ranks {
		if res.Ranks[i].Overlap > res.Ranks[worst].Overlap {
			worst = i
		}
	}
	if res.Time == 0 || m.Network.Ports != machine.SendPort || model.LogGOPSim || float64(res.Ranks[worst].Overlap) <= overlapThreshold*float64(res.Time) {
		return nil
	}
	return fmt.Errorf("messages of several senders arrive at processor %d faster than 1/G, for %v in total; "+
		"with network.ports = %q they queue", worst, res.Ranks[worst].Overlap, machine.BothPorts)
}

// warnings returns the warnings about the result.
func (r *messageRun) warnings(m *machine.Machine, model *cost.Model, res *outcome.Result) (all []error) {
	if err := r.stats.timeWarning(r.head); err != nil {
		all = append(all, err)
	}
	all = append(all, NetworkWarnings(m, model, res)...)
	if res.Reused > 0 {
		all = append(all, fmt.Errorf("requests that were opened again before an operation waited for them: %d", res.Reused))
	}
	if n := res.Truncations.Receives; n > 0 {
		all = append(all, fmt.Errorf("receives smaller than their messages (truncation errors in MPI) are replayed with all bytes: %d, the first %v; 'traces check' lists them", n, &res.Truncations))
	}
	if res.Open > 0 {
		all = append(all, fmt.Errorf("requests without an operation that waits for them: %d", res.Open))
	}
	if r.rates[0].gamma > 0 && len(r.stats.collectives) > 0 {
		all = append(all, errors.New("network.gamma is not added to the messages of collectives that are recorded as one event, because their buffers are not known"))
	}
	return all
}
