package paraver

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"spoor/traces/format/internal/export"
	"spoor/traces/format/internal/timeline"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

var (
	_ format.Exporter = Paraver{}
)

// Export writes a trace, or its labels.
func (f Paraver) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	for _, other := range []struct {
		name  string
		write func()
	}{{"pcf", func() { writePCF(out) }}, {"row", func() { writeRow(out, src.Header().Procs) }}} {
		switch answer := o.Setting(f, other.name); answer {
		case "true":
			other.write()
			return nil, out.Flush()
		case "false":
		default:
			return nil, format.BadSetting("%s=%s: choose true or false", other.name, answer)
		}
	}
	x := prvWriter{hasStates: o.Simulated != nil, lines: export.SortedLines{Limit: export.SortedBytes}, open: make([]prvOpenCall, src.Header().Procs), groups: map[int32]map[trace.Proc]bool{}, ids: map[int32]int64{trace.None: 1}}
	defer x.lines.Close()
	notes, err := timeline.LayOut(src, f, o, &x)
	if err == nil {
		err = x.leaveAll()
	}
	if err == nil && x.hasStates {
		err = x.stateIntervals(o)
	}
	if err == nil {
		err = x.write(out)
	}
	if err != nil {
		return nil, err
	}
	refs, err := timeline.RefsNote(src, o, f.Info().Name)
	if err != nil {
		return nil, err
	}
	if x.rounded > 0 {
		notes = append(notes, fmt.Sprintf("%d times rounded down to nanoseconds", x.rounded))
	}
	return append(notes, refs...), out.Flush()
}

// prvWriter makes the records of a timeline.
type prvWriter struct {
	lines     export.SortedLines
	buf       []byte
	open      []prvOpenCall // by processor
	groups    map[int32]map[trace.Proc]bool
	ids       map[int32]int64 // of communicators
	end       int64           // ns
	rounded   int64
	hasStates bool // states come from Simulated.States
}

// prvOpenCall is an event whose end is not written yet, because the next event may
// shorten it.
type prvOpenCall struct {
	typ int64 // 0: none
	end int64 // ps
}

func (x *prvWriter) nanos(picos int64) int64 {
	const nano = 1000
	if picos%nano != 0 {
		x.rounded++
	}
	x.end = max(x.end, picos/nano)
	return picos / nano
}

// The order of records of the same time.
const (
	prvStates = iota
	prvEvents
	prvMessages
)

// start begins a record of the first thread of p, on no cpu.
func (x *prvWriter) start(kind byte, p trace.Proc) {
	x.buf = append(x.buf[:0], kind, ':', '0', ':', '1')
	x.number(int64(p) + 1)
	x.number(1)
}

func (x *prvWriter) number(v int64) { x.buf = strconv.AppendInt(append(x.buf, ':'), v, 10) }

func (x *prvWriter) add(time, kind int64) error {
	x.buf = append(x.buf, '\n')
	return x.lines.Add(time, kind, x.buf)
}

func (x *prvWriter) Span(p trace.Proc, e *trace.Event, begin, end int64) error {
	if err := x.leave(p, begin); err != nil {
		return err
	}
	if e.Kind == trace.Compute && x.hasStates {
		return nil
	}
	from := x.nanos(begin)
	if e.Kind == trace.Compute {
		x.start('1', p)
		x.number(from)
		x.number(x.nanos(end))
		x.number(timeline.States[format.StateCompute].Paraver)
		return x.add(from, prvStates)
	}
	x.start('2', p)
	x.number(from)
	call := prvNames[e.Kind]
	x.open[p] = prvOpenCall{prvOurKind, end}
	if call.name != "" {
		x.pair(call.id.typ, call.id.value)
		x.open[p].typ = call.id.typ
	}
	x.pair(prvOurKind, int64(e.Kind))
	for _, d := range [...]struct{ typ, value int64 }{{prvOurPeer, int64(e.Peer)}, {prvOurTag, int64(e.Tag)}, {prvOurGroup, int64(e.Group)},
		{prvOurRequest, int64(e.Request)}, {prvOurBytes, e.Bytes - 1}, {prvOurCount, e.Count - 1}} {
		if d.value >= 0 {
			if d.typ >= prvOurBytes {
				d.value++
			}
			x.pair(d.typ, d.value)
		}
	}
	if call.id.typ == prvCollective {
		x.collective(p, e)
	}
	x.member(e.Group, p)
	return x.add(from, prvEvents)
}

