package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// mixedRow is a program that shares memory and passes messages, on a machine.
type mixedRow struct {
	title, trace string
	machine      *machine.Machine
	result       *replay.MixedResult
	tasks        string
}

// newMixedRow returns a row. The argument tasks says how tasks of queues are assigned, if there are any.
func newMixedRow(title, trace string, m *machine.Machine, r *replay.MixedResult, tasks string) mixedRow {
	if !r.TaskQueues {
		tasks = noTasks
	}
	return mixedRow{title, trace, m, r, tasks}
}

// onlyMessages lists flags of simulations of messages only, onlyMemory those of references only.
var (
	onlyMessages = []string{"matrix", "path", "timeline", "semantics", "computation", "engine", "engine-stats", "ahead", "quantum"}
	onlyMemory   = []string{"barrier", "phases", "quanta", "warm"}
)

// checkMixed returns an error for flags that are not for programs with shared memory and messages.
func checkMixed(program string, changed func(flag string) bool) error {
	for _, flag := range slices.Concat(onlyMessages, onlyMemory) {
		if changed(flag) {
			return stage.Usage("--%s cannot be used: %s shares memory and passes messages", flag, program)
		}
	}
	return nil
}

// mixedPart is a part of the time of processors and its column.
type mixedPart struct {
	name string
	of   func(memory *replay.Processor, rank *engine.Rank) unit.Picos
}

// mixedParts add up to the time when a processor ends.
var mixedParts = append([]mixedPart{
	{"ideal", func(p *replay.Processor, _ *engine.Rank) unit.Picos { return p.Ideal }},
	{"memory_latency", func(p *replay.Processor, _ *engine.Rank) unit.Picos { return p.Latency }},
	{"memory_contention", func(p *replay.Processor, _ *engine.Rank) unit.Picos { return p.Contention }},
	{"sync", func(p *replay.Processor, _ *engine.Rank) unit.Picos { return p.Sync }},
}, partsOfMessages()...)

func partsOfMessages() (all []mixedPart) {
	for _, part := range messageParts[1:] { // all but computation
		all = append(all, mixedPart{part.String(), func(_ *replay.Processor, r *engine.Rank) unit.Picos { return r.Parts[part] }})
	}
	return all
}

// mixedTable has a row for each simulation. Its parts are means over processors. With end, the wait for the last processor, they add up
// to the time.
func mixedTable(rows []mixedRow) *store.Table {
	mean := func(r mixedRow, of func(*replay.Processor, *engine.Rank) unit.Picos) float64 {
		sum := 0.0
		for i := range r.result.Procs {
			sum += float64(of(&r.result.Procs[i], &r.result.Messages.Ranks[i]))
		}
		return sum / 1e12 / float64(len(r.result.Procs))
	}
	columns := []store.Column{
		store.ColumnOf(rows, "program", "", func(r mixedRow) string { return r.title }),
		store.ColumnOf(rows, "trace", "", func(r mixedRow) string { return r.trace }),
		store.ColumnOf(rows, "machine", "", func(r mixedRow) string { return r.machine.Name }),
		store.ColumnOf(rows, "processors", "", func(r mixedRow) int32 { return int32(len(r.result.Procs)) }),
		store.ColumnOf(rows, "time", "s", func(r mixedRow) float64 { return float64(r.result.Time.Seconds()) }),
	}
	ends := mixedPart{"end", func(p *replay.Processor, _ *engine.Rank) unit.Picos { return p.End }}
	for _, part := range slices.Concat(mixedParts, []mixedPart{ends}) {
		columns = append(columns, store.ColumnOf(rows, part.name, "s", func(r mixedRow) float64 { return mean(r, part.of) }))
	}
	columns = append(columns,
		store.ColumnOf(rows, "instructions", "", func(r mixedRow) uint64 { return uint64(r.result.Instr()) }),
		store.ColumnOf(rows, "references", "", func(r mixedRow) uint64 { return references(r.result.Result) }),
		store.ColumnOf(rows, "misses", "", func(r mixedRow) uint64 { return r.result.Counts().Misses() }),
		store.ColumnOf(rows, "miss_ratio", "", func(r mixedRow) float64 { return r.result.MissRatio() }),
		store.ColumnOf(rows, "coherence_misses", "", func(r mixedRow) uint64 { return r.result.Counts().CoherenceMisses() }),
		store.ColumnOf(rows, "memory_utilization", "", func(r mixedRow) float64 { return r.result.Utilization() }),
		store.ColumnOf(rows, "messages", "", func(r mixedRow) uint64 { return r.result.Messages.Messages }),
		store.ColumnOf(rows, "bytes", "B", func(r mixedRow) uint64 { return uint64(r.result.Messages.Bytes) }),
		store.ColumnOf(rows, "tasks", "", func(r mixedRow) string { return r.tasks }),
		store.ColumnOf(rows, machineDigest, "", func(r mixedRow) string { return r.machine.Digest() }))
	return &store.Table{Name: "mixed simulation", Columns: columns, Meta: toolFacts()}
}

