package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"spoor/predict/internal/engine"
	"spoor/predict/internal/timeline"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// messageRow is one simulation.
type messageRow struct {
	title, trace, machine string
	machineSHA            string
	instructions          float64 // of all processors; NaN: not known
	result                *engine.Result
	observed
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
		store.ColumnOf(rows, "program", "", func(r messageRow) string { return r.title }),
		store.ColumnOf(rows, "trace", "", func(r messageRow) string { return r.trace }),
		store.ColumnOf(rows, "machine", "", func(r messageRow) string { return r.machine }),
		store.ColumnOf(rows, "processors", "", func(r messageRow) int32 { return int32(len(r.result.Ranks)) }),
		store.ColumnOf(rows, "time", "s", func(r messageRow) float64 { return float64(r.result.Time.Seconds()) }),
	}
	mean := func(res *engine.Result, of func(*engine.Rank) unit.Picos) float64 {
		sum := 0.0
		for i := range res.Ranks {
			sum += float64(of(&res.Ranks[i]))
		}
		return sum / 1e12 / float64(len(res.Ranks))
	}
	for _, part := range messageParts {
		columns = append(columns, store.ColumnOf(rows, part.String(), "s", func(r messageRow) float64 {
			return mean(r.result, func(r *engine.Rank) unit.Picos { return r.Parts[part] })
		}))
	}
	columns = append(columns,
		store.ColumnOf(rows, "end", "s", func(r messageRow) float64 {
			return mean(r.result, func(one *engine.Rank) unit.Picos { return r.result.Time - one.Time })
		}),
		store.ColumnOf(rows, "messages", "", func(r messageRow) uint64 { return r.result.Messages }),
		store.ColumnOf(rows, "bytes", "B", func(r messageRow) uint64 { return uint64(r.result.Bytes) }),
		store.ColumnOf(rows, "instructions", "", func(r messageRow) float64 { return r.instructions }),
		store.ColumnOf(rows, machineDigest, "", func(r messageRow) string { return r.machineSHA }))
	meta := []trace.Arg{{Key: "semantics", Value: f.semantics}, {Key: "collectives", Value: f.collectives}, {Key: "computation", Value: f.computation}}
	if f.place.Map != "" {
		meta = append(meta, trace.Arg{Key: "map", Value: f.place.Name()})
	}
	if f.place.PerNode > 0 {
		meta = append(meta, trace.Arg{Key: "ranks_per_node", Value: strconv.Itoa(f.place.PerNode)})
	}
	return &store.Table{Name: "message simulation", Columns: columns, Meta: append(meta, trace.Arg{Key: "tool", Value: "predict " + stage.Version})}
}

// rankTable has the parts of the time of each processor.
func rankTable(ranks []engine.Rank) *store.Table {
	procs := make([]int32, len(ranks))
	for i := range procs {
		procs[i] = int32(i)
	}
	columns := []store.Column{{Name: "proc", Data: procs},
		store.ColumnOf(ranks, "time", "s", func(r engine.Rank) float64 { return float64(r.Time.Seconds()) })}
	for _, part := range messageParts {
		columns = append(columns, store.ColumnOf(ranks, part.String(), "s", func(r engine.Rank) float64 { return float64(r.Parts[part].Seconds()) }))
	}
	columns = append(columns, store.ColumnOf(ranks, "messages", "", func(r engine.Rank) uint64 { return r.Messages }),
		store.ColumnOf(ranks, "bytes", "B", func(r engine.Rank) uint64 { return uint64(r.Bytes) }))
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
		store.ColumnOf(rows, "program", "", func(r row) string { return r.title }),
		store.ColumnOf(rows, "machine", "", func(r row) string { return r.machine }),
		store.ColumnOf(rows, "from", "", func(r row) int32 { return r.pair[0] }),
		store.ColumnOf(rows, "to", "", func(r row) int32 { return r.pair[1] }),
		store.ColumnOf(rows, "messages", "", func(r row) uint64 { return r.matrix[r.pair].messages }),
		store.ColumnOf(rows, "bytes", "B", func(r row) uint64 { return r.matrix[r.pair].bytes }),
	}}
}

// sliceTable has a row for each simulation, processor and slice of time.
func sliceTable(all []messageRow) *store.Table {
	type row struct {
		messageRow
		rank, slice int
		timeline.Parts
	}
	var rows []row
	for _, one := range all {
		for rank := range one.result.Ranks {
			for slice, parts := range one.slices.Rank(rank) {
				rows = append(rows, row{one, rank, slice, parts})
			}
		}
	}
	seconds := func(name string, of func(row) unit.Picos) store.Column {
		return store.ColumnOf(rows, name, "s", func(r row) float64 { return float64(of(r).Seconds()) })
	}
	columns := []store.Column{
		store.ColumnOf(rows, "program", "", func(r row) string { return r.title }),
		store.ColumnOf(rows, "machine", "", func(r row) string { return r.machine }),
		store.ColumnOf(rows, "processors", "", func(r row) int32 { return int32(len(r.result.Ranks)) }),
		store.ColumnOf(rows, "proc", "", func(r row) int32 { return int32(r.rank) }),
		store.ColumnOf(rows, "slice", "", func(r row) int32 { return int32(r.slice) }),
		seconds("begin", func(r row) unit.Picos { return unit.Picos(r.slice) * r.slices.Width() }),
	}
	for _, part := range messageParts {
		columns = append(columns, seconds(part.String(), func(r row) unit.Picos { return r.Parts[part] }))
	}
	return &store.Table{Name: "simulated slices", Columns: columns}
}

