package main

import (
	"context"

	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// simulationKind is what a simulation runs: the references of a trace, its messages, or both.
type simulationKind uint8

const (
	byMemory simulationKind = 1 + iota
	byMessages
	byBoth
)

// String describes such programs.
func (k simulationKind) String() string {
	return [...]string{"", "shares memory", "passes messages", "shares memory and passes messages"}[k]
}

// refsMode is the value of --references: not given, on or off.
type refsMode uint8

const (
	refsAuto refsMode = 1 + iota
	refsOn
	refsOff
)

// refsModeOf returns the mode of the flag.
func refsModeOf(references, changed bool) refsMode {
	switch {
	case !changed:
		return refsAuto
	case references:
		return refsOn
	}
	return refsOff
}

// kind returns what the simulation of s runs. References of a trace without messages are simulated unless the mode is off. Those of a
// trace with messages are simulated if the mode is on, or if it has locks, tasks or flags.
func (s *simulation) kind(references refsMode) simulationKind {
	switch messages := s.survey.HasMessages(); {
	case !messages && (s.hasTimesAlone() || references == refsOff):
		return byMessages
	case !messages:
		return byMemory
	case references == refsOn || s.survey.SharesMemory():
		return byBoth
	}
	return byMessages
}

// hasTimesAlone reports whether a trace has only events with recorded times, without instructions and references.
func (s *simulation) hasTimesAlone() bool {
	sum := func(of func(trace.Totals) uint64) uint64 { return total([]*simulation{s}, of) }
	return sum(func(t trace.Totals) uint64 { return uint64(t.Instr) + t.Refs }) == 0 && sum(func(t trace.Totals) uint64 { return t.Events }) > 0
}

// kind returns what the simulations run. All must be of one kind.
func (o *replayOptions) kind(sims []*simulation) (simulationKind, error) {
	references := refsModeOf(o.references, o.changed("references"))
	first := sims[0].kind(references)
	for _, s := range sims {
		if references == refsOff && s.survey.SharesMemory() {
			return 0, stage.Usage("--references=false: %s has locks, tasks, flags or forks, so its references must be simulated", s.prefix)
		}
		if k := s.kind(references); k != first {
			return 0, stage.Usage("%s %v, but %s %v: replay them separately, or give --references", sims[0].prefix, first, s.prefix, k)
		}
	}
	if first == byMessages && references == refsOff {
		switch {
		case o.quanta.dir != "":
			return 0, stage.Usage("--quanta needs references; omit --references=false")
		case o.warm:
			return 0, stage.Usage("--warm needs references; omit --references=false")
		}
	}
	return first, nil
}

// noteReferences notes once for each trace that its references are simulated, if those of the same program on more processors may not
// be: on a network for messages, or with one processor, which passes no messages.
func (o *replayOptions) noteReferences(env *stage.Env, sims []*simulation) {
	if o.changed("references") {
		return
	}
	said := ""
	for _, s := range sims {
		if s.prefix != said && s.mayPassMessages() {
			said = s.prefix
			env.Note("%s: the trace passes no messages, so its references are simulated; those of traces with messages are not, unless --references is given", s.name())
		}
	}
}

// mayPassMessages reports whether a trace without messages may be of a program that passes messages on more processors. The trace then
// has no shared memory, and the machine has a network for messages, or the trace is of one processor without events.
func (s *simulation) mayPassMessages() bool {
	sum := func(of func(trace.Totals) uint64) uint64 { return total([]*simulation{s}, of) }
	if s.machine.Network == nil || s.survey.SharesMemory() || sum(func(t trace.Totals) uint64 { return t.Refs }) == 0 {
		return false
	}
	switch s.machine.Network.Model {
	case "loggp", "plogp":
		return true
	}
	return s.trace.Header().Procs == 1 && sum(func(t trace.Totals) uint64 { return t.Events }) == 0
}

// runMixed replays traces that share memory and pass messages.
func (o *replayOptions) runMixed(ctx context.Context, env *stage.Env, sims []*simulation) error {
	if err := checkMixed(sims[0].prefix, o.changed); err != nil {
		return err
	}
	progress := env.Progress("replaying", int64(total(sims, func(t trace.Totals) uint64 { return t.Refs })), "refs")
	defer progress.Done()
	err := runAll(sims, o.workers, func(s *simulation) (err error) {
		opt := replay.MixedOptions{Collectives: o.messages.opt.Collectives, Options: replay.Options{Memory: memoryOf(s.machine), Progress: progress.Add}}
		s.both, err = replay.Mixed(ctx, s.trace, s.survey, s.machine, opt)
		return err
	})
	if err != nil {
		return err
	}
	progress.Done()
	var rows []mixedRow
	for _, s := range sims {
		for _, w := range s.both.Warnings {
			env.Note("%s: %v", s.name(), w)
		}
		rows = append(rows, newMixedRow(s.trace.Header().Title(), s.trace.SHA256(), s.machine, s.both, recordedTasks))
	}
	return printMixed(env.Out, o.format, o.output, rows, nil)
}
