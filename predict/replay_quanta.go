package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"spoor/analyze/quanta"
	"spoor/predict/internal/engine/observe"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// waitObserver collects the intervals in which processors execute no instructions. Sending and receiving are such
// intervals, too: the trace has no instructions of them.
type waitObserver struct {
	observe.NopObserver
	waits [][]quanta.Wait
	last  []observe.Part // of the last Span of each processor
}

// Span implements observe.Observer.
func (o *waitObserver) Span(rank int32, what observe.Part, from, to unit.Picos) {
	all := o.waits[rank]
	switch n := len(all); {
	case what == observe.Computing:
	case what == observe.MemoryContention && o.last[rank] == observe.MemoryLatency: // of one access
		all[n-1].To = to
	default:
		o.waits[rank] = append(all, quanta.Wait{From: from, To: to})
	}
	o.last[rank] = what
}

// checkQuanta returns an error for flags that --quanta excludes.
func (o *replayOptions) checkQuanta() error {
	q := o.quanta
	switch {
	case q.dir == "":
		return nil
	case !(q.cycles >= 1 && q.cycles <= 1e6):
		return stage.Usage("--quanta-length %v is not from 1 to 1000000 cycles", q.cycles)
	case o.asked() || o.timeline != "" || o.output.file != "":
		return stage.Usage("--quanta writes its own tables; omit --phases, --matrix, --path, --timeline and -o")
	case o.engine.times != "" && filepath.Dir(o.engine.times) == filepath.Clean(q.dir):
		return stage.Usage("--host-times %s is in the folder of --quanta, whose files it may replace; give it another folder", o.engine.times)
	}
	return nil
}

// runQuanta runs one simulation, and writes what its processors do in every quantum of simulated time.
func (o *replayOptions) runQuanta(ctx context.Context, env *stage.Env, sims []*simulation) error {
	if len(sims) != 1 {
		return stage.Usage("--quanta needs one trace on one machine, not %d simulations", len(sims))
	}
	s := sims[0]
	if len(s.machine.OtherNodes) > 0 {
		return fmt.Errorf("machine %s has processors with different clocks, so quanta have no common cycle", s.machine.Name)
	}
	t := &quanta.Timeline{Clock: s.machine.Processor.Clock, Length: unit.Cycles(o.quanta.cycles), Seed: 1, Tool: "spoor predict " + stage.Version,
		Source: filepath.Base(s.prefix) + store.RefsSuffix + " sha256:" + s.trace.SHA256() + s.trace.Header().SourceFacts(),
		Meta:   []trace.Arg{{Key: "program", Value: s.trace.Header().Title()}, {Key: "trace", Value: s.trace.SHA256()}, {Key: "machine", Value: s.machine.Name}, {Key: "tool", Value: "predict " + stage.Version}}}
	waits := &waitObserver{waits: make([][]quanta.Wait, s.trace.Header().Procs), last: make([]observe.Part, s.trace.Header().Procs)}
	rows, err := o.simulate(ctx, env, sims, waits)
	if err != nil {
		return err
	}
	t.Waits = waits.waits
	for i := range rows[0].result.Procs {
		t.Ends = append(t.Ends, rows[0].result.Procs[i].Total())
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