// pathRow is a segment of a critical path.
type pathRow struct {
	messageRow
	timeline.Segment
	segments uint64
}

func segments(all []messageRow) (rows []pathRow) {
	for _, one := range all {
		for _, s := range one.path.CriticalPath(one.result.Time) {
			rows = append(rows, pathRow{one, s, 1})
		}
	}
	return rows
}

// pathTable has a row for each segment of the critical path of each simulation, in order of time. For a message in transit, proc is
// the processor that waits for it.
func pathTable(all []messageRow) *store.Table {
	rows := segments(all)
	columns := pathColumns(rows)
	columns = slices.Insert(columns, len(columns)-1,
		store.ColumnOf(rows, "sender", "", func(r pathRow) int32 { return r.From }),
		store.ColumnOf(rows, "begin", "s", func(r pathRow) float64 { return float64(r.Begin.Seconds()) }))
	return &store.Table{Name: "critical path", Columns: columns}
}

// pathSums has a row for each simulation, processor and part on the critical path. They sum to the time of the run.
func pathSums(all []messageRow) *store.Table {
	type key struct {
		simulation int
		rank       int32
		part       engine.Part
	}
	sums := map[key]pathRow{}
	for i, one := range all {
		for _, r := range segments([]messageRow{one}) {
			k := key{i, r.Rank, r.Part}
			r.T += sums[k].T
			r.segments += sums[k].segments
			sums[k] = r
		}
	}
	var rows []pathRow
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.simulation, b.simulation), cmp.Compare(a.rank, b.rank), cmp.Compare(a.part, b.part))
	}) {
		rows = append(rows, sums[k])
	}
	return &store.Table{Name: "critical path", Columns: append(pathColumns(rows), store.ColumnOf(rows, "segments", "", func(r pathRow) uint64 { return r.segments }))}
}

func pathColumns(rows []pathRow) []store.Column {
	return []store.Column{
		store.ColumnOf(rows, "program", "", func(r pathRow) string { return r.title }),
		store.ColumnOf(rows, "machine", "", func(r pathRow) string { return r.machine }),
		store.ColumnOf(rows, "processors", "", func(r pathRow) int32 { return int32(len(r.result.Ranks)) }),
		store.ColumnOf(rows, "proc", "", func(r pathRow) int32 { return r.Rank }),
		store.ColumnOf(rows, "part", "", func(r pathRow) string { return r.Part.String() }),
		store.ColumnOf(rows, "time", "s", func(r pathRow) float64 { return float64(r.T.Seconds()) }),
	}
}

// table returns the table that the flags select instead of the results, or nil.
func (f *observerFlags) table(rows []messageRow) *store.Table {
	switch {
	case f.matrix:
		return matrixTable(rows)
	case f.slices:
		return sliceTable(rows)
	case f.path == "segment":
		return pathTable(rows)
	case f.path == "processor":
		return pathSums(rows)
	}
	return nil
}

// engineTable has a row for each simulation.
func engineTable(rows []messageRow) *store.Table {
	return &store.Table{Name: "engine", Columns: []store.Column{
		store.ColumnOf(rows, "program", "", func(r messageRow) string { return r.title }),
		store.ColumnOf(rows, "machine", "", func(r messageRow) string { return r.machine }),
		store.ColumnOf(rows, "processors", "", func(r messageRow) int32 { return int32(len(r.result.Ranks)) }),
		store.ColumnOf(rows, "engine", "", func(r messageRow) string { return string(r.result.Engine.Protocol) }),
		store.ColumnOf(rows, "workers", "", func(r messageRow) int32 { return int32(r.result.Engine.Workers) }),
		store.ColumnOf(rows, "ahead", "", func(r messageRow) uint64 { return uint64(r.result.Engine.Ahead) }),
		store.ColumnOf(rows, "events", "", func(r messageRow) uint64 { return r.result.Ops }),
		store.ColumnOf(rows, "windows", "", func(r messageRow) uint64 { return r.result.Engine.Windows }),
		store.ColumnOf(rows, "events_window_processor", "", func(r messageRow) float64 { return r.result.EventsPerWindow() }),
		store.ColumnOf(rows, "meetings", "", func(r messageRow) uint64 { return r.result.Engine.Barriers }),
		store.ColumnOf(rows, "appointments", "", func(r messageRow) uint64 { return r.result.Engine.Appointments }),
		store.ColumnOf(rows, "messages", "", func(r messageRow) uint64 { return r.result.Messages }),
		store.ColumnOf(rows, "between_workers", "", func(r messageRow) uint64 { return r.result.Engine.Remote }),
	}}
}
