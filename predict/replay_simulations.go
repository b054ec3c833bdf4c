package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"spoor/calibrate/machine"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// simulation is one trace on one machine.
type simulation struct {
	prefix  string
	trace   *store.Trace
	machine *machine.Machine
	result  *replay.Result

	survey   *replay.EventStats
	messages *messageOutcome // of a trace that passes messages
	both     *replay.MixedResult
}

// name returns the name of s in errors and notes.
func (s *simulation) name() string { return s.prefix + " on " + s.machine.Name }

// openSimulations opens all traces and machines, and pairs each trace with each machine. The caller must call done.
func openSimulations(env *stage.Env, prefixes, files, nodes []string) (sims []*simulation, done func(), err error) {
	var machines []*machine.Machine
	var traces []*store.Trace
	done = func() {
		for _, t := range traces {
			t.Close()
		}
	}
	for _, f := range files {
		m, err := readPart(f, nodes)
		if err != nil {
			return nil, done, err
		}
		for _, a := range m.Assumed {
			env.Note("%s: %s", m.Name, a)
		}
		machines = append(machines, m)
	}
	for _, p := range prefixes {
		t, err := store.Open(p)
		if err != nil {
			return nil, done, err
		}
		traces = append(traces, t)
		survey, err := replay.Scan(t)
		if err != nil {
			return nil, done, fmt.Errorf("examining %s: %w", p, err)
		}
		if isEmpty(t) {
			return nil, done, fmt.Errorf("replaying %s: the trace is empty: it has no instructions, references or events; record or import the program again", p)
		}
		for _, m := range machines {
			sims = append(sims, &simulation{prefix: p, trace: t, machine: m, survey: survey})
		}
	}
	return sims, done, nil
}

// noteSources notes once for each trace what makes its results doubtful. The argument says whether references are simulated.
func noteSources(env *stage.Env, sims []*simulation, refs bool) {
	told := map[string]bool{}
	for _, s := range sims {
		if !told[s.prefix] {
			told[s.prefix] = true
			noteSource(env, s.prefix, s.trace, refs)
		}
	}
}

// noteSource notes what makes results of a trace doubtful.
func noteSource(env *stage.Env, prefix string, t *store.Trace, refs bool) {
	for _, warning := range t.Header().Warnings(refs) {
		env.Note("%s: %s", prefix, warning)
	}
}

// isEmpty reports whether processors do nothing in a trace.
func isEmpty(t *store.Trace) bool {
	for p := range trace.Proc(t.Header().Procs) {
		if all := t.Totals(p); uint64(all.Instr)+all.Refs+all.Events > 0 {
			return false
		}
	}
	return true
}

// readMachine reads the machine of a file. The given nodes replace its last ones.
func readMachine(file string, nodes []string) (*machine.Machine, error) {
	m, err := machine.Read(file)
	if err != nil {
		return nil, err
	}
	var others []*machine.Machine
	for _, f := range nodes {
		o, err := machine.Read(f)
		if err != nil {
			return nil, err
		}
		others = append(others, o)
	}
	return m.WithNodes(others...)
}

// readPart is readMachine for a file that may lack sections. The caller calls Machine.Need. Nodes of other kinds need all.
func readPart(file string, nodes []string) (*machine.Machine, error) {
	if len(nodes) > 0 {
		return readMachine(file, nodes)
	}
	return machine.ReadPart(file)
}

// need returns an error that lists all sections that the machine of s lacks for a simulation of this kind.
func (s *simulation) need(kind simulationKind, recorded bool) error {
	what := "replaying " + s.prefix
	if kind != byMessages {
		return needReferences(s.machine, what, kind)
	}
	instr := total([]*simulation{s}, func(t trace.Totals) uint64 { return uint64(t.Instr) })
	return needMessages(s.machine, what, !recorded && (instr > 0 || s.survey.HasWork() && s.trace.Header().WorkUnit != trace.WorkPicos))
}

