package main

import (
	"encoding/json"
	"fmt"
	"io"

	"spoor/predict/internal/engine/observe"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// simulationReport prints simulations.
type simulationReport struct {
	*simulationFlags
	output tableOutput
	extend func(*store.Table) // adds columns to the table; or nil
}

// print prints the results, or the table that the flags select, and writes it to a file with -o.
func (r *simulationReport) print(w io.Writer, rows []simulationRow) error {
	selected := r.table(rows)
	table := selected
	if table == nil {
		table = simulationTable(rows, r.settings()...)
		if r.extend != nil {
			r.extend(table)
		}
	}
	if err := r.output.write("the simulations", table); err != nil {
		return err
	}
	format := r.output.format
	switch {
	case r.engine.stats:
		return stage.Print(w, format, engineTable(rows))
	case selected != nil:
		return stage.Print(w, format, table)
	case format == stage.JSON && len(rows) == 1:
		return printRun(w, rows[0])
	case format != stage.Human:
		return stage.Print(w, format, table)
	}
	if err := stage.Print(w, stage.Human, shortened(rows, table)); err != nil || len(rows) > 1 {
		return err
	}
	fmt.Fprintln(w)
	return stage.Print(w, stage.Human, processorTable(rows[0]))
}

// printRun prints one simulation as one object.
func printRun(w io.Writer, row simulationRow) error {
	run := processRuns{Time: float64(row.result.Time.Seconds()), Messages: row.messages().Messages, Events: row.messages().Ops}
	if row.result.Messages == nil {
		run.Messages = row.result.Shared.Messages
	}
	counted := uint64(0)
	for i := range row.result.Procs {
		p, rank := &row.result.Procs[i], row.rank(i)
		seconds := func(memory unit.Picos, part observe.Part) float64 {
			return float64((memory + rank.Parts[part]).Seconds())
		}
		counted += p.Events
		run.Procs = append(run.Procs, processorRun{Proc: i, Time: float64(p.Total().Seconds()), Compute: float64(p.Ideal.Seconds()),
			Overhead: seconds(0, observe.Overhead), Latency: seconds(p.Latency, observe.Latency),
			Contention: seconds(p.Contention, observe.Contention), Wait: seconds(p.Sync, observe.Waiting)})
	}
	if counted > 0 {
		run.Events = counted
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(run)
}
