package main

import (
	"math"
	"strconv"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/replay"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulationRow is one simulation: a program on a machine.
type simulationRow struct {
	title, trace string
	machine      *machine.Machine
	scope        replay.Scope
	result       *replay.Result
	ideal        *replay.Result // on a PRAM; nil: not asked for
	instructions uint64         // of all processors; 0: not known
	tasks        string         // how tasks of queues are assigned
	observed
}

// How tasks of queues are assigned.
const (
	noTasks        = "none" // there are none, or one processor gets all
	recordedTasks  = "recorded"
	simulatedTasks = "simulated"
)

// newRow returns a row. The argument tasks says how tasks of queues are assigned, if there are any. instructions are
// those of the trace, for simulations that do not count them.
func newRow(title, trace string, m *machine.Machine, scope replay.Scope, r *replay.Result, instructions uint64, tasks string) simulationRow {
	if !r.TaskQueues {
		tasks = noTasks
	}
	if scope != replay.Messages {
		instructions = uint64(r.Instr())
	}
	return simulationRow{title: title, trace: trace, machine: m, scope: scope, result: r, instructions: instructions, tasks: tasks}
}

// timePart is a part of a processor's time and its column.
type timePart struct {
	part observe.Part
	of   func(memory *replay.Processor, rank *outcome.Rank) unit.Picos
}

// memoryParts and messageParts are the parts of the time until a processor ends. A simulation has those of its scope.
var (
	idealPart   = timePart{observe.Computing, func(p *replay.Processor, _ *outcome.Rank) unit.Picos { return p.Ideal }}
	memoryParts = []timePart{
		{observe.MemoryLatency, func(p *replay.Processor, _ *outcome.Rank) unit.Picos { return p.Latency }},
		{observe.MemoryContention, func(p *replay.Processor, _ *outcome.Rank) unit.Picos { return p.Contention }},
		{observe.Sync, func(p *replay.Processor, _ *outcome.Rank) unit.Picos { return p.Sync }},
	}
	messageParts = []timePart{ofRank(observe.Overhead), ofRank(observe.Latency), ofRank(observe.Contention), ofRank(observe.Waiting)}
)

func ofRank(part observe.Part) timePart {
	return timePart{part, func(_ *replay.Processor, r *outcome.Rank) unit.Picos { return r.Parts[part] }}
}

// partsOf returns the parts of rows: all, or those that a simulation of the rows has.
func partsOf(rows []simulationRow, all bool) []timePart {
	parts := []timePart{idealPart}
	if all || anyOf(rows, func(r simulationRow) bool { return r.scope != replay.Messages }) {
		parts = append(parts, memoryParts...)
	}
	if all || anyOf(rows, func(r simulationRow) bool { return r.scope != replay.References }) {
		parts = append(parts, messageParts...)
	}
	return parts
}

func anyOf(rows []simulationRow, is func(simulationRow) bool) bool {
	for _, r := range rows {
		if is(r) {
			return true
		}
	}
	return false
}

// rank returns the times of a processor's messages, which are zero without messages.
func (r simulationRow) rank(i int) *outcome.Rank {
	if r.result.Messages == nil {
		return &outcome.Rank{}
	}
	return &r.result.Messages.Ranks[i]
}

// mean returns a part's mean over processors, in seconds.
func (r simulationRow) mean(of func(*replay.Processor, *outcome.Rank) unit.Picos) float64 {
	sum := 0.0
	for i := range r.result.Procs {
		sum += float64(of(&r.result.Procs[i], r.rank(i)))
	}
	return sum / 1e12 / float64(len(r.result.Procs))
}

// eInstr returns E(Instr) in nanoseconds, or NaN without instructions.
func (r simulationRow) eInstr() float64 {
	if r.instructions == 0 {
		return math.NaN()
	}
	return float64(r.result.Time.Seconds()) * 1e9 / float64(r.instructions)
}

// simulationTable has a row for each simulation. Its parts are means over processors. With end, the wait for the last
// processor, they add up to the time.
func simulationTable(rows []simulationRow, options ...trace.Arg) *store.Table {
	columns := []store.Column{
		store.ColumnOf(rows, "program", "", func(r simulationRow) string { return r.title }),
		store.ColumnOf(rows, "trace", "", func(r simulationRow) string { return r.trace }),
		store.ColumnOf(rows, "machine", "", func(r simulationRow) string { return r.machine.Name }),
		store.ColumnOf(rows, "processors", "", func(r simulationRow) int32 { return int32(len(r.result.Procs)) }),
		store.ColumnOf(rows, "time", "s", func(r simulationRow) float64 { return float64(r.result.Time.Seconds()) }),
		store.ColumnOf(rows, "e_instr", "ns", simulationRow.eInstr),
	}
	for _, part := range partsOf(rows, true) {
		columns = append(columns, store.ColumnOf(rows, part.part.String(), "s", func(r simulationRow) float64 { return r.mean(part.of) }))
	}
	columns = append(columns, store.ColumnOf(rows, "end", "s", func(r simulationRow) float64 {
		return r.mean(func(p *replay.Processor, _ *outcome.Rank) unit.Picos { return p.End })
	}))
	columns = append(columns, countColumns(rows)...)
	columns = append(columns,
		store.ColumnOf(rows, "messages", "", func(r simulationRow) uint64 { return r.messages().Messages }),
		store.ColumnOf(rows, "bytes", "B", func(r simulationRow) uint64 { return uint64(r.messages().Bytes) }),
		store.ColumnOf(rows, "tasks", "", func(r simulationRow) string { return r.tasks }),
		store.ColumnOf(rows, machineDigest, "", func(r simulationRow) string { return r.machine.Digest() }))
	return &store.Table{Name: "simulation", Columns: columns, Meta: append(options, toolFacts()...)}
}

// messages returns the result of the messages, which is empty without them.
func (r simulationRow) messages() *outcome.Result {
	if r.result.Messages == nil {
		return &outcome.Result{Engine: r.result.Engine}
	}
	return r.result.Messages
}

// countColumns are the counts of the memory system. They are 0 where references are not simulated, and ratios are NaN.
func countColumns(rows []simulationRow) []store.Column {
	count := func(name string, of func(touch.Counts) uint64) store.Column {
		return store.ColumnOf(rows, name, "", func(r simulationRow) uint64 { return of(r.result.Counts()) })
	}
	ratio := func(name string, of func(*replay.Result) float64) store.Column {
		return store.ColumnOf(rows, name, "", func(r simulationRow) float64 {
			if r.scope == replay.Messages {
				return math.NaN()
			}
			return of(r.result)
		})
	}
	return []store.Column{
		store.ColumnOf(rows, "instructions", "", func(r simulationRow) uint64 { return r.instructions }),
		store.ColumnOf(rows, "references", "", func(r simulationRow) uint64 { return r.result.References() }),
		count("touches", touch.Counts.Touches),
		count("misses", touch.Counts.Misses),
		count("cold_misses", func(c touch.Counts) uint64 { return c.LoadMisses.Cold + c.StoreMisses.Cold }),
		count("coherence_misses", touch.Counts.CoherenceMisses),
		count("replacement_misses", func(c touch.Counts) uint64 { return c.LoadMisses.Replacement + c.StoreMisses.Replacement }),
		ratio("miss_ratio", (*replay.Result).MissRatio),
		count("upgrades", func(c touch.Counts) uint64 { return c.Upgrades }),
		count("writebacks", func(c touch.Counts) uint64 { return c.WriteBacks }),
		count("private_hits", func(c touch.Counts) uint64 { return c.InnerHits }),
		count("shared_hits", func(c touch.Counts) uint64 { return c.SharedHits }),
		count("supplies", func(c touch.Counts) uint64 { return c.CacheToCache }),
		count("tlb_misses", func(c touch.Counts) uint64 { return c.TLBMisses }),
		ratio("coherence_share", func(r *replay.Result) float64 { return r.Counts().CoherenceShare() }),
		ratio("memory_utilization", (*replay.Result).Utilization),
		count("remote_fetches", func(c touch.Counts) uint64 { return c.RemoteFetches }),
		count("from_exclusive", func(c touch.Counts) uint64 { return c.FromExclusive }),
		count("block_upgrades", func(c touch.Counts) uint64 { return c.BlockUpgrades }),
		count("block_invalidations", func(c touch.Counts) uint64 { return c.BlockInvalidations }),
		count("disk_reads", func(c touch.Counts) uint64 { return c.DiskReads }),
		store.ColumnOf(rows, "memory_messages", "", func(r simulationRow) uint64 { return r.result.Shared.Messages }),
		store.ColumnOf(rows, "memory_bytes", "B", func(r simulationRow) uint64 { return uint64(r.result.Shared.MessageBytes) }),
		ratio("network_utilization", (*replay.Result).NetworkUtilization),
	}
}

// settings are the flags that the results depend on, as metadata of the table.
func (f *simulationFlags) settings() []trace.Arg {
	meta := []trace.Arg{{Key: "barrier", Value: f.barrier}, {Key: "warm", Value: strconv.FormatBool(f.opt.Warm)}, {Key: "semantics", Value: f.semantics},
		{Key: "collectives", Value: f.collectives}, {Key: "computation", Value: f.computation}}
	if f.changed("references") && !f.references { // --references only makes an error of a note
		meta = append(meta, trace.Arg{Key: "references", Value: "false"})
	}
	switch {
	case len(f.places) > 1:
		meta = append(meta, trace.Arg{Key: "map", Value: allMaps})
	case f.place.Map != "":
		meta = append(meta, trace.Arg{Key: "map", Value: f.place.Name()})
	}
	if f.place.PerNode > 0 {
		meta = append(meta, trace.Arg{Key: "ranks_per_node", Value: strconv.Itoa(f.place.PerNode)})
	}
	if f.place.Order != "" {
		meta = append(meta, trace.Arg{Key: "node_order", Value: f.place.OrderName()})
	}
	return meta
}

// processorTable has the parts of the time of each processor.
func processorTable(row simulationRow) *store.Table {
	numbers := make([]int32, len(row.result.Procs))
	for i := range numbers {
		numbers[i] = int32(i)
	}
	at := func(i int32) *replay.Processor { return &row.result.Procs[i] }
	seconds := func(name string, of func(i int32) unit.Picos) store.Column {
		return store.ColumnOf(numbers, name, "s", func(i int32) float64 { return float64(of(i).Seconds()) })
	}
	count := func(name string, of func(i int32) uint64) store.Column { return store.ColumnOf(numbers, name, "", of) }
	columns := []store.Column{{Name: "proc", Data: numbers}, seconds("time", func(i int32) unit.Picos { return at(i).Total() })}
	for _, part := range partsOf([]simulationRow{row}, false) {
		columns = append(columns, seconds(part.part.String(), func(i int32) unit.Picos { return part.of(at(i), row.rank(int(i))) }))
	}
	if row.scope != replay.Messages {
		columns = append(columns, count("instructions", func(i int32) uint64 { return uint64(at(i).Instr) }), count("references", func(i int32) uint64 { return at(i).Refs }),
			count("misses", func(i int32) uint64 { return at(i).Counts.Misses() }), count("upgrades", func(i int32) uint64 { return at(i).Counts.Upgrades }),
			count("writebacks", func(i int32) uint64 { return at(i).Counts.WriteBacks }))
	}
	if row.scope != replay.References {
		columns = append(columns, count("messages", func(i int32) uint64 { return row.rank(int(i)).Messages }), store.ColumnOf(numbers, "bytes", "B", func(i int32) uint64 { return uint64(row.rank(int(i)).Bytes) }))
	}
	return &store.Table{Name: "processors", Columns: columns}
}

// forPeople lists the columns of a simulation table to print on a terminal, besides the parts.
var forPeople = map[string]bool{"program": true, "machine": true, "processors": true, "time": true, "end": true, "native": true, "error": true, "job": true, "start": true, "alone": true, "slowdown": true, "map": true}

// forReferences and forMessages list further such columns, for simulations that have them. So does forNodes, for
// machines with several nodes.
var (
	forReferences = map[string]bool{"e_instr": true, "coherence_share": true, "memory_utilization": true}
	forMessages   = map[string]bool{"messages": true, "bytes": true}
	forNodes      = map[string]bool{"remote_fetches": true, "network_utilization": true}
)

// shortened returns the columns of t that fit a terminal.
func shortened(rows []simulationRow, t *store.Table) *store.Table {
	show := map[string]bool{}
	for _, part := range partsOf(rows, false) {
		show[part.part.String()] = true
	}
	for _, name := range []string{"ideal_time", "algorithm_wait", "machine_wait"} {
		show[name] = true // with --ideal
	}
	references := anyOf(rows, func(r simulationRow) bool { return r.scope != replay.Messages })
	show["miss_ratio"] = references
	show["tasks"] = anyOf(rows, func(r simulationRow) bool { return r.tasks != noTasks })
	nodes := anyOf(rows, func(r simulationRow) bool { return r.scope == replay.References && r.machine.System.Nodes > 1 })
	messages := anyOf(rows, func(r simulationRow) bool { return r.scope != replay.References })
	short := &store.Table{Name: t.Name}
	for _, c := range t.Columns {
		if show[c.Name] || forPeople[c.Name] || references && !messages && forReferences[c.Name] || messages && !references && forMessages[c.Name] || nodes && forNodes[c.Name] {
			short.Columns = append(short.Columns, c)
		}
	}
	return short
}
