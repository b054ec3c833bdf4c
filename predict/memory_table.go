package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// memoryRow is a program on a simulated memory system.
type memoryRow struct {
	title, trace string
	machine      *machine.Machine
	result       *replay.Result
	tasks        string // how tasks of queues are assigned
}

// How tasks of queues are assigned.
const (
	noTasks        = "none" // there are none, or one processor gets all
	recordedTasks  = "recorded"
	simulatedTasks = "simulated"
)

// newMemoryRow returns a row. The argument tasks says how tasks of queues are assigned, if there are any.
func newMemoryRow(title, trace string, m *machine.Machine, r *replay.Result, tasks string) memoryRow {
	if !r.TaskQueues {
		tasks = noTasks
	}
	return memoryRow{title, trace, m, r, tasks}
}

// simulationTable has a row for each simulation. The parts of e_instr are means over processors and add up to it.
func simulationTable(sims []memoryRow, options ...trace.Arg) (*store.Table, error) {
	for _, s := range sims {
		if s.result.Instr() == 0 {
			return nil, fmt.Errorf("simulating %s on %s: it has no instructions, so E(Instr) is undefined", s.title, s.machine.Name)
		}
	}
	columns := []store.Column{
		store.ColumnOf(sims, "program", "", func(s memoryRow) string { return s.title }),
		store.ColumnOf(sims, "trace", "", func(s memoryRow) string { return s.trace }),
		store.ColumnOf(sims, "machine", "", func(s memoryRow) string { return s.machine.Name }),
		store.ColumnOf(sims, "processors", "", func(s memoryRow) int32 { return int32(len(s.result.Procs)) }),
	}
	columns = append(columns, timeColumns(sims)...)
	columns = append(columns, countColumns(sims)...)
	columns = append(columns, store.ColumnOf(sims, "tasks", "", func(s memoryRow) string { return s.tasks }),
		store.ColumnOf(sims, machineDigest, "", func(s memoryRow) string { return s.machine.Digest() }))
	return &store.Table{Name: "simulation", Columns: columns,
		Meta: append(options, trace.Arg{Key: "tool", Value: "predict " + stage.Version})}, nil
}

func timeColumns(sims []memoryRow) []store.Column {
	part := func(name string, of func(*replay.Processor) unit.Picos) store.Column {
		return store.ColumnOf(sims, name, "ns", func(s memoryRow) float64 { return nanos(s.result.Part(of)) })
	}
	return []store.Column{
		store.ColumnOf(sims, "e_instr", "ns", func(s memoryRow) float64 { return nanos(s.result.EInstr()) }),
		part("ideal", func(p *replay.Processor) unit.Picos { return p.Ideal }),
		part("latency", func(p *replay.Processor) unit.Picos { return p.Latency }),
		part("contention", func(p *replay.Processor) unit.Picos { return p.Contention }),
		part("sync", func(p *replay.Processor) unit.Picos { return p.Sync + p.End }),
		store.ColumnOf(sims, "time", "s", func(s memoryRow) float64 { return float64(s.result.Time.Seconds()) }),
		store.ColumnOf(sims, "instructions", "", func(s memoryRow) uint64 { return uint64(s.result.Instr()) }),
	}
}

func countColumns(sims []memoryRow) []store.Column {
	count := func(name string, of func(touch.Counts) uint64) store.Column {
		return store.ColumnOf(sims, name, "", func(s memoryRow) uint64 { return of(s.result.Counts()) })
	}
	return []store.Column{
		store.ColumnOf(sims, "references", "", func(s memoryRow) uint64 { return references(s.result) }),
		count("touches", touch.Counts.Touches),
		count("misses", touch.Counts.Misses),
		count("cold_misses", func(c touch.Counts) uint64 { return c.LoadMisses.Cold + c.StoreMisses.Cold }),
		count("coherence_misses", touch.Counts.CoherenceMisses),
		count("replacement_misses", func(c touch.Counts) uint64 { return c.LoadMisses.Replacement + c.StoreMisses.Replacement }),
		store.ColumnOf(sims, "miss_ratio", "", func(s memoryRow) float64 { return s.result.MissRatio() }),
		count("upgrades", func(c touch.Counts) uint64 { return c.Upgrades }),
		count("writebacks", func(c touch.Counts) uint64 { return c.WriteBacks }),
		count("private_hits", func(c touch.Counts) uint64 { return c.InnerHits }),
		count("shared_hits", func(c touch.Counts) uint64 { return c.SharedHits }),
		count("supplies", func(c touch.Counts) uint64 { return c.CacheToCache }),
		count("tlb_misses", func(c touch.Counts) uint64 { return c.TLBMisses }),
		store.ColumnOf(sims, "coherence_share", "", func(s memoryRow) float64 { return s.result.Counts().CoherenceShare() }),
		store.ColumnOf(sims, "memory_utilization", "", func(s memoryRow) float64 { return s.result.Utilization() }),
		count("remote_fetches", func(c touch.Counts) uint64 { return c.RemoteFetches }),
		count("from_exclusive", func(c touch.Counts) uint64 { return c.FromExclusive }),
		count("block_upgrades", func(c touch.Counts) uint64 { return c.BlockUpgrades }),
		count("block_invalidations", func(c touch.Counts) uint64 { return c.BlockInvalidations }),
		count("disk_reads", func(c touch.Counts) uint64 { return c.DiskReads }),
		store.ColumnOf(sims, "messages", "", func(s memoryRow) uint64 { return s.result.Shared.Messages }),
		store.ColumnOf(sims, "message_bytes", "B", func(s memoryRow) uint64 { return uint64(s.result.Shared.MessageBytes) }),
		store.ColumnOf(sims, "network_utilization", "", func(s memoryRow) float64 { return s.result.NetworkUtilization() }),
	}
}