// longMixed lists the columns that are not printed on a terminal.
var longMixed = map[string]bool{"trace": true, "instructions": true, "references": true, "coherence_misses": true, "bytes": true, machineDigest: true}

// mixedProcessors has the parts of the time of each processor.
func mixedProcessors(r *replay.MixedResult) *store.Table {
	numbers := make([]int32, len(r.Procs))
	for i := range numbers {
		numbers[i] = int32(i)
	}
	columns := []store.Column{{Name: "proc", Data: numbers},
		store.ColumnOf(numbers, "time", "s", func(i int32) float64 { return float64(r.Procs[i].Total().Seconds()) })}
	for _, part := range mixedParts {
		columns = append(columns, store.ColumnOf(numbers, part.name, "s", func(i int32) float64 {
			return float64(part.of(&r.Procs[i], &r.Messages.Ranks[i]).Seconds())
		}))
	}
	return &store.Table{Name: "processors", Columns: append(columns,
		store.ColumnOf(numbers, "misses", "", func(i int32) uint64 { return r.Procs[i].Counts.Misses() }),
		store.ColumnOf(numbers, "messages", "", func(i int32) uint64 { return r.Messages.Ranks[i].Messages }))}
}

// printMixed prints the results, and writes them to a file if output is given.
func printMixed(w io.Writer, output tableOutput, rows []mixedRow, extend func(*store.Table)) error {
	table := mixedTable(rows)
	if extend != nil {
		extend(table)
	}
	if err := output.write("the simulations", table); err != nil {
		return err
	}
	switch {
	case output.format == stage.JSON && len(rows) == 1:
		return printMixedRun(w, rows[0].result)
	case output.format != stage.Human:
		return stage.Print(w, output.format, table)
	}
	short := &store.Table{Name: table.Name}
	for _, c := range table.Columns {
		if !longMixed[c.Name] {
			short.Columns = append(short.Columns, c)
		}
	}
	if err := stage.Print(w, stage.Human, short); err != nil || len(rows) > 1 {
		return err
	}
	fmt.Fprintln(w)
	return stage.Print(w, stage.Human, mixedProcessors(rows[0].result))
}

// printMixedRun prints one simulation as one object.
func printMixedRun(w io.Writer, r *replay.MixedResult) error {
	run := processRuns{Time: float64(r.Time.Seconds()), Messages: r.Messages.Messages}
	for i := range r.Procs {
		p, rank := &r.Procs[i], &r.Messages.Ranks[i]
		seconds := func(memory unit.Picos, part engine.Part) float64 {
			return float64((memory + rank.Parts[part]).Seconds())
		}
		run.Events += p.Events
		run.Procs = append(run.Procs, processorRun{Proc: i, Time: float64(p.Total().Seconds()), Compute: float64(p.Ideal.Seconds()),
			Overhead: seconds(0, engine.Overhead), Latency: seconds(p.Latency, engine.Latency),
			Contention: seconds(p.Contention, engine.Contention), Wait: seconds(p.Sync, engine.Waiting)})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(run)
}
