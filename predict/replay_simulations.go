package main

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"spoor/calibrate/machine"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/placement"
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
	survey  *replay.EventStats
	place   placement.Placement
	scope   replay.Scope
	without error // why references of the trace are not simulated; nil: they are, or there are none
}

// name returns the name of s in errors and notes.
func (s *simulation) name() string { return s.prefix + " on " + s.machine.Name }

// inPlaces returns each simulation with each placement.
func inPlaces(sims []*simulation, places []placement.Placement) (all []*simulation) {
	for _, s := range sims {
		for _, p := range places {
			one := *s
			one.place = p
			all = append(all, &one)
		}
	}
	return all
}

// openSimulations opens all traces and machines, and pairs each trace with each machine. The caller
// must call done.
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

// need returns an error that lists all sections that the machine of s lacks for a simulation of a scope.
func (s *simulation) need(scope replay.Scope, recorded bool) error {
	what := "replaying " + s.prefix
	if scope != replay.Messages {
		return needReferences(s.machine, what, scope)
	}
	return needMessages(s.machine, what, !recorded && (s.instructions() > 0 || s.survey.HasWork() && s.trace.Header().WorkUnit != trace.WorkPicos))
}

// checkMemory refuses a simulation of messages that needs more memory than there is.
func (s *simulation) checkMemory() error {
	if s.scope != replay.Messages {
		return nil
	}
	procs, events := s.trace.Header().Procs, s.total(func(t trace.Totals) uint64 { return t.Events })
	run := fmt.Sprintf("replaying %s: a simulation of %s with %s", s.name(), stage.Count(procs, "processor"), stage.Count(int(events), "event"))
	return stage.CheckMemory(s.survey.LeastMemory(), run, "replay a part of the trace: see traces slice")
}

// fitting removes simulations on machines with too few processors for their trace, and with --full with too many. At least one must
// remain for each trace.
func fitting(env *stage.Env, sims []*simulation, full bool) (out []*simulation, err error) {
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
		case full && procs < have:
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
	if n := len(sims) - len(out); n > 0 && !full {
		env.Note("skipped %s: the traces have more processors than the machines", stage.Count(n, "simulation"))
	}
	return out, nil
}

// total returns the sum of a count over the processors of the trace.
func (s *simulation) total(of func(trace.Totals) uint64) (n uint64) {
	for p := range trace.Proc(s.trace.Header().Procs) {
		n += of(s.trace.Totals(p))
	}
	return n
}

// instructions returns the instructions of all processors.
func (s *simulation) instructions() uint64 {
	return s.total(func(t trace.Totals) uint64 { return uint64(t.Instr) })
}

// runAll runs sims, several at once.
func runAll[R any](sims []*simulation, workers int, run func(*simulation) (R, error)) ([]R, error) {
	results := make([]R, len(sims))
	err := runEach(len(sims), workers, func(i int) (err error) {
		if results[i], err = run(sims[i]); err != nil {
			return fmt.Errorf("replaying %s: %w", sims[i].name(), err)
		}
		return nil
	})
	return results, err
}

// runEach runs 0 to before n, several at once. Of several errors it returns the first in their order, so the result
// does not depend on timing.
func runEach(n, workers int, run func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := range next {
				errs[i] = run(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	return cmp.Or(errs...)
}

// hasTimesAlone reports whether a trace has only events with recorded times, without instructions and references.
func (s *simulation) hasTimesAlone() bool {
	return s.total(func(t trace.Totals) uint64 { return uint64(t.Instr) + t.Refs }) == 0 && s.total(func(t trace.Totals) uint64 { return t.Events }) > 0
}

// noteUnusedOfSimulations notes the keys that no simulation on a machine depends on.
func noteUnusedOfSimulations(env *stage.Env, sims []*simulation, recorded bool, semantics replay.Semantics) {
	uses := map[*machine.Machine][]keyuse.Use{}
	var machines []*machine.Machine
	for _, s := range sims {
		if uses[s.machine] == nil {
			machines = append(machines, s.machine)
		}
		uses[s.machine] = append(uses[s.machine], useOf(s.machine, s.scope, s.trace.Header().Procs, s.trace.Header().WorkUnit == trace.WorkFlop, recorded, semantics))
	}
	var notes []string
	for _, m := range machines {
		for _, n := range keyuse.OfMachine(m, uses[m]...) {
			if !slices.Contains(notes, n) { // a machine with several placements
				notes = append(notes, n)
			}
		}
	}
	noteAll(env, notes)
}

// mayPassMessages reports whether a trace without messages may be of a program that passes messages on more
// processors: it is of one processor without events.
func (s *simulation) mayPassMessages() bool {
	return s.trace.Header().Procs == 1 && s.total(func(t trace.Totals) uint64 { return t.Events }) == 0
}
