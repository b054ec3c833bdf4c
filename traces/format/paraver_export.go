package format

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"spoor/traces/trace"
)

var (
	_ Exporter = Paraver{}
	_ Tunable  = Paraver{}
)

// Settings are those of the export.
func (Paraver) Settings() []Setting {
	return append([]Setting{{"pcf", "false", "when written: true writes the labels (.pcf) of the exported events instead of the trace"},
		{"row", "false", "when written: true writes the names of processors (.row) instead of the trace"}}, timelineSettings...)
}

// Loses says what of a trace the format cannot express.
func (Paraver) Loses() string {
	return "references, times finer than a nanosecond, amounts of work (only how long it took), layouts of buffers, needs; " +
		"Spoor's own events (types 9100001 to 9100007) carry what only Spoor reads"
}

// Spoor's own types of events. They say all of an event, so that what is exported comes
// back as it was.
const (
	prvOurKind = 9100001 + iota // its number; without an MPI call it begins the event, and 0 ends it
	prvOurPeer
	prvOurTag
	prvOurGroup
	prvOurRequest
	prvOurBytes
	prvOurCount // what a test found
)

// prvNames are the calls of MPI by kind of event: type and value of Paraver's event.
var prvNames = map[trace.Kind]struct {
	id   prvCallID
	name string
}{
	trace.Send: {prvCallID{prvPoint, 1}, "MPI_Send"}, trace.Recv: {prvCallID{prvPoint, 2}, "MPI_Recv"},
	trace.Isend: {prvCallID{prvPoint, 3}, "MPI_Isend"}, trace.Irecv: {prvCallID{prvPoint, 4}, "MPI_Irecv"},
	trace.Wait: {prvCallID{prvPoint, 5}, "MPI_Wait"}, trace.Test: {prvCallID{prvPoint, 39}, "MPI_Test"},
	trace.Probe: {prvCallID{prvPoint, 61}, "MPI_Probe"}, trace.Iprobe: {prvCallID{prvPoint, 62}, "MPI_Iprobe"},
	trace.Bcast: {prvCallID{prvCollective, 7}, "MPI_Bcast"}, trace.Barrier: {prvCallID{prvCollective, 8}, "MPI_Barrier"},
	trace.Reduce: {prvCallID{prvCollective, 9}, "MPI_Reduce"}, trace.AllReduce: {prvCallID{prvCollective, 10}, "MPI_Allreduce"},
	trace.AllToAll: {prvCallID{prvCollective, 12}, "MPI_Alltoallv"}, // whose size is for all members together
	trace.Gather:   {prvCallID{prvCollective, 13}, "MPI_Gather"}, trace.Scatter: {prvCallID{prvCollective, 15}, "MPI_Scatter"},
	trace.AllGather: {prvCallID{prvCollective, 17}, "MPI_Allgather"}, trace.Scan: {prvCallID{prvCollective, 30}, "MPI_Scan"},
}

// Export writes a trace, or its labels.
func (f Paraver) Export(src trace.Source, o ExportOptions, w io.Writer) ([]string, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	for _, other := range []struct {
		name  string
		write func()
	}{{"pcf", func() { writePCF(out) }}, {"row", func() { writeRow(out, src.Header().Procs) }}} {
		switch asked := o.Setting(f, other.name); asked {
		case "true":
			other.write()
			return nil, out.Flush()
		case "false":
		default:
			return nil, badSetting("%s=%s: it is true or false", other.name, asked)
		}
	}
	x := prvWriter{spelt: o.Simulated != nil, lines: sortedLines{limit: sortedBytes}, open: make([]prvOpenCall, src.Header().Procs), groups: map[int32]map[trace.Proc]bool{}, ids: map[int32]int64{trace.None: 1}}
	defer x.lines.close()
	notes, err := timeline(src, f, o, &x)
	if err == nil {
		err = x.leaveAll()
	}
	if err == nil && x.spelt {
		err = x.spells(o)
	}
	if err == nil {
		err = x.write(out)
	}
	if err != nil {
		return nil, err
	}
	refs, err := refsNote(src, o, f.Name())
	if err != nil {
		return nil, err
	}
	if x.rounded > 0 {
		notes = append(notes, fmt.Sprintf("%d times rounded down to nanoseconds", x.rounded))
	}
	return append(notes, refs...), out.Flush()
}

