package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func infoCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info PREFIX|FILE",
		Short: "say what a trace holds",
		Long: "Info reads a trace and prints its origin and its counts, over all processors:\n" +
			"  refs      references by operation\n" +
			"  lines64   distinct 64-byte lines that loads and stores (data) and instruction fetches (ifetch)\n" +
			"            touch; an access across a boundary touches every line it has a byte in\n" +
			"  bytes     sum of the sizes of loads and stores\n" +
			"  events    events by kind; payload is the sum of their bytes",
		Example: "  $ traces import data/sample/tiny.log -o tiny\n  $ traces info tiny\n  $ traces info tiny --format json",
		Args:    cobra.ExactArgs(1),
	}
	print := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := store.Open(args[0])
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
		if *print == stage.JSON {
			return i.json(env.Out)
		}
		return stage.Print(env.Out, *print, i.table())
	}
	return cmd
}

// info is what the command prints; the names are an interface.
type info struct {
	Kind    string  `json:"kind"`
	Procs   int     `json:"procs"`
	Refs    counts  `json:"refs"`
	Lines64 lines64 `json:"lines64"`
	Events  counts  `json:"events"`
	Bytes   uint64  `json:"bytes"`
	Payload int64   `json:"payload"`
	Instr   uint64  `json:"instructions"`
	Source  source  `json:"source"`
}

type lines64 struct {
	Data   uint64 `json:"data"`
	Ifetch uint64 `json:"ifetch"`
}

type source struct {
	Program  string      `json:"program"`
	Format   string      `json:"format"`
	Args     []trace.Arg `json:"args"`
	Seed     uint64      `json:"seed"`
	Rule     string      `json:"rule"`
	WorkUnit string      `json:"work_unit"`
	Inputs   []string    `json:"inputs"`
	Tool     string      `json:"tool"`
	Notes    []string    `json:"notes"`
	Regions  []region    `json:"regions"`
	SHA256   string      `json:"sha256"`
}

// region is a named array.
type region struct {
	Name  string     `json:"name"`
	Owner trace.Proc `json:"owner"`
	Base  uint64     `json:"base"`
	Bytes uint64     `json:"bytes"`
	Home  string     `json:"home"`
}

func regionsOf(h trace.Header) []region {
	all := []region{}
	for _, r := range h.Regions {
		all = append(all, region{r.Name, r.Owner, r.Base, r.Bytes, r.Home.Kind.String()})
	}
	return all
}

// list is s, also where it is nil, which JSON would show as null.
func list[T any](s []T) []T { return append([]T{}, s...) }

// counts are numbers by name, in a fixed order.
type counts struct {
	names  []string
	values []uint64
}

func (c *counts) add(name string, n uint64) {
	c.names, c.values = append(c.names, name), append(c.values, n)
}

// MarshalJSON is an object in the order of c.
func (c counts) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range c.names {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%d", name, c.values[i])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// gather reads all of t.
func gather(t *watched) (*info, error) {
	h := t.Header()
	i := &info{Procs: h.Procs, Source: source{Program: h.Program, Format: h.Format, Args: list(h.Args), Seed: h.Seed, Rule: h.Rule,
		WorkUnit: string(h.WorkUnit), Inputs: list(h.Inputs), Tool: h.Tool, Notes: list(h.Notes), Regions: regionsOf(h), SHA256: t.SHA256()}}
	if err := i.gatherRefs(t); err != nil {
		return nil, err
	}
	if err := i.gatherEvents(t); err != nil {
		return nil, err
	}
	for p := range h.Procs {
		i.Instr += uint64(t.Totals(trace.Proc(p)).Instr)
	}
	return i, nil
}

func (i *info) gatherRefs(t *watched) error {
	var ops [256]uint64
	data, ifetch := newLineSet(), newLineSet()
	for b, err := range t.Refs() {
		if err != nil {
			return err
		}
		for j, op := range b.Op {
			ops[op]++
			switch {
			case op.Data():
				i.Bytes += uint64(b.Size[j])
				data.touch(b.Addr[j], b.Size[j])
			case op == trace.Ifetch:
				ifetch.touch(b.Addr[j], b.Size[j])
			}
		}
	}
	for _, op := range trace.Ops {
		i.Refs.add(op.String(), ops[op])
	}
	i.Lines64 = lines64{Data: data.count(), Ifetch: ifetch.count()}
	return nil
}

// gatherEvents counts events by kind; kinds that do not occur are left out.
func (i *info) gatherEvents(t *watched) error {
	var kinds [256]uint64
	for b, err := range t.Events() {
		if err != nil {
			return err
		}
		for j := range b.Rows {
			kinds[b.Rows[j].Kind]++
			i.Payload += b.Rows[j].Bytes
		}
	}
	for _, k := range trace.Kinds {
		if kinds[k] > 0 {
			i.Events.add(k.String(), kinds[k])
		}
	}
	return nil
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

// table has the same facts for people, one on each row.
func (i *info) table() *store.Table {
	var what, value []string
	add := func(w, v string) { what, value = append(what, w), append(value, v) }
	num := func(w string, n uint64) { add(w, strconv.FormatUint(n, 10)) }
	title := trace.Header{Program: i.Source.Program, Args: i.Source.Args}.Title()
	add("kind", i.Kind)
	add("program", title)
	add("format", i.Source.Format)
	num("processors", uint64(i.Procs))
	num("instructions", i.Instr)
	for j, name := range i.Refs.names {
		num("refs "+name, i.Refs.values[j])
	}
	num("bytes", i.Bytes)
	num("lines64 data", i.Lines64.Data)
	num("lines64 ifetch", i.Lines64.Ifetch)
	for j, name := range i.Events.names {
		num("events "+name, i.Events.values[j])
	}
	if i.Payload > 0 {
		add("payload", strconv.FormatInt(i.Payload, 10))
	}
	for _, r := range i.Source.Regions {
		if r.Owner == trace.Everyone {
			add("shared "+r.Name, fmt.Sprintf("%d bytes at %#x", r.Bytes, r.Base))
		}
	}
	for _, sum := range i.Source.Inputs {
		add("input sha256", sum)
	}
	for _, n := range i.Source.Notes {
		add("note", n)
	}
	add("written by", i.Source.Tool)
	return &store.Table{Name: "info", Columns: []store.Column{{Name: "what", Data: what}, {Name: "value", Data: value}}}
}
