package main

import (
	"cmp"
	"maps"
	"slices"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/replay"
	"spoor/predict/internal/timeline"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// table returns the table that the flags select instead of the results, or nil.
func (f *observerFlags) table(rows []simulationRow) *store.Table {
	switch {
	case f.matrix:
		return matrixTable(rows)
	case f.phases && f.inSlices:
		return sliceTable(rows)
	case f.phases:
		return phaseTable(rows)
	case f.path == "segment":
		return pathTable(rows)
	case f.path == "processor":
		return pathSums(rows)
	}
	return nil
}

// matrixTable has a row for each simulation, sender and receiver with messages.
func matrixTable(all []simulationRow) *store.Table {
	type row struct {
		simulationRow
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
		store.ColumnOf(rows, "machine", "", func(r row) string { return r.machine.Name }),
		store.ColumnOf(rows, "from", "", func(r row) int32 { return r.pair[0] }),
		store.ColumnOf(rows, "to", "", func(r row) int32 { return r.pair[1] }),
		store.ColumnOf(rows, "messages", "", func(r row) uint64 { return r.matrix[r.pair].messages }),
		store.ColumnOf(rows, "bytes", "B", func(r row) uint64 { return r.matrix[r.pair].bytes }),
	}}
}

// phaseTable has a row for each simulation, processor and phase between barriers.
func phaseTable(sims []simulationRow) *store.Table {
	type row struct {
		simulationRow
		*replay.Phase
	}
	var rows []row
	for _, s := range sims {
		for i := range s.result.Phases {
			rows = append(rows, row{s, &s.result.Phases[i]})
		}
	}
	seconds := func(part observe.Part, of func(row) unit.Picos) store.Column {
		return store.ColumnOf(rows, part.String(), "s", func(p row) float64 { return float64(of(p).Seconds()) })
	}
	return &store.Table{Name: "simulated phases", Columns: []store.Column{
		store.ColumnOf(rows, "program", "", func(p row) string { return p.title }),
		store.ColumnOf(rows, "machine", "", func(p row) string { return p.machine.Name }),
		store.ColumnOf(rows, "proc", "", func(p row) int32 { return int32(p.Proc) }),
		store.ColumnOf(rows, "phase", "", func(p row) int32 { return int32(p.Phase.Phase) }),
		store.ColumnOf(rows, "instructions", "", func(p row) uint64 { return uint64(p.Instr) }),
		store.ColumnOf(rows, "references", "", func(p row) uint64 { return p.Refs }),
		store.ColumnOf(rows, "touches", "", func(p row) uint64 { return p.Touches }),
		store.ColumnOf(rows, "misses", "", func(p row) uint64 { return p.Misses }),
		store.ColumnOf(rows, "upgrades", "", func(p row) uint64 { return p.Upgrades }),
		store.ColumnOf(rows, "writebacks", "", func(p row) uint64 { return p.WriteBacks }),
		seconds(observe.Computing, func(p row) unit.Picos { return p.Ideal }),
		seconds(observe.MemoryLatency, func(p row) unit.Picos { return p.Latency }),
		seconds(observe.MemoryContention, func(p row) unit.Picos { return p.Contention }),
		seconds(observe.Sync, func(p row) unit.Picos { return p.Sync }),
	}}
}

