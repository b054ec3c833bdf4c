package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"spoor/analyze/quanta"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// checkQuanta returns an error for flags that --quanta excludes.
func (o *replayOptions) checkQuanta() error {
	q := o.quanta
	switch {
	case q.dir == "":
		return nil
	case !(q.cycles >= 1 && q.cycles <= 1e6):
		return stage.Usage("--quanta-length %v is not from 1 to 1000000 cycles", q.cycles)
	case o.memory.phases || o.output.file != "":
		return stage.Usage("--quanta writes its own tables; omit --phases and -o")
	}
	return nil
}

// runQuanta runs one simulation, and writes what its processors do in every quantum of simulated time.
func (o *replayOptions) runQuanta(ctx context.Context, env *stage.Env, sims []*simulation, opt replay.Options) error {
	if len(sims) != 1 {
		return stage.Usage("--quanta needs one trace on one machine, not %d simulations", len(sims))
	}
	s := sims[0]
	if len(s.machine.OtherNodes) > 0 {
		return fmt.Errorf("machine %s has processors with different clocks, so quanta have no common cycle", s.machine.Name)
	}
	t := &quanta.Timeline{Clock: s.machine.Processor.Clock, Length: unit.Cycles(o.quanta.cycles), Seed: 1, Tool: "spoor predict " + stage.Version,
		Source: filepath.Base(s.prefix) + store.RefsSuffix + " sha256:" + s.trace.SHA256() + s.trace.Header().SourceFacts(), Waits: make([][]quanta.Wait, s.trace.Header().Procs),
		Meta: []trace.Arg{{Key: "program", Value: s.trace.Header().Title()}, {Key: "trace", Value: s.trace.SHA256()}, {Key: "machine", Value: s.machine.Name}, {Key: "tool", Value: "predict " + stage.Version}}}
	opt.Waits = func(p trace.Proc, from, to unit.Picos) {
		t.Waits[p] = append(t.Waits[p], quanta.Wait{From: from, To: to})
	}
	results, err := simulateAll(ctx, env, sims, opt, o.workers)
	if err != nil {
		return err
	}
	for i := range results[0].Procs {
		t.Ends = append(t.Ends, results[0].Procs[i].Total())
	}
	res, err := t.Result()
	if err != nil {
		return fmt.Errorf("dividing %s into quanta: %w", s.name(), err)
	}
	if err := os.MkdirAll(o.quanta.dir, 0o777); err != nil {
		return err
	}
	for _, f := range res.Files {
		if err := store.WriteFileAtomic(filepath.Join(o.quanta.dir, f.Name), f.Fill); err != nil {
			return fmt.Errorf("writing the quanta: %w", err)
		}
	}
	for _, table := range res.Tables {
		if err := store.WriteTable(filepath.Join(o.quanta.dir, table.Name+".arrow"), table); err != nil {
			return fmt.Errorf("writing the quanta: %w", err)
		}
	}
	return stage.Print(env.Out, o.output.format, res.Summary)
}