func (x *prvWriter) pair(typ, value int64) {
	x.number(typ)
	x.number(value)
}

// collective adds Extrae's properties of a collective.
func (x *prvWriter) collective(p trace.Proc, e *trace.Event) {
	root := e.Kind != trace.Barrier && e.Peer == int32(p)
	sends, receives := true, true
	switch e.Kind {
	case trace.Bcast:
		sends, receives = root, !root
	case trace.Reduce:
		sends, receives = !root, root
	case trace.Gather, trace.AllGather:
		receives = false
	case trace.Scatter:
		sends = false
	}
	size := map[bool]int64{true: e.Bytes}
	x.pair(prvSent, size[sends])
	x.pair(prvReceived, size[receives])
	x.pair(prvOfComm, x.comm(e.Group))
	if root {
		x.pair(prvRoot, 1)
	}
}

// comm returns the number of a communicator, from 2 in the order of first use.
func (x *prvWriter) comm(group int32) int64 {
	id := x.ids[group]
	if id == 0 {
		id = int64(len(x.ids)) + 1
		x.ids[group] = id
	}
	return id
}

func (x *prvWriter) member(group int32, p trace.Proc) {
	if group == trace.None {
		return
	}
	x.comm(group)
	if x.groups[group] == nil {
		x.groups[group] = map[trace.Proc]bool{}
	}
	x.groups[group][p] = true
}

// leave ends the current event of p, before or at limit.
func (x *prvWriter) leave(p trace.Proc, limit int64) error {
	call := x.open[p]
	if call.typ == 0 {
		return nil
	}
	x.open[p].typ = 0
	x.start('2', p)
	at := x.nanos(min(call.end, limit))
	x.number(at)
	x.pair(call.typ, 0)
	return x.add(at, prvEvents)
}

func (x *prvWriter) leaveAll() error {
	for p := range x.open {
		if err := x.leave(trace.Proc(p), timeline.Longest); err != nil {
			return err
		}
	}
	return nil
}

func (x *prvWriter) Delivered(m *timeline.Delivery) error {
	sent := x.nanos(m.Sent)
	x.start('3', m.From)
	x.number(sent)
	x.number(x.nanos(m.SentEnd))
	x.buf = append(x.buf, ":0:1"...)
	x.number(int64(m.To) + 1)
	x.number(1)
	x.number(x.nanos(m.Posted))
	x.number(x.nanos(m.Received))
	x.number(m.Bytes)
	x.number(int64(max(0, m.Tag)))
	return x.add(sent, prvMessages)
}

// write writes everything. The date is fixed, because the trace has none.
func (x *prvWriter) write(out *bufio.Writer) error {
	procs := len(x.open)
	fmt.Fprintf(out, "#Paraver (01/01/1970 at 00:00):%d_ns:0:1:%d(", x.end, procs)
	for p := range procs {
		if p > 0 {
			out.WriteByte(',')
		}
		out.WriteString("1:0")
	}
	fmt.Fprintf(out, "),%d\nc:1:1:%d", len(x.groups)+1, procs)
	for p := range procs {
		fmt.Fprintf(out, ":%d", p+1)
	}
	out.WriteByte('\n')
	for _, group := range slices.SortedFunc(maps.Keys(x.groups), func(a, b int32) int { return int(x.ids[a] - x.ids[b]) }) {
		fmt.Fprintf(out, "c:1:%d:%d", x.ids[group], len(x.groups[group]))
		for _, p := range slices.Sorted(maps.Keys(x.groups[group])) {
			fmt.Fprintf(out, ":%d", p+1)
		}
		out.WriteByte('\n')
	}
	return x.lines.WriteTo(out)
}
