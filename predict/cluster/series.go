package cluster

import (
	"fmt"
	"math"

	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// A Series predicts one program on machines that differ only in their number of nodes. It is fast for many
// machines. Its times are those of the model's Predict, to the last bit.
type Series struct {
	// Slow is set if a time takes much longer to compute than its bound, so that a search should compute all bounds
	// first.
	Slow bool

	c     Case
	nodes func(nodes int) (*smp, error) // inputs of models [Paper] and [Curve]
	mva   *MVA
	with  model.Model[*Case]   // of programs that pass messages: predicts each machine by itself; else nil
	least map[int]unit.Seconds // critical path of the runs, by processors: see [Run.critical]
	first bool                 // the first run predicts all machines
}

// NewSeries returns the series of a model for m with any number of nodes up to m.System.Nodes. All processors
// run the program.
func NewSeries(v model.Model[*Case], runs []*Run, m *machine.Machine) (*Series, error) {
	s := &Series{c: Case{Runs: runs, Machine: m, Processors: m.System.Processors}}
	if err := s.c.check(); err != nil {
		return nil, err
	}
	if err := countInstructions(runs); err != nil {
		return nil, err
	}
	s.least = map[int]unit.Seconds{}
	for _, r := range runs {
		s.least[r.Processors], _ = r.critical(costsOf(m))
	}
	if s.c.passesMessages() {
		s.with, s.Slow = v, true
		return s, nil
	}
	many := s.c
	many.Processors *= min(2, m.System.Nodes)
	net, err := many.remoteAccess()
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case Paper:
		return s, s.paper(v, net)
	case Curve:
		s.curve(v, net)
	case MVA:
		s.mva, s.Slow = &v, true
	default:
		return nil, fmt.Errorf("model %s cannot predict a series of machines", v.Name())
	}
	return s, nil
}

// paper prepares s for model paper, over net with any number of nodes.
func (s *Series) paper(v Paper, net remoteAccess) error {
	l, err := s.c.Runs[0].locality(v)
	if err != nil {
		return err
	}
	net.raise = v.Raise
	into := &smp{}
	s.first = true
	s.nodes = func(nodes int) (*smp, error) {
		net.nodes = nodes
		l.fill(into, &s.c, s.c.Runs[0], net, l.alpha.Value, l.beta.Value, l.gamma.Value)
		return into, nil
	}
	return nil
}

// curve prepares s for model curve. Its inputs are computed once.
func (s *Series) curve(v Curve, net remoteAccess) {
	known := s.known()
	s.nodes = func(nodes int) (*smp, error) {
		in := known[nodes]
		if in == nil {
			r, err := s.c.nearest()
			if err != nil {
				return nil, err
			}
			net.nodes = nodes
			if in, err = v.inputs(&s.c, r, net, distances.misses); err != nil {
				return nil, err
			}
			known[nodes] = in
		}
		out := *in
		out.tau, out.switched = net.tau, net.switched
		return &out, nil
	}
}

// known returns the inputs computed so far for machines with the same nodes, whatever their network.
func (s *Series) known() map[int]*smp {
	m, r := s.c.Machine, s.c.Runs[0]
	key := fmt.Sprintf("%#v %#v %#v %#v %#v %d", m.Processor, m.Caches, m.Shared, m.Memory, m.System.Block, m.System.Processors)
	if m.Disk != nil {
		key += fmt.Sprintf(" %#v", *m.Disk)
	}
	if r.inputs == nil {
		r.inputs = map[string]map[int]*smp{}
	}
	if r.inputs[key] == nil {
		r.inputs[key] = map[int]*smp{}
	}
	return r.inputs[key]
}

// Time returns the time of the whole run with so many nodes.
func (s *Series) Time(nodes int) (unit.Seconds, error) { return s.runTime(s.eInstr(nodes)) }

// LeastTime returns a lower bound of Time, and is fast.
func (s *Series) LeastTime(nodes int) (unit.Seconds, error) { return s.runTime(s.bound(nodes)) }

// runTime multiplies E(Instr) by the instructions of the run behind it.
func (s *Series) runTime(e unit.Seconds, err error) (unit.Seconds, error) {
	if err != nil {
		return 0, err
	}
	r := s.c.Runs[0]
	if !s.first {
		if r, err = s.c.nearest(); err != nil {
			return 0, err
		}
	}
	return e * unit.Seconds(r.instructions), nil
}

// countInstructions sets the number of instructions of each run.
func countInstructions(runs []*Run) error {
	for _, r := range runs {
		instr, err := r.parameter("instructions", "1")
		if err != nil {
			return err
		}
		if r.instructions = instr.Value; !(r.instructions > 0) {
			return fmt.Errorf("%s: the trace counts no instructions", r.Name)
		}
	}
	return nil
}

// eInstr returns E(Instr) with so many nodes.
func (s *Series) eInstr(nodes int) (unit.Seconds, error) {
	s.c.Processors = nodes * s.c.Machine.System.Processors
	switch {
	case s.with != nil:
		return s.solved(s.with.Name(), func(c *Case) (unit.Seconds, error) {
			p, err := s.with.Predict(c)
			return p.EInstr, err
		})
	case s.mva != nil:
		return s.solved("E(Instr)", s.mva.eInstr)
	}
	return s.solve(nodes, response)
}

// bound returns a lower bound of eInstr, and is fast. It is E(Instr) with servers as busy as the asymptotic
// bounds of closed networks: an access takes its own time, or that of all processors less the time of each in
// between. For [MVA], see [MVA.bound]. For programs that pass messages it is 0.
func (s *Series) bound(nodes int) (e unit.Seconds, err error) {
	const rounding = 1e-9
	s.c.Processors = nodes * s.c.Machine.System.Processors
	switch {
	case s.with != nil:
		return 0, nil
	case s.mva != nil:
		return s.solved("least", s.mva.bound)
	}
	e, err = s.solve(nodes, minResponse)
	return e * (1 - rounding), err
}

// solved returns the result of [MVA] for a machine, and remembers it for machines that are equal to the model.
// The model uses neither prices nor sizes of memories, and none of the parameters that [Scaled] changes.
func (s *Series) solved(what string, of func(*Case) (unit.Seconds, error)) (unit.Seconds, error) {
	m, r := *s.c.Machine, s.c.Runs[0]
	m.Memory.Size, m.System.Nodes = 0, s.c.nodes()
	key := fmt.Sprintf("%s %#v %#v %#v %#v %#v %d", what, m.Processor, m.Caches, m.Memory, m.Network, m.System, s.c.Processors)
	if m.Shared != nil {
		key += fmt.Sprintf(" %#v", *m.Shared)
	}
	if e, known := r.solved[key]; known {
		return e, nil
	}
	e, err := of(&s.c)
	if err != nil {
		return 0, err
	}
	if r.solved == nil {
		r.solved = map[string]unit.Seconds{}
	}
	r.solved[key] = e
	return e, nil
}

func (s *Series) solve(nodes int, t func(n int, lambda, tau float64) float64) (unit.Seconds, error) {
	in, err := s.nodes(nodes)
	if err != nil {
		return 0, err
	}
	out := in.solve(t)
	e := out.eInstr(in.processors())
	if !(e > 0) || math.IsInf(e, 0) {
		return 0, fmt.Errorf("E(Instr) of %v is no time", unit.Seconds(e))
	}
	return max(unit.Seconds(e), s.least[s.c.Processors]), nil
}

// minResponse returns a lower bound of [response].
func minResponse(n int, lambda, tau float64) float64 {
	if lambda == 0 {
		return tau
	}
	return max(tau, float64(n)*tau-1/lambda)
}
