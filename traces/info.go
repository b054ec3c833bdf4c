package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func infoCommand(env *stage.Env) *cobra.Command {
	var byProc bool
	cmd := &cobra.Command{
		Use:   "info PREFIX|FILE",
		Short: "describe a trace or table",
		Long:  infoLong,
		Example: "  $ traces import data/sample/tiny.log -o tiny\n  $ traces info tiny\n  $ traces info tiny --by-proc\n" +
			"  $ traces info tiny --format json",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&byProc, "by-proc", false, "print a row for each processor")
	print := stage.FormatFlag(cmd.Flags())
	stage.Group(cmd.Flags(), "Output", "by-proc", "format")
	cmd.ValidArgsFunction = completeTraces
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := store.Open(args[0])
		if errors.Is(err, store.ErrIsTable) && !byProc {
			return infoOfTable(env, args[0], *print)
		}
		if err != nil {
			return err
		}
		defer t.Close()
		src := watch(cmd.Context(), env, t, "reading")
		i, err := gather(src)
		src.progress.Done()
		if err != nil {
			return err
		}
		i.Kind = kindOf(args[0], i)
		switch {
		case *print == stage.JSON:
			return i.json(env.Out)
		case byProc:
			return stage.Print(env.Out, *print, i.procTable())
		}
		return stage.Print(env.Out, *print, i.table())
	}
	return cmd
}

// infoLong is the help of the command.
const infoLong = "Info prints the origin of a trace and its counts over all processors:\n" +
	"  instructions executed instructions, with the work of Compute events if that is in instructions\n" +
	"  refs         references by operation\n" +
	"  bytes        sum of the sizes of loads and stores\n" +
	"  lines64      distinct 64-byte lines of loads and stores (data) and of instruction fetches (ifetch);\n" +
	"               an access touches every line that has one of its bytes\n" +
	"  pages4096    distinct pages of 4 KiB, likewise\n" +
	"  events       events by kind; payload is the sum of their bytes, work the sum of the work of\n" +
	"               Compute events, in the unit of the trace\n" +
	"  messages     sends: number, bytes, smallest and largest size; the median lies between the two\n" +
	"               printed powers of two\n" +
	"  collectives  calls by all processors, and the number of their groups\n" +
	"  requests     numbers of opened, waited and tested requests\n" +
	"With --by-proc the table has a row for each processor instead. JSON has both.\n" +
	"For a table of another stage, such as reuse.arrow, info prints its facts, and its columns with types and units."

// info is the output of the command. Programs rely on the names of its fields.
type info struct {
	Kind  string `json:"kind"`
	Procs int    `json:"procs"`
	amounts
	Source source     `json:"source"`
	Detail []procInfo `json:"procs_detail"`
}

// procInfo has the amounts of one processor.
type procInfo struct {
	Proc trace.Proc `json:"proc"`
	amounts
}

// gather reads all of t, one processor after the other.
func gather(t *watched) (*info, error) {
	i := &info{Procs: t.Header().Procs, Source: sourceOf(t), Detail: []procInfo{}}
	i.begin()
	data, ifetch := newLineSet(), newLineSet()
	for p := range trace.Proc(i.Procs) {
		one := procInfo{Proc: p}
		one.begin()
		mine, fetched := newLineSet(), newLineSet()
		if err := one.gatherRefs(t, p, mine, fetched); err != nil {
			return nil, err
		}
		if err := one.gatherEvents(t, p); err != nil {
			return nil, err
		}
		one.Instr = uint64(t.Totals(p).Instr)
		if t.Header().WorkUnit == trace.WorkInstr {
			one.Instr += uint64(one.Work)
		}
		one.footprint(mine, fetched)
		one.finish()
		data.merge(mine)
		ifetch.merge(fetched)
		i.add(&one.amounts)
		one.Messages.Sizes = nil
		i.Detail = append(i.Detail, one)
	}
	i.footprint(data, ifetch)
	i.finish()
	return i, nil
}

// kindOf returns "trace" if path has both files, "refs" or "events" if it has one.
func kindOf(path string, i *info) string {
	switch {
	case strings.HasSuffix(path, store.RefsSuffix):
		return "refs"
	case strings.HasSuffix(path, store.EventsSuffix):
		return "events"
	}
	_, refs := os.Stat(path + store.RefsSuffix)
	_, events := os.Stat(path + store.EventsSuffix)
	switch {
	case refs == nil && events == nil:
		return "trace"
	case refs == nil, events != nil && len(i.Events.names) == 0:
		return "refs"
	}
	return "events"
}

func (i *info) json(w io.Writer) error {
	out, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(out, '\n'))
	return err
}
