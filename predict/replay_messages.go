package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/comm"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/replay"
	"spoor/traces/nearest"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// messageFlags are the flags of predict replay for traces with messages.
type messageFlags struct {
	semantics, collectives, computation string
	engine                              engineFlags
	observerFlags
	opt replay.MessageOptions
}

func (f *messageFlags) add(flags *pflag.FlagSet) {
	f.addCommon(flags)
	flags.StringVar(&f.collectives, "collectives", string(comm.Doubling), "`ALGORITHM` of recorded collectives: "+list(algorithms()))
	flags.StringVar(&f.computation, "computation", "instructions", "`SOURCE` of computation times: instructions or recorded")
	f.engine.add(flags)
}

// addCommon adds the flags that predict direct has, too.
func (f *messageFlags) addCommon(flags *pflag.FlagSet) {
	flags.StringVar(&f.semantics, "semantics", string(replay.LogGPS), "`NAME` of the rules for message costs: spoor or loggopsim")
	f.observerFlags.add(flags)
}

// computations are the values of --computation.
var computations = []string{"instructions", "recorded"}

// algorithms lists the algorithms of collectives with messages.
func algorithms() (names []string) {
	for _, a := range comm.Algorithms {
		if a != comm.Apart {
			names = append(names, string(a))
		}
	}
	return names
}

// check reads the flags.
func (f *messageFlags) check() (err error) {
	if err := f.checkCommon(); err != nil {
		return err
	}
	if f.opt.Collectives, err = comm.ParseAlgorithm(f.collectives); err != nil || f.opt.Collectives == comm.Apart {
		return stage.Usage("--collectives: %w", nearest.Unknown("algorithm", f.collectives, algorithms()))
	}
	if !slices.Contains(computations, f.computation) {
		return stage.Usage("--computation: %w", nearest.Unknown("source", f.computation, computations))
	}
	f.opt.Recorded = f.computation == "recorded"
	return f.engine.check()
}

// checkCommon reads the flags that predict direct has, too.
func (f *messageFlags) checkCommon() (err error) {
	if f.opt.Semantics, err = replay.ParseSemantics(f.semantics); err != nil {
		return stage.Usage("--semantics: %w", nearest.Unknown("semantics", f.semantics, []string{string(replay.LogGPS), string(replay.LogGOPSim)}))
	}
	return f.observerFlags.check()
}

// messageOutcome is the result of a simulation with messages.
type messageOutcome struct {
	*replay.MessageResult
	observed
}

// runMessages replays traces with messages.
func (o *replayOptions) runMessages(ctx context.Context, env *stage.Env, sims []*simulation) error {
	if o.messages.timeline != "" && len(sims) > 1 {
		return stage.Usage("--timeline needs one trace on one machine, not %d simulations", len(sims))
	}
	progress := env.Progress("replaying", int64(total(sims, func(t trace.Totals) uint64 { return t.Events })), "events")
	defer progress.Done()
	opt, workers := o.messages.opt, o.workers
	if opt.Engine = o.messages.engine.options(o.workers); opt.Engine.Workers > 1 {
		workers = 1 // one simulation after the other, each by all workers
	}
	err := runAll(sims, workers, func(s *simulation) (err error) {
		opt := opt
		opt.Progress = progress.Add
		s.messages = &messageOutcome{}
		opt.Observer = o.messages.observe(s.trace.Header().Procs, &s.messages.observed)
		s.messages.MessageResult, err = replay.Messages(ctx, s.trace, s.survey, s.machine, opt)
		return err
	})
	if err != nil {
		return err
	}
	progress.Done()
	for _, s := range sims {
		for _, w := range s.messages.Warnings {
			env.Note("%s: %v", s.name(), w)
		}
		o.messages.engine.note(env, s)
	}
	return o.reportMessages(env, sims)
}

