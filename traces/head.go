package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spoor/traces/internal/describe"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func headCommand(env *stage.Env) *cobra.Command {
	var n, proc int
	var events bool
	cmd := &cobra.Command{
		Use:  "head PREFIX|FILE",
		Args: cobra.ExactArgs(1),
	}
	stage.Describe(cmd, helpTexts, "head")
	flags := cmd.Flags()
	flags.IntVarP(&n, "rows", "n", 10, "`NUMBER` of rows")
	flags.IntVar(&proc, "proc", 0, "only rows of `PROCESSOR` (default: all, in order)")
	flags.BoolVar(&events, "events", false, "print events instead of references")
	print := stage.FormatFlag(flags)
	stage.Group(flags, "Selection", "rows", "proc", "events")
	stage.Group(flags, "Output", "format")
	cmd.ValidArgsFunction = completeTraces
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if n < 0 {
			return stage.Usage("-n: %d rows", n)
		}
		var procs []trace.Proc
		if flags.Changed("proc") {
			procs = []trace.Proc{trace.Proc(proc)}
		}
		rows, err := headOf(args[0], procs, n, events)
		if errors.Is(err, store.ErrIsTable) && !events && procs == nil {
			if rows, err = describe.Head(args[0], n); err != nil {
				return err
			}
			return stage.Print(env.Out, *print, rows)
		}
		if err != nil {
			return err
		}
		if !events && n > 0 && rows.Rows() == 0 {
			env.Note("%s: no references; --events shows the events", args[0])
		}
		return stage.Print(env.Out, *print, rows)
	}
	return cmd
}

// headOf returns the first n rows of the references or events of a trace.
func headOf(path string, procs []trace.Proc, n int, events bool) (*store.Table, error) {
	t, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := knownProcs(t, procs); err != nil {
		return nil, err
	}
	if events {
		return headEvents(t, procs, n)
	}
	return headRefs(t, procs, n)
}

func headRefs(t *store.Trace, procs []trace.Proc, n int) (*store.Table, error) {
	proc, instr, size := []int32{}, []int64{}, []int32{}
	op, addr, pc := []string{}, []string{}, []string{}
	for b, err := range t.Refs(procs...) {
		if err != nil {
			return nil, err
		}
		for i := 0; i < b.Len() && len(proc) < n; i++ {
			proc, instr = append(proc, int32(b.Proc)), append(instr, int64(b.Instr[i]))
			op, addr = append(op, b.Op[i].String()), append(addr, fmt.Sprintf("%#x", b.Addr[i]))
			size = append(size, int32(b.Size[i]))
			if b.PC != nil {
				pc = append(pc, fmt.Sprintf("%#x", b.PC[i]))
			}
		}
		if len(proc) >= n {
			break
		}
	}
	rows := &store.Table{Name: "refs", Columns: []store.Column{
		{Name: "proc", Data: proc}, {Name: "instr", Data: instr}, {Name: "op", Data: op},
		{Name: "addr", Data: addr}, {Name: "size", Unit: "B", Data: size}}}
	if t.Header().HasPC {
		rows.Columns = append(rows.Columns, store.Column{Name: "pc", Data: pc})
	}
	return rows, nil
}

func headEvents(t *store.Trace, procs []trace.Proc, n int) (*store.Table, error) {
	proc, kinds, needs, graph := []int32{}, []string{}, []string{}, false
	var ints [13][]int64
	names := [len(ints)]string{"instr", "refs", "peer", "tag", "group", "request", "bytes", "addr", "count", "block", "stride", "work", "time"}
	units := map[string]string{"bytes": "B", "block": "B", "stride": "B", "work": string(t.Header().WorkUnit), "time": "ps"}
	for b, err := range t.Events(procs...) {
		if err != nil {
			return nil, err
		}
		for i := 0; i < b.Len() && len(proc) < n; i++ {
			e := &b.Rows[i]
			proc, kinds = append(proc, int32(b.Proc)), append(kinds, e.Kind.String())
			for c, v := range [len(ints)]int64{int64(e.Instr), int64(e.Refs), int64(e.Peer), int64(e.Tag), int64(e.Group),
				int64(e.Request), e.Bytes, e.Addr, e.Count, e.Block, e.Stride, e.Work, e.Time} {
				ints[c] = append(ints[c], v)
			}
			needs, graph = append(needs, needsOf(e)), graph || e.Needs != nil
		}
		if len(proc) >= n {
			break
		}
	}
	rows := &store.Table{Name: "events", Columns: []store.Column{{Name: "proc", Data: proc}, {Name: "kind", Data: kinds}}}
	for c, name := range names {
		if name != "time" || t.Header().HasTime {
			rows.Columns = append(rows.Columns, store.Column{Name: name, Unit: units[name], Data: append([]int64{}, ints[c]...)})
		}
	}
	if graph {
		rows.Columns = append(rows.Columns, store.Column{Name: "needs", Data: needs})
	}
	return rows, nil
}

// needsOf lists the rows that e needs: "previous", "none", or "0 3".
func needsOf(e *trace.Event) string {
	switch {
	case e.Needs == nil:
		return "previous"
	case len(e.Needs) == 0:
		return "none"
	}
	return strings.Trim(fmt.Sprint(e.Needs), "[]")
}
