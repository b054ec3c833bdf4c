package main

import (
	"context"

	"spoor/predict/replay"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// kindOf is how traces are simulated: by their references, their messages, or both.
type kindOf uint8

const (
	byMemory kindOf = 1 + iota
	byMessages
	byBoth
)

// String says what such traces do.
func (k kindOf) String() string {
	return [...]string{"", "shares memory", "passes messages", "shares memory and passes messages"}[k]
}

// refsMode is what --references says: nothing, that references are simulated, or that they are left out.
type refsMode uint8

const (
	refsAuto refsMode = 1 + iota
	refsOn
	refsOff
)

// refsModeOf reads the flag.
func refsModeOf(references, changed bool) refsMode {
	switch {
	case !changed:
		return refsAuto
	case references:
		return refsOn
	}
	return refsOff
}

// kind is how s is simulated. A trace without messages has its references simulated unless they are to be left out, one that passes messages has
// them if they are asked for; what takes locks or tasks or waits for flags has no others.
func (s *simulation) kind(references refsMode) kindOf {
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

// hasTimesAlone is whether what a trace does takes times of its own, and there are no instructions and no references that a memory could delay.
func (s *simulation) hasTimesAlone() bool {
	sum := func(of func(trace.Totals) uint64) uint64 { return total([]*simulation{s}, of) }
	return sum(func(t trace.Totals) uint64 { return uint64(t.Instr) + t.Refs }) == 0 && sum(func(t trace.Totals) uint64 { return t.Events }) > 0
}

// kind is how the traces are simulated: all in one way.
func (o *replayOptions) kind(sims []*simulation) (kindOf, error) {
	references := refsModeOf(o.references, o.changed("references"))
	first := sims[0].kind(references)
	for _, s := range sims {
		if references == refsOff && s.survey.SharesMemory() {
			return 0, stage.Usage("--references=false: %s takes locks or tasks, waits for flags or forks, which is simulated with its references alone", s.prefix)
		}
		if k := s.kind(references); k != first {
			return 0, stage.Usage("%s %v, and %s %v: their results differ in kind; replay them apart", sims[0].prefix, first, s.prefix, k)
		}
	}
	if first == byMessages && references == refsOff {
		switch {
		case o.quanta.dir != "":
			return 0, stage.Usage("--quanta is about references, and --references=false leaves them out")
		case o.warm:
			return 0, stage.Usage("--warm is about references, and --references=false leaves them out")
		}
	}
	return first, nil
}

// noteReferences says of each trace once that its references are simulated where those of the same program on more processors, or of its like, are not: on a network
// of messages, and where one processor alone has nobody to pass any to.
func (o *replayOptions) noteReferences(env *stage.Env, sims []*simulation) {
	if o.changed("references") {
		return
	}
	said := ""
	for _, s := range sims {
		if s.prefix != said && s.mayPassMessages() {
			said = s.prefix
			env.Note("%s: it passes no messages, so its references are simulated; those of traces that do are not: --references simulates them in both, --references=false in neither", s.name())
		}
	}
}

// mayPassMessages is whether a trace that passes no messages may be of a program that does, on the machine of s: in the trace is nothing of a shared memory, and the machine has a
// network for messages, or one processor alone does nothing but compute.
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
		rows = append(rows, newMixedRow(s.trace.Header().Title(), s.trace.SHA256(), s.machine.Name, s.both, recordedTasks))
	}
	return printMixed(env.Out, o.format, o.output, rows, nil)
}