// needMessages returns an error that lists all sections that m lacks for messages and, if they take time, instructions.
func needMessages(m *machine.Machine, what string, instructions bool) error {
	if !instructions {
		return nil // replay asks for [network]
	}
	if err := m.Need(what, machine.ProcessorSection); err != nil {
		return m.Need(what, machine.ProcessorSection, machine.NetworkSection)
	}
	return nil
}

// needReferences returns an error that lists all sections that m lacks for references, and for messages if kind has them.
func needReferences(m *machine.Machine, what string, kind simulationKind) error {
	if err := m.NeedReferences(what); err == nil || kind != byBoth {
		return err
	}
	return m.NeedReferences(what, machine.NetworkSection)
}

// fitting removes simulations on machines with too few processors for their trace, and with --full with too many. At least one must
// remain for each trace.
func (o *replayOptions) fitting(env *stage.Env, sims []*simulation) (out []*simulation, err error) {
	left := map[string]int{}
	for _, s := range sims {
		left[s.prefix] += 0
		procs, have := s.trace.Header().Procs, s.machine.Count()
		if slices.Contains(s.machine.Missing, machine.SystemSection) && procs < have {
			have = procs // each rank has a node of its own
		}
		switch {
		case procs > have && s.machine.Network == nil && s.survey.HasMessages():
			err = fmt.Errorf("replaying %s: the trace has messages and %s, but the machine has no [network] and only %d; replay it on another, such as loggp-example", s.name(), stage.Count(procs, "processor"), have)
		case procs > have:
			err = fmt.Errorf("replaying %s: the trace has %s, but the machine only %d; change [system] in its file, or use traces slice --procs", s.name(), stage.Count(procs, "processor"), have)
		case o.full && procs < have:
		default:
			out = append(out, s)
			left[s.prefix]++
		}
	}
	for _, s := range sims {
		if left[s.prefix] > 0 {
			continue
		}
		if err == nil {
			err = fmt.Errorf("replaying %s: no machine has as many processors as the trace, %d; omit --full", s.prefix, s.trace.Header().Procs)
		}
		return nil, err
	}
	if n := len(sims) - len(out); n > 0 && !o.full {
		env.Note("skipped %s: the traces have more processors than the machines", stage.Count(n, "simulation"))
	}
	return out, nil
}

// simulateAll runs sims on shared memories.
func simulateAll(ctx context.Context, env *stage.Env, sims []*simulation, opt replay.Options, workers int) error {
	runs := 1
	if opt.Warm {
		runs = 2
	}
	progress := env.Progress("replaying", int64(runs)*int64(total(sims, func(t trace.Totals) uint64 { return t.Refs })), "refs")
	defer progress.Done()
	opt.Progress = progress.Add
	return runAll(sims, workers, func(s *simulation) error { return s.run(ctx, opt) })
}

// total returns the sum of a count over the traces of all sims.
func total(sims []*simulation, of func(trace.Totals) uint64) (n uint64) {
	for _, s := range sims {
		for p := range trace.Proc(s.trace.Header().Procs) {
			n += of(s.trace.Totals(p))
		}
	}
	return n
}

// runAll runs sims, several at once. Of several errors it returns the first in the order of sims, so the result does not depend on
// timing.
func runAll(sims []*simulation, workers int, run func(*simulation) error) error {
	errs := make([]error, len(sims))
	next := make(chan int)
	var all sync.WaitGroup
	for range min(workers, len(sims)) {
		all.Go(func() {
			for i := range next {
				errs[i] = run(sims[i])
			}
		})
	}
	for i := range sims {
		next <- i
	}
	close(next)
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("replaying %s: %w", sims[i].name(), err)
		}
	}
	return nil
}

func (s *simulation) run(ctx context.Context, opt replay.Options) (err error) {
	clock, err := replay.ClockOf(s.machine)
	if err != nil {
		return err
	}
	opt.Memory = memoryOf(s.machine)
	s.result, err = replay.RunOnMachine(ctx, s.trace, s.machine, clock, opt)
	return err
}
