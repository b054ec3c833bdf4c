package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"spoor/analyze/locality"
	"spoor/analyze/paths"
	"spoor/calibrate/param"
	"spoor/predict/internal/model"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// LeaveOutMessages makes predictions of r without the time of messages.
func (r *Run) LeaveOutMessages() { r.withoutMessages = true }

// HasMessageTime reports whether the time of messages of r is known as a function of costs, or why not.
func (r *Run) HasMessageTime() error {
	switch {
	case r.messages == nil:
		return fmt.Errorf("%s has no %s.arrow; run analyze with --run paths", r.Name, paths.TableName)
	case r.messages.Unfit != "":
		return errors.New(r.messages.Unfit)
	}
	return nil
}

// readMessages reads the paths of a run.
func (r *Run) readMessages(dir string) error {
	t, err := readBeside(dir, paths.TableName+".arrow", store.ReadTable)
	if err != nil || t == nil {
		return err
	}
	if err := r.join(t); err != nil {
		return fmt.Errorf("reading %s: %w", dir, err)
	}
	if r.messages, err = paths.Load(t); err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Join(dir, paths.TableName+".arrow"), err)
	}
	return nil
}

// passesMessages reports whether predictions of c have the time of messages.
func (c *Case) passesMessages() bool {
	return slices.ContainsFunc(c.Runs, func(r *Run) bool {
		passes, _ := r.PassesMessages()
		return passes && !r.withoutMessages
	})
}

// openMessages reads a run of which only messages were analyzed. It returns nil if they were not.
func openMessages(path, dir string) (*Run, error) {
	r := &Run{Name: path, Params: &param.Set{}, onlyMessages: true}
	if err := r.readMessages(dir); err != nil || r.messages == nil {
		return nil, err
	}
	exact := func(name string, value float64) error {
		return r.Params.Add(param.Param{Name: name, Value: value, Unit: "1", Lo: math.NaN(), Hi: math.NaN()})
	}
	if err := cmp.Or(exact(locality.MessagesParam, 1), exact("instructions", float64(r.messages.Instructions))); err != nil {
		return nil, err
	}
	return r, r.count()
}

// addMessages adds the time of messages to a prediction, if the program of run r passes messages: the program takes as long as its
// longest path. An instruction takes what p has for it, averaged over all processors and phases, without waits for others. The
// program takes at least as long as p.
//
// Differs: [shen2024] has the computation as constants. Here it depends on the machine's caches and memory, too.
func (c *Case) addMessages(p *model.Prediction, r *Run) error {
	if passes, _ := r.PassesMessages(); !passes || r.withoutMessages {
		return nil
	}
	if r.Processors != c.Processors {
		return fmt.Errorf("the program passes messages, whose time is known for runs with as many processors only; there are runs with %s", c.runSizes())
	}
	if err := r.HasMessageTime(); err != nil {
		return fmt.Errorf("the time of messages is not known: %w", err)
	}
	on, left, err := messageMachine(cmp.Or(c.whole, c.Machine), c.Processors)
	if err != nil {
		return err
	}
	total, err := r.parameter("instructions", "1")
	if err != nil {
		return err
	}
	t := programTime{r.messages, on, total.Value, float64(c.Processors)}
	if err := t.setWork(c); err != nil {
		return err
	}
	p.Warnings = append(p.Warnings, left...)
	return t.add(p)
}

// programTime predicts the time of messages of a run.
type programTime struct {
	*paths.Term
	on         paths.Machine
	total      float64 // instructions of all processors, with those after their last messages
	processors float64
}

// setWork sets the cost of work that is not in instructions.
func (t *programTime) setWork(c *Case) error {
	switch cpf := float64(c.Machine.Processor.CPF.At(c.Machine.Processor.Clock)); {
	case t.Work == 0:
	case t.WorkUnit == "ps":
		t.on.Costs[paths.Work] = 1
	case cpf > 0:
		t.on.Costs[paths.Work] = 1e12 * cpf
	default:
		return fmt.Errorf("the program computes in unit %q, but machine %s has no processor.cpf", t.WorkUnit, c.Machine.Name)
	}
	return nil
}