// sliceTable has a row for each simulation, processor and slice of time.
func sliceTable(all []simulationRow) *store.Table {
	type row struct {
		simulationRow
		rank, slice int
		timeline.Parts
	}
	var rows []row
	for _, one := range all {
		for rank := range one.result.Procs {
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
		store.ColumnOf(rows, "machine", "", func(r row) string { return r.machine.Name }),
		store.ColumnOf(rows, "processors", "", func(r row) int32 { return int32(len(r.result.Procs)) }),
		store.ColumnOf(rows, "proc", "", func(r row) int32 { return int32(r.rank) }),
		store.ColumnOf(rows, "slice", "", func(r row) int32 { return int32(r.slice) }),
		seconds("begin", func(r row) unit.Picos { return unit.Picos(r.slice) * r.slices.Width() }),
	}
	for _, part := range partsOf(all, true) {
		columns = append(columns, seconds(part.part.String(), func(r row) unit.Picos { return r.Parts[part.part] }))
	}
	return &store.Table{Name: "simulated slices", Columns: columns}
}

// pathRow is a segment of a critical path.
type pathRow struct {
	simulationRow
	timeline.Segment
	segments uint64
}

func segments(all []simulationRow) (rows []pathRow) {
	for _, one := range all {
		for _, s := range one.path.CriticalPath(one.result.Time) {
			rows = append(rows, pathRow{one, s, 1})
		}
	}
	return rows
}

// pathTable has a row for each segment of the critical path of each simulation, in order of time. For a message in
// transit, proc is the processor that waits for it.
func pathTable(all []simulationRow) *store.Table {
	rows := segments(all)
	columns := pathColumns(rows)
	columns = slices.Insert(columns, len(columns)-1,
		store.ColumnOf(rows, "sender", "", func(r pathRow) int32 { return r.From }),
		store.ColumnOf(rows, "begin", "s", func(r pathRow) float64 { return float64(r.Begin.Seconds()) }))
	return &store.Table{Name: "critical path", Columns: columns}
}

// pathSums has a row for each simulation, processor and part on the critical path. They sum to the time of the run.
func pathSums(all []simulationRow) *store.Table {
	type key struct {
		simulation int
		rank       int32
		part       observe.Part
	}
	sums := map[key]pathRow{}
	for i, one := range all {
		for _, r := range segments([]simulationRow{one}) {
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
		store.ColumnOf(rows, "machine", "", func(r pathRow) string { return r.machine.Name }),
		store.ColumnOf(rows, "processors", "", func(r pathRow) int32 { return int32(len(r.result.Procs)) }),
		store.ColumnOf(rows, "proc", "", func(r pathRow) int32 { return r.Rank }),
		store.ColumnOf(rows, "part", "", func(r pathRow) string { return r.Part.String() }),
		store.ColumnOf(rows, "time", "s", func(r pathRow) float64 { return float64(r.T.Seconds()) }),
	}
}

// engineTable has a row for each simulation.
func engineTable(rows []simulationRow) *store.Table {
	count := func(name string, of func(*outcome.Result) uint64) store.Column {
		return store.ColumnOf(rows, name, "", func(r simulationRow) uint64 { return of(r.messages()) })
	}
	return &store.Table{Name: "engine", Columns: []store.Column{
		store.ColumnOf(rows, "program", "", func(r simulationRow) string { return r.title }),
		store.ColumnOf(rows, "machine", "", func(r simulationRow) string { return r.machine.Name }),
		store.ColumnOf(rows, "processors", "", func(r simulationRow) int32 { return int32(len(r.result.Procs)) }),
		store.ColumnOf(rows, "engine", "", func(r simulationRow) string { return string(r.messages().Engine.Protocol) }),
		store.ColumnOf(rows, "workers", "", func(r simulationRow) int32 { return int32(r.messages().Engine.Workers) }),
		count("ahead", func(r *outcome.Result) uint64 { return uint64(r.Engine.Ahead) }),
		count("events", func(r *outcome.Result) uint64 { return r.Ops }),
		count("windows", func(r *outcome.Result) uint64 { return r.Engine.Windows }),
		store.ColumnOf(rows, "events_window_processor", "", func(r simulationRow) float64 { return r.messages().EventsPerWindow() }),
		count("meetings", func(r *outcome.Result) uint64 { return r.Engine.Barriers }),
		count("appointments", func(r *outcome.Result) uint64 { return r.Engine.Appointments }),
		count("messages", func(r *outcome.Result) uint64 { return r.Messages }),
		count("between_workers", func(r *outcome.Result) uint64 { return r.Engine.Remote }),
	}}
}