// instructions returns the instructions of all processors, or NaN if the trace counts none.
func (s *simulation) instructions() float64 {
	if n := total([]*simulation{s}, func(t trace.Totals) uint64 { return uint64(t.Instr) }); n > 0 {
		return float64(n)
	}
	return math.NaN()
}

func (o *replayOptions) reportMessages(env *stage.Env, sims []*simulation) error {
	var rows []messageRow
	for _, s := range sims {
		rows = append(rows, messageRow{s.trace.Header().Title(), s.trace.SHA256(), s.machine.Name, s.machine.Digest(), s.instructions(), s.messages.Result, s.messages.observed})
	}
	if err := o.messages.write(env, sims[0].trace, sims[0].messages.times); err != nil {
		return err
	}
	table := o.messages.table(rows)
	if table == nil {
		table = messageTable(rows, &o.messages)
	}
	if o.output != "" {
		if err := store.WriteTable(o.output, table); err != nil {
			return fmt.Errorf("writing the simulations: %w", err)
		}
	}
	if o.messages.engine.stats {
		return stage.Print(env.Out, o.format, engineTable(rows))
	}
	return printMessages(env.Out, o.format, rows, table, &o.messages)
}

// printMessages prints the results, or the table that the flags select.
func printMessages(w io.Writer, format stage.Format, rows []messageRow, table *store.Table, f *messageFlags) error {
	switch {
	case f.asked():
		return stage.Print(w, format, table)
	case format == stage.JSON && len(rows) == 1:
		return printMessageRun(w, rows[0].result)
	case format == stage.Human && len(rows) == 1:
		if err := stage.Print(w, stage.Human, shortened(table)); err != nil {
			return err
		}
		fmt.Fprintln(w)
		return stage.Print(w, stage.Human, rankTable(rows[0].result.Ranks))
	case format == stage.Human:
		return stage.Print(w, stage.Human, shortened(table))
	}
	return stage.Print(w, format, table)
}

// messageRow is one simulation.
type messageRow struct {
	title, trace, machine string
	machineSHA            string
	instructions          float64 // of all processors; NaN: not known
	result                *engine.Result
	observed
}

// shortened returns a table without columns that are too wide for a terminal.
func shortened(t *store.Table) *store.Table {
	short := &store.Table{Name: t.Name}
	for _, c := range t.Columns {
		if c.Name != "trace" && c.Name != machineDigest && c.Name != "instructions" {
			short.Columns = append(short.Columns, c)
		}
	}
	return short
}

// messageParts are the parts of a processor's time and their columns.
var messageParts = []engine.Part{engine.Computing, engine.Overhead, engine.Latency, engine.Contention, engine.Waiting}

// messageTable has a row for each simulation. Its parts are means over processors. With end, the wait for the last processor, they
// add up to the time.
func messageTable(rows []messageRow, f *messageFlags) *store.Table {
	columns := []store.Column{
		columnOf(rows, "program", "", func(r messageRow) string { return r.title }),
		columnOf(rows, "trace", "", func(r messageRow) string { return r.trace }),
		columnOf(rows, "machine", "", func(r messageRow) string { return r.machine }),
		columnOf(rows, "processors", "", func(r messageRow) int32 { return int32(len(r.result.Ranks)) }),
		columnOf(rows, "time", "s", func(r messageRow) float64 { return float64(r.result.Time.Seconds()) }),
	}
	mean := func(res *engine.Result, of func(*engine.Rank) unit.Picos) float64 {
		sum := 0.0
		for i := range res.Ranks {
			sum += float64(of(&res.Ranks[i]))
		}
		return sum / 1e12 / float64(len(res.Ranks))
	}
	for _, part := range messageParts {
		columns = append(columns, columnOf(rows, part.String(), "s", func(r messageRow) float64 {
			return mean(r.result, func(r *engine.Rank) unit.Picos { return r.Parts[part] })
		}))
	}
	columns = append(columns,
		columnOf(rows, "end", "s", func(r messageRow) float64 {
			return mean(r.result, func(one *engine.Rank) unit.Picos { return r.result.Time - one.Time })
		}),
		columnOf(rows, "messages", "", func(r messageRow) uint64 { return r.result.Messages }),
		columnOf(rows, "bytes", "B", func(r messageRow) uint64 { return uint64(r.result.Bytes) }),
		columnOf(rows, "instructions", "", func(r messageRow) float64 { return r.instructions }),
		columnOf(rows, machineDigest, "", func(r messageRow) string { return r.machineSHA }))
	return &store.Table{Name: "message simulation", Columns: columns, Meta: []trace.Arg{{Key: "semantics", Value: f.semantics},
		{Key: "collectives", Value: f.collectives}, {Key: "computation", Value: f.computation}, {Key: "tool", Value: "predict " + stage.Version}}}
}

