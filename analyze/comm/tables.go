package comm

import (
	"fmt"
	"slices"
	"strconv"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// column applies a function to every item.
func column[S, T any](items []S, of func(S) T) []T {
	out := make([]T, len(items))
	for i, x := range items {
		out[i] = of(x)
	}
	return out
}

// matrixTable returns a row for every pair and kind.
func (f *findings) matrixTable(meta []trace.Arg) *store.Table {
	all := f.matrix.sorted()
	return &store.Table{Name: "comm", Meta: meta, Columns: []store.Column{
		{Name: "from", Data: column(all, func(e entry) int32 { return int32(e.Key.from) })},
		{Name: "to", Data: column(all, func(e entry) int32 { return int32(e.Key.to) })},
		{Name: "kind", Data: column(all, func(e entry) string { return e.Key.kind.String() })},
		{Name: "messages", Data: column(all, func(e entry) uint64 { return e.Value.messages })},
		{Name: "bytes", Unit: "B", Data: column(all, func(e entry) uint64 { return e.Value.bytes })},
		{Name: "least", Unit: "B", Data: column(all, func(e entry) uint64 { return uint64(e.Value.least) })},
		{Name: "most", Unit: "B", Data: column(all, func(e entry) uint64 { return uint64(e.Value.most) })},
	}}
}

// sizeTable returns a row for every kind and size class.
func (f *findings) sizeTable(meta []trace.Arg) *store.Table {
	var kinds []string
	var least, most, messages, bytes []uint64
	for _, s := range f.matrix.sortedSizes() {
		top := uint64(1)<<s.Key.class - 1
		kinds = append(kinds, s.Key.kind.String())
		least, most = append(least, top-top/2), append(most, top)
		messages, bytes = append(messages, s.Value.messages), append(bytes, s.Value.bytes)
	}
	return &store.Table{Name: "comm_sizes", Meta: meta, Columns: []store.Column{
		{Name: "kind", Data: kinds}, {Name: "least", Unit: "B", Data: least}, {Name: "most", Unit: "B", Data: most},
		{Name: "messages", Data: messages}, {Name: "bytes", Unit: "B", Data: bytes},
	}}
}

// procTable returns a row for every processor.
func (f *findings) procTable(meta []trace.Arg) *store.Table {
	type sums struct {
		cell     // sent
		received uint64
		partners uint64
	}
	of := make([]sums, f.procs)
	var last pair
	for i, e := range f.matrix.sorted() {
		from := &of[e.Key.from]
		from.join(&e.Value)
		if i == 0 || e.Key.from != last.from || e.Key.to != last.to {
			from.partners++
		}
		of[e.Key.to].received += e.Value.bytes
		last = e.Key
	}
	calls := func(s *shard) (n uint64) {
		for _, c := range s.calls.Rows() {
			n += c.Value.calls
		}
		return n
	}
	return &store.Table{Name: "comm_procs", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: column(f.shards, func(s *shard) int32 { return int32(s.proc) })},
		{Name: "work", Unit: f.name, Data: column(f.shards, f.worked)},
		{Name: "messages", Data: column(f.shards, func(s *shard) uint64 { return of[s.proc].messages })},
		{Name: "sent", Unit: "B", Data: column(f.shards, func(s *shard) uint64 { return of[s.proc].bytes })},
		{Name: "received", Unit: "B", Data: column(f.shards, func(s *shard) uint64 { return of[s.proc].received })},
		{Name: "partners", Data: column(f.shards, func(s *shard) uint64 { return of[s.proc].partners })},
		{Name: "receives", Data: column(f.shards, func(s *shard) uint64 { return s.receives })},
		{Name: "collectives", Data: column(f.shards, calls)},
	}}
}

// collectiveTable returns a row for every group, kind and root of collectives.
func (f *findings) collectiveTable(meta []trace.Arg) *store.Table {
	all := sortedCalls(f.calls)
	return &store.Table{Name: "comm_collectives", Meta: meta, Columns: []store.Column{
		{Name: "group", Data: column(all, func(c collective) int32 { return c.group })},
		{Name: "kind", Data: column(all, func(c collective) string { return c.kind.String() })},
		{Name: "root", Data: column(all, func(c collective) int32 { return c.root })},
		{Name: "members", Data: column(all, func(c collective) uint64 { return f.calls[c].members })},
		{Name: "calls", Data: column(all, func(c collective) uint64 { return f.calls[c].calls })},
		{Name: "bytes", Unit: "B", Data: column(all, func(c collective) uint64 { return f.calls[c].bytes })},
	}}
}

