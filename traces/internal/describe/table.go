package describe

import (
	"fmt"
	"strconv"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// mostInputs is the most input files whose digests the table shows. A trace of messages may have a file for each rank.
const mostInputs = 8

// facts are the rows of the printed table.
type facts struct{ what, value []string }

func (f *facts) add(what, value string) {
	f.what, f.value = append(f.what, what), append(f.value, value)
}

func (f *facts) num(what string, n uint64) { f.add(what, strconv.FormatUint(n, 10)) }

func (f *facts) counts(what string, c counts) {
	for j, name := range c.names {
		f.num(what+" "+name, c.values[j])
	}
}

// Table returns the printed table, with one fact on each row.
func (i *Info) Table() *store.Table {
	var f facts
	f.add("kind", i.Kind)
	f.add("program", trace.Header{Program: i.Source.Program, Args: i.Source.Args}.Title())
	f.add("format", i.Source.Format)
	f.num("processors", uint64(i.Procs))
	f.num("instructions", i.Instr)
	i.memory(&f)
	f.counts("events", i.Events)
	i.talk(&f)
	i.provenance(&f)
	return &store.Table{Name: "info", Columns: []store.Column{{Name: "what", Data: f.what}, {Name: "value", Data: f.value}}}
}

// memory adds the footprint of references.
func (i *Info) memory(f *facts) {
	if i.Refs.sum() == 0 {
		f.num("refs", 0)
		return
	}
	f.counts("refs", i.Refs)
	f.num("bytes", i.Bytes)
	f.num("lines64 data", i.Lines64.Data)
	f.num("lines64 ifetch", i.Lines64.Ifetch)
	f.num("pages4096 data", i.Pages4096.Data)
	f.num("pages4096 ifetch", i.Pages4096.Ifetch)
}

// talk adds messages, collectives and requests, if there are any.
func (i *Info) talk(f *facts) {
	if i.Payload > 0 {
		f.add("payload", i.Payload.String())
	}
	if i.Work > 0 {
		f.add("work", fmt.Sprintf("%v %s", i.Work, i.Source.WorkUnit))
	}
	if m := i.Messages; m.Count > 0 {
		f.add("messages", fmt.Sprintf("%d of %v bytes", m.Count, m.Bytes))
		f.add("message sizes", fmt.Sprintf("%d .. %d, median %v", m.Smallest, m.Largest, m.Median))
		for _, s := range m.Sizes {
			f.num("messages of "+s.String(), s.Count)
		}
	}
	if c := i.Collectives; c.Calls > 0 {
		f.add("collectives", fmt.Sprintf("%s of %v bytes in %s", counted(c.Calls, "call"), c.Bytes, counted(uint64(c.Groups), "group")))
	}
	if r := i.Requests; r != (requests{}) {
		f.add("requests", fmt.Sprintf("%d opened, %d waited for, %d tested", r.Opened, r.Waited, r.Tested))
	}
}

// counted returns "1 group" or "2 groups".
func counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// provenance adds the origin of the trace.
func (i *Info) provenance(f *facts) {
	for _, r := range i.Source.Regions {
		if r.Owner == trace.Everyone {
			f.add("shared "+r.Name, fmt.Sprintf("%d bytes at %#x", r.Bytes, r.Base))
		}
	}
	if i.Source.HasPC {
		f.add("column", "pc: address of the instruction of each reference")
	}
	if i.Source.HasTime {
		f.add("column", "time: recorded start of each event")
	}
	if i.Source.Seed != 0 {
		f.num("seed", i.Source.Seed)
	}
	if i.Source.Rule != "" {
		f.add("order", i.Source.Rule)
	}
	shown := i.Source.Inputs
	if len(shown) > mostInputs {
		f.add("inputs", fmt.Sprintf("%d files; --format json has the SHA-256 of each", len(shown)))
		shown = nil
	}
	for _, sum := range shown {
		f.add("input sha256", sum)
	}
	for _, n := range i.Source.Notes {
		f.add("note", n)
	}
	f.add("written by", i.Source.Tool)
}

// ProcTable returns a row for each processor.
func (i *Info) ProcTable() *store.Table {
	var procs []int32
	for _, d := range i.Detail {
		procs = append(procs, int32(d.Proc))
	}
	t := &store.Table{Name: "processors", Columns: []store.Column{{Name: "proc", Data: procs}}}
	for _, c := range []struct {
		name, unit string
		of         func(t *amounts) uint64
	}{
		{"instructions", "", func(t *amounts) uint64 { return t.Instr }},
		{"load", "", func(t *amounts) uint64 { return t.ops[trace.Load] }},
		{"store", "", func(t *amounts) uint64 { return t.ops[trace.Store] }},
		{"ifetch", "", func(t *amounts) uint64 { return t.ops[trace.Ifetch] }},
		{"bytes", "B", func(t *amounts) uint64 { return t.Bytes }},
		{"lines64_data", "", func(t *amounts) uint64 { return t.Lines64.Data }},
		{"lines64_ifetch", "", func(t *amounts) uint64 { return t.Lines64.Ifetch }},
		{"pages4096_data", "", func(t *amounts) uint64 { return t.Pages4096.Data }},
		{"events", "", func(t *amounts) uint64 { return t.Events.sum() }},
		{"work", i.Source.WorkUnit, func(t *amounts) uint64 { return uint64(t.Work) }},
		{"sent", "", func(t *amounts) uint64 { return t.Messages.Count }},
		{"sent_bytes", "B", func(t *amounts) uint64 { return uint64(t.Messages.Bytes) }},
		{"received", "", func(t *amounts) uint64 { return t.kinds[trace.Recv] + t.kinds[trace.Irecv] }},
		{"collectives", "", func(t *amounts) uint64 { return t.Collectives.Calls }},
	} {
		values := []uint64{}
		for j := range i.Detail {
			values = append(values, c.of(&i.Detail[j].amounts))
		}
		t.Columns = append(t.Columns, store.Column{Name: c.name, Unit: c.unit, Data: values})
	}
	return t
}
