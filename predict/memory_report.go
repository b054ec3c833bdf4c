package main

import (
	"io"
	"strconv"

	"github.com/spf13/pflag"

	"spoor/calibrate/machine"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// memoryReport prints results of programs that share memory.
type memoryReport struct {
	memoryFlags
	output tableOutput
	extend func(*store.Table) // adds columns to the table; or nil
}

// memoryFlags are flags for programs that share memory. Flag phases is also for others.
type memoryFlags struct {
	barrier string
	phases  bool
	opt     replay.Options
}

func (f *memoryFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.barrier, "barrier", "0s", "`TIME` of a barrier after the last processor arrived")
	flags.BoolVar(&f.phases, "phases", false, "print (and write with -o) each processor between barriers, or in time slices")
}

// check reads the flags.
func (f *memoryFlags) check() error {
	barrier, err := unit.Parse(f.barrier, "s")
	switch {
	case err != nil:
		return stage.Usage("--barrier: %v", err)
	case barrier < 0 || barrier > 1:
		return stage.Usage("--barrier %s is not from 0s to 1s", f.barrier)
	}
	f.opt = replay.Options{Barrier: unit.Seconds(barrier).Picos(), Phases: f.phases}
	return nil
}

// memoryOf returns the size of the memory of m, or 0 if it does not matter because clusters page.
func memoryOf(m *machine.Machine) (size unit.Bytes) {
	if m.Disk != nil && m.System.Block != 0 {
		return 0
	}
	for i := range m.System.Nodes {
		size += m.Node(i).Memory.Size
	}
	return size
}

// print prints the results, and writes them to a file with -o.
func (r *memoryReport) print(w io.Writer, rows []memoryRow) error {
	if len(rows) == 1 && r.output.format == stage.JSON && !r.phases && r.output.file == "" {
		return printRun(w, rows[0])
	}
	table, err := r.table(rows)
	if err != nil {
		return err
	}
	if err := r.output.write("the simulations", table); err != nil {
		return err
	}
	switch {
	case r.phases:
		return stage.Print(w, r.output.format, table)
	case r.output.format == stage.JSON && len(rows) == 1:
		return printRun(w, rows[0])
	case r.output.format == stage.Human:
		return printForPeople(w, rows, table)
	default:
		return stage.Print(w, r.output.format, table)
	}
}

func (r *memoryReport) table(rows []memoryRow) (*store.Table, error) {
	table, err := simulationTable(rows, trace.Arg{Key: "barrier", Value: r.barrier}, trace.Arg{Key: "warm", Value: strconv.FormatBool(r.opt.Warm)})
	switch {
	case err != nil:
		return nil, err
	case r.phases:
		return phaseTable(rows), nil
	case r.extend != nil:
		r.extend(table)
	}
	return table, nil
}