// rankTable has the parts of the time of each processor.
func rankTable(ranks []engine.Rank) *store.Table {
	procs := make([]int32, len(ranks))
	for i := range procs {
		procs[i] = int32(i)
	}
	columns := []store.Column{{Name: "proc", Data: procs},
		columnOf(ranks, "time", "s", func(r engine.Rank) float64 { return float64(r.Time.Seconds()) })}
	for _, part := range messageParts {
		columns = append(columns, columnOf(ranks, part.String(), "s", func(r engine.Rank) float64 { return float64(r.Parts[part].Seconds()) }))
	}
	columns = append(columns, columnOf(ranks, "messages", "", func(r engine.Rank) uint64 { return r.Messages }),
		columnOf(ranks, "bytes", "B", func(r engine.Rank) uint64 { return uint64(r.Bytes) }))
	return &store.Table{Name: "processors", Columns: columns}
}

// printMessageRun prints one simulation as one object.
func printMessageRun(w io.Writer, res *engine.Result) error {
	run := processRuns{Time: float64(res.Time.Seconds()), Messages: res.Messages, Events: res.Ops}
	for i, r := range res.Ranks {
		part := func(p engine.Part) float64 { return float64(r.Parts[p].Seconds()) }
		run.Procs = append(run.Procs, processorRun{Proc: i, Time: float64(r.Time.Seconds()), Compute: part(engine.Computing), Overhead: part(engine.Overhead),
			Latency: part(engine.Latency), Contention: part(engine.Contention), Wait: part(engine.Waiting)})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(run)
}

// matrix counts the messages and bytes from each processor to each other.
type matrix map[[2]int32]*struct{ messages, bytes uint64 }

// matrixObserver fills a matrix.
type matrixObserver struct {
	engine.NopObserver
	matrix
}

// Message counts one message.
func (o matrixObserver) Message(from, to int32, d *engine.ReceivedMessage) {
	c := o.matrix[[2]int32{from, to}]
	if c == nil {
		c = new(struct{ messages, bytes uint64 })
		o.matrix[[2]int32{from, to}] = c
	}
	c.messages++
	c.bytes += uint64(d.Bytes)
}

// matrixTable has a row for each simulation, sender and receiver with messages.
func matrixTable(all []messageRow) *store.Table {
	type row struct {
		messageRow
		pair [2]int32
	}
	var rows []row
	for _, one := range all {
		for _, pair := range slices.SortedFunc(maps.Keys(one.matrix), func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
			rows = append(rows, row{one, pair})
		}
	}
	return &store.Table{Name: "simulated messages", Columns: []store.Column{
		columnOf(rows, "program", "", func(r row) string { return r.title }),
		columnOf(rows, "machine", "", func(r row) string { return r.machine }),
		columnOf(rows, "from", "", func(r row) int32 { return r.pair[0] }),
		columnOf(rows, "to", "", func(r row) int32 { return r.pair[1] }),
		columnOf(rows, "messages", "", func(r row) uint64 { return r.matrix[r.pair].messages }),
		columnOf(rows, "bytes", "B", func(r row) uint64 { return r.matrix[r.pair].bytes }),
	}}
}
