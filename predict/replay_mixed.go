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

// kind is how s is simulated, with the references of programs that pass messages if they are asked for.
func (s *simulation) kind(references bool) kindOf {
	switch {
	case !s.survey.HasMessages() && (references || !s.hasTimesAlone()):
		return byMemory
	case references || s.survey.SharesMemory():
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
	first := sims[0].kind(o.references)
	for _, s := range sims {
		if k := s.kind(o.references); k != first {
			return 0, stage.Usage("%s %v, and %s %v: their results differ in kind; replay them apart", sims[0].prefix, first, s.prefix, k)
		}
	}
	if first == byMemory && o.references {
		return 0, stage.Usage("--references is about traces that pass messages, and %s does not", sims[0].prefix)
	}
	return first, nil
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
