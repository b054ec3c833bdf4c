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
		Short: "say what a trace holds",
		Long:  infoLong,
		Example: "  $ traces import data/sample/tiny.log -o tiny\n  $ traces info tiny\n  $ traces info tiny --by-proc\n" +
			"  $ traces info tiny --format json",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&byProc, "by-proc", false, "a row for each processor")
	print := stage.FormatFlag(cmd.Flags())
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
const infoLong = "Info reads a trace and prints how it was made, and its counts, over all processors:\n" +
	"  refs         references by operation\n" +
	"  bytes        sum of the sizes of loads and stores\n" +
	"  lines64      distinct 64-byte lines that loads and stores (data) and instruction fetches (ifetch)\n" +
	"               touch; an access across a boundary touches every line it has a byte in\n" +
	"  pages4096    likewise, distinct pages of 4 KiB\n" +
	"  events       events by kind; payload is the sum of their bytes, work the sum of what computes\n" +
	"               amount to, in the trace's unit\n" +
	"  messages     sends: number, bytes, smallest and largest; sizes are counted between powers of\n" +
	"               two, and the median is one of those between two sizes\n" +
	"  collectives  calls by all processors, and the groups that have them\n" +
	"  requests     opened, waited for, tested\n" +
	"With --by-proc the table has a row for each processor instead; JSON has both.\n" +
	"Of a table that another stage wrote, such as reuse.arrow, it prints the facts that hold for all of it, and\n" +
	"its columns with their units; head prints its rows."

// info is what the command prints; the names are an interface.
type info struct {
	Kind  string `json:"kind"`
	Procs int    `json:"procs"`
	amounts
	Source source     `json:"source"`
	Detail []procInfo `json:"procs_detail"`
}

// procInfo is the amounts of one processor.
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

// kindOf is "trace" for both files, "refs" or "events" for one of them.
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