// refsNote says how many references are left out.
func refsNote(src trace.Source, o ExportOptions, format string) ([]string, error) {
	var n uint64
	procs := o.Procs
	if len(procs) == 0 {
		for p := range src.Header().Procs {
			procs = append(procs, trace.Proc(p))
		}
	}
	known, counted := src.(interface {
		Totals(trace.Proc) trace.Totals
	})
	for _, p := range procs {
		if counted {
			n += known.Totals(p).Refs
			continue
		}
		for b, err := range src.Refs(p) {
			if err != nil {
				return nil, err
			}
			n += uint64(b.Len())
		}
	}
	if n == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("%s has no references: %d were left out", format, n)}, nil
}

// prvWriter makes the records of a timeline.
type prvWriter struct {
	lines   sortedLines
	buf     []byte
	open    []prvOpenCall // by processor
	groups  map[int32]map[trace.Proc]bool
	ids     map[int32]int64 // of communicators
	end     int64           // ns
	rounded int64
	spelt   bool // states come of their own
}

// prvOpenCall is an event of which the end has not been written, as the next may cut it.
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

// The order of records of one time.
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
	return x.lines.add(time, kind, x.buf)
}

func (x *prvWriter) span(p trace.Proc, e *trace.Event, begin, end int64) error {
	if err := x.leave(p, begin); err != nil {
		return err
	}
	if e.Kind == trace.Compute && x.spelt {
		return nil
	}
	from := x.nanos(begin)
	if e.Kind == trace.Compute {
		x.start('1', p)
		x.number(from)
		x.number(x.nanos(end))
		x.number(states[StateCompute].paraver)
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

// collective adds the details that Extrae gives.
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

// comm is the number of a communicator, from 2 in the order of their first use.
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

// leave ends what p does, before or at limit.
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
		if err := x.leave(trace.Proc(p), longest); err != nil {
			return err
		}
	}
	return nil
}

func (x *prvWriter) delivered(m *delivery) error {
	sent := x.nanos(m.sent)
	x.start('3', m.from)
	x.number(sent)
	x.number(x.nanos(m.sentEnd))
	x.buf = append(x.buf, ":0:1"...)
	x.number(int64(m.to) + 1)
	x.number(1)
	x.number(x.nanos(m.posted))
	x.number(x.nanos(m.received))
	x.number(m.bytes)
	x.number(int64(max(0, m.tag)))
	return x.add(sent, prvMessages)
}

// write writes everything. The date is that of no day, as the trace knows none.
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
	return x.lines.writeTo(out)
}

// writeRow writes the names of what Export writes: processors are tasks of one thread.
func writeRow(out *bufio.Writer, procs int) {
	for i, level := range [...]string{"TASK", "THREAD"} {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "LEVEL %s SIZE %d\n", level, procs)
		for p := range procs {
			fmt.Fprintf(out, "processor %d\n", p)
		}
	}
}

// writePCF writes the labels of what Export writes.
func writePCF(out *bufio.Writer) {
	out.WriteString("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nSTATES\n0    Idle\n")
	for _, s := range states[StateCompute:] {
		fmt.Fprintf(out, "%d    %s\n", s.paraver, s.label)
	}
	for _, t := range []struct {
		typ  int64
		name string
	}{{prvPoint, "MPI Point-to-point"}, {prvCollective, "MPI Collective Comm"}, {prvOurKind, "Spoor event"}} {
		fmt.Fprintf(out, "\nEVENT_TYPE\n9    %d    %s\nVALUES\n0   Outside\n", t.typ, t.name)
		for _, k := range trace.Kinds {
			switch call := prvNames[k]; {
			case t.typ == prvOurKind:
				fmt.Fprintf(out, "%d   %s\n", k, k)
			case call.id.typ == t.typ:
				fmt.Fprintf(out, "%d   %s\n", call.id.value, call.name)
			}
		}
	}
	for _, t := range []struct {
		typ  int64
		name string
	}{{prvSent, "Send Size in MPI Global OP"}, {prvReceived, "Recv Size in MPI Global OP"}, {prvRoot, "Root in MPI Global OP"},
		{prvOfComm, "Communicator in MPI Global OP"}, {prvOurPeer, "Spoor peer"}, {prvOurTag, "Spoor tag"}, {prvOurGroup, "Spoor group"},
		{prvOurRequest, "Spoor request"}, {prvOurBytes, "Spoor bytes"}, {prvOurCount, "Spoor count"}} {
		fmt.Fprintf(out, "\nEVENT_TYPE\n9    %d    %s\n", t.typ, t.name)
	}
}