func nanos(s unit.Seconds) float64 { return float64(s) * 1e9 }

func references(r *replay.Result) (n uint64) {
	for i := range r.Procs {
		n += r.Procs[i].Refs
	}
	return n
}

// forPeople lists the columns of a simulation table to print on a terminal.
var forPeople = map[string]bool{"program": true, "machine": true, "processors": true, "e_instr": true, "ideal": true,
	"latency": true, "contention": true, "sync": true, "miss_ratio": true, "coherence_share": true,
	"memory_utilization": true, "time": true, "native": true, "error": true, "slowdown": true}

// forNodes lists further such columns for machines with several nodes.
var forNodes = map[string]bool{"remote_fetches": true, "network_utilization": true}

// printForPeople prints the simulations, and the processors of a single one.
func printForPeople(w io.Writer, sims []memoryRow, t *store.Table) error {
	short := &store.Table{Name: t.Name}
	connected := slices.ContainsFunc(sims, func(s memoryRow) bool { return s.machine.System.Nodes > 1 })
	queues := slices.ContainsFunc(sims, func(s memoryRow) bool { return s.tasks != noTasks })
	for _, c := range t.Columns {
		if forPeople[c.Name] || connected && forNodes[c.Name] || queues && c.Name == "tasks" {
			short.Columns = append(short.Columns, c)
		}
	}
	if err := stage.Print(w, stage.Human, short); err != nil || len(sims) > 1 {
		return err
	}
	fmt.Fprintln(w)
	return stage.Print(w, stage.Human, processorTable(sims[0].result))
}

// processorTable has the parts of the time of each processor.
func processorTable(r *replay.Result) *store.Table {
	type row struct {
		proc int32
		*replay.Processor
	}
	var rows []row
	for i := range r.Procs {
		rows = append(rows, row{int32(i), &r.Procs[i]})
	}
	seconds := func(name string, of func(row) unit.Picos) store.Column {
		return store.ColumnOf(rows, name, "s", func(p row) float64 { return float64(of(p).Seconds()) })
	}
	return &store.Table{Name: "processors", Columns: []store.Column{
		store.ColumnOf(rows, "proc", "", func(p row) int32 { return p.proc }),
		seconds("ideal", func(p row) unit.Picos { return p.Ideal }),
		seconds("latency", func(p row) unit.Picos { return p.Latency }),
		seconds("contention", func(p row) unit.Picos { return p.Contention }),
		seconds("sync", func(p row) unit.Picos { return p.Sync }),
		seconds("end", func(p row) unit.Picos { return p.End }),
		store.ColumnOf(rows, "instructions", "", func(p row) uint64 { return uint64(p.Instr) }),
		store.ColumnOf(rows, "references", "", func(p row) uint64 { return p.Refs }),
		store.ColumnOf(rows, "misses", "", func(p row) uint64 { return p.Counts.Misses() }),
		store.ColumnOf(rows, "upgrades", "", func(p row) uint64 { return p.Counts.Upgrades }),
		store.ColumnOf(rows, "writebacks", "", func(p row) uint64 { return p.Counts.WriteBacks }),
		store.ColumnOf(rows, "supplies", "", func(p row) uint64 { return p.Counts.CacheToCache }),
	}}
}

// phaseTable has a row for each simulation, processor and phase.
func phaseTable(sims []memoryRow) *store.Table {
	type row struct {
		memoryRow
		*replay.Phase
	}
	var rows []row
	for _, s := range sims {
		for i := range s.result.Phases {
			rows = append(rows, row{s, &s.result.Phases[i]})
		}
	}
	seconds := func(name string, of func(row) unit.Picos) store.Column {
		return store.ColumnOf(rows, name, "s", func(p row) float64 { return float64(of(p).Seconds()) })
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
		seconds("ideal", func(p row) unit.Picos { return p.Ideal }),
		seconds("latency", func(p row) unit.Picos { return p.Latency }),
		seconds("contention", func(p row) unit.Picos { return p.Contention }),
		seconds("sync", func(p row) unit.Picos { return p.Sync }),
	}}
}

// printRun prints one simulation as one object.
func printRun(w io.Writer, s memoryRow) error {
	run := processRuns{Time: float64(s.result.Time.Seconds()), Messages: s.result.Shared.Messages}
	for i := range s.result.Procs {
		p := &s.result.Procs[i]
		run.Events += p.Events
		run.Procs = append(run.Procs, processorRun{Proc: i, Time: float64(p.Total().Seconds()), Compute: float64(p.Ideal.Seconds()),
			Latency: float64(p.Latency.Seconds()), Contention: float64(p.Contention.Seconds()), Wait: float64(p.Sync.Seconds())})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(run)
}
