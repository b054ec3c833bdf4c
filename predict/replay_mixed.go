package main

import (
	"context"

	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

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

// runMixed replays traces that share memory and pass messages.
func (o *replayOptions) runMixed(ctx context.Context, env *stage.Env, sims []*simulation) error {
	if err := checkMixed(sims[0].prefix, o.changed); err != nil {
		return err
	}
	progress := env.Progress("replaying", int64(total(sims, func(t trace.Totals) uint64 { return t.Refs })), "refs")
	defer progress.Done()
	results, err := runAll(sims, o.workers, func(s *simulation) (*replay.MixedResult, error) {
		opt := replay.MixedOptions{Collectives: o.messages.opt.Collectives, Options: replay.Options{Memory: memoryOf(s.machine), Progress: progress.Add}}
		return replay.Mixed(ctx, s.trace, s.survey, s.machine, opt)
	})
	if err != nil {
		return err
	}
	progress.Done()
	var rows []mixedRow
	for i, s := range sims {
		for _, w := range results[i].Warnings {
			env.Note("%s: %v", s.name(), w)
		}
		rows = append(rows, newMixedRow(s.trace.Header().Title(), s.trace.SHA256(), s.machine, results[i], recordedTasks))
	}
	return printMixed(env.Out, o.output, rows, nil)
}