// at returns E(Instr) if an instruction of all processors takes busy, without waits.
func (t *programTime) at(busy unit.Seconds) (unit.Seconds, *paths.Estimate, error) {
	m := t.on
	m.Costs[paths.Instruction] = picos(busy) * t.processors
	if n := float64(t.Instructions); n > 0 {
		m.Costs[paths.Instruction] *= t.total / n
	}
	e, err := t.Time(m)
	return e.Time / unit.Seconds(t.total), &e, err
}

// add adds the time of messages to p.
func (t *programTime) add(p *model.Prediction) error {
	busy := p.Split.Ideal + p.Split.Latency + p.Split.Contention
	with, e, err := t.at(busy)
	if err != nil {
		return fmt.Errorf("the time of messages is not known: %w", err)
	}
	p.Warnings = append(p.Warnings, t.doubts(e)...)
	before := p.EInstr
	if p.Interval.Known() {
		for _, end := range []*unit.Seconds{&p.Interval.Lo, &p.Interval.Hi} {
			ended, _, err := t.at(busy * *end / before)
			if err != nil {
				return err
			}
			*end = max(*end, ended)
		}
		p.Interval.Lo, p.Interval.Hi = min(p.Interval.Lo, max(with, before)), max(p.Interval.Hi, with, before)
	}
	p.EInstr = max(before, with)
	p.Split.Sync = p.EInstr - busy
	p.Bounds = model.Bounds{Least: p.Bounds.Least, Most: unit.Seconds(math.Inf(1))}
	p.Terms = append(p.Terms, t.terms(e)...)
	if work := t.computing(e); work < 0.5 {
		p.Limit = "messages"
	}
	return nil
}

// doubts returns what makes the time of messages doubtful.
func (t *programTime) doubts(e *paths.Estimate) (all []error) {
	if e.Outside != "" {
		all = append(all, fmt.Errorf("network.%s is larger, in times of an instruction, than in all simulations of analyze --run paths", e.Outside))
	}
	if t.Missing > mostMissing {
		all = append(all, fmt.Errorf("the critical paths are incomplete: the program takes up to %.1f %% longer", 100*t.Missing))
	}
	return all
}

// mostMissing is the share of the time that critical paths may lack without a warning.
const mostMissing = 0.02

// computing returns the share of the longest path in which its processors compute.
func (t *programTime) computing(e *paths.Estimate) float64 {
	messages := 0.0
	for _, c := range []paths.Cost{paths.Send, paths.Receive, paths.Latency, paths.Gap, paths.Byte} {
		messages += float64(e.Counts[c]) * t.on.Costs[c]
	}
	return 1 - messages*1e-12/float64(e.Alone)
}

// terms returns the parts of the longest path, for each instruction of all processors.
func (t *programTime) terms(e *paths.Estimate) (all []model.Term) {
	of := func(symbol string, ps float64, what string) {
		all = append(all, model.Term{Symbol: symbol, Value: ps * 1e-12 / t.total, Unit: "s", What: what})
	}
	of("L", float64(e.Counts[paths.Latency])*t.on.Costs[paths.Latency], "latencies on the critical path")
	of("o", float64(e.Counts[paths.Send])*t.on.Costs[paths.Send]+float64(e.Counts[paths.Receive])*t.on.Costs[paths.Receive], "overheads on the critical path")
	of("g", float64(e.Counts[paths.Gap])*t.on.Costs[paths.Gap], "gaps on the critical path")
	of("G", float64(e.Counts[paths.Byte])*t.on.Costs[paths.Byte], "bytes of messages on the critical path")
	return append(all, model.Term{Symbol: "contention", Value: e.Contention, Unit: "", What: "time with contention of messages at receivers over that without"})
}