// pathTable returns the critical path, if there is one.
func (f *findings) pathTable(a *Analysis) *store.Table {
	var rows []path
	if f.path != nil && slices.ContainsFunc(f.shards, func(s *shard) bool { return s.events > 0 }) {
		rows = []path{f.path.longest}
	}
	return &store.Table{Name: "comm_path", Meta: a.Meta, Columns: []store.Column{
		{Name: "message_cost", Unit: f.name, Data: column(rows, func(path) uint64 { return a.Costs.Message })},
		{Name: "byte_cost", Unit: f.name, Data: column(rows, func(path) float64 { return a.Costs.Byte })},
		{Name: "length", Unit: f.name, Data: column(rows, func(p path) uint64 { return p.length })},
		{Name: "work", Unit: f.name, Data: column(rows, func(p path) uint64 { return p.work })},
		{Name: "messages", Data: column(rows, func(p path) uint64 { return p.messages })},
		{Name: "bytes", Unit: "B", Data: column(rows, func(p path) uint64 { return p.bytes })},
		{Name: "proc", Data: column(rows, func(path) int32 { return int32(f.path.ends) })},
		{Name: "total", Unit: f.name, Data: column(rows, func(path) uint64 { return f.total })},
		{Name: "parallelism", Data: column(rows, func(p path) float64 { return float64(f.total) / float64(max(1, p.length)) })},
		{Name: "released", Data: column(rows, func(path) uint64 { return f.path.released })},
	}}
}

// networkTable returns a row for every topology.
func (f *findings) networkTable(a *Analysis) *store.Table {
	ends := func(t Traffic, to bool) int32 {
		from, node, _ := t.Net.Ends(t.Busiest)
		if to {
			return int32(node)
		}
		return int32(from)
	}
	return &store.Table{Name: "comm_networks", Meta: a.Meta, Columns: []store.Column{
		{Name: "network", Data: column(f.traffic, func(t Traffic) string { return t.Net.Name() })},
		{Name: "hops", Unit: "links", Data: column(f.traffic, func(t Traffic) float64 { return t.Hops })},
		{Name: "neighbours", Data: column(f.traffic, func(t Traffic) float64 { return t.Neighbours })},
		{Name: "from", Data: column(f.traffic, func(t Traffic) int32 { return ends(t, false) })},
		{Name: "to", Data: column(f.traffic, func(t Traffic) int32 { return ends(t, true) })},
		{Name: "messages", Data: column(f.traffic, func(t Traffic) uint64 { return t.MostMessages })},
		{Name: "bytes", Unit: "B", Data: column(f.traffic, func(t Traffic) uint64 { return t.MostBytes })},
		{Name: "traffic_gap", Unit: "messages", Data: column(f.traffic, func(t Traffic) float64 { return t.Gap() })},
		{Name: "bisection_gap", Unit: "messages", Data: column(f.traffic, func(t Traffic) float64 { return BisectionGap(t.Net) })},
		{Name: "traffic_time", Unit: "s", Data: column(f.traffic, func(t Traffic) float64 { return t.gapTime(a.Bandwidth) })},
		{Name: "bisection_time", Unit: "s", Data: column(f.traffic, func(t Traffic) float64 { return t.bisectionTime(a.Bandwidth) })},
	}}
}

// summary returns the table for people.
func (f *findings) summary(a *Analysis) *store.Table {
	var names, values, units []string
	say := func(name, unit string, value any) {
		text := fmt.Sprint(value)
		if x, is := value.(float64); is {
			text = strconv.FormatFloat(x, 'g', 4, 64)
		}
		names, values, units = append(names, name), append(values, text), append(units, unit)
	}
	all := f.matrix.total
	say("messages", "", all.messages)
	if all.messages > 0 {
		say("bytes", "B", all.bytes)
		say("bytes of a message", "B", float64(all.bytes)/float64(all.messages))
		say("work for a message", f.name, float64(f.total)/float64(all.messages))
		say("work for a byte", f.name, float64(f.total)/float64(max(1, all.bytes)))
	}
	say("work", f.name, f.total)
	if f.path != nil {
		p := f.path.longest
		say("critical path", f.name, p.length)
		say("messages on it", "", p.messages)
		say("parallelism", "", float64(f.total)/float64(max(1, p.length)))
	}
	for _, t := range f.traffic {
		say(t.Net.Name()+": hops of a message", "links", t.Hops)
		say(t.Net.Name()+": gap by traffic", "messages", t.Gap())
		say(t.Net.Name()+": gap by bisection", "messages", BisectionGap(t.Net))
	}
	return &store.Table{Name: "comm summary", Meta: slices.Clone(a.Meta), Columns: []store.Column{
		{Name: "what", Data: names}, {Name: "value", Data: values}, {Name: "unit", Data: units}}}
}
