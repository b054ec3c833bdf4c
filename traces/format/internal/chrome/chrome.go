// Package chrome writes timelines in Chrome's Trace Event Format.
package chrome

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"spoor/traces/format/internal/timeline"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// Chrome writes a timeline as JSON in the Trace Event Format. ui.perfetto.dev and
// chrome://tracing show it. A processor is a thread, each of its events is a complete
// event (X), and each message is an arrow (s, f). Times are in microseconds, with
// picoseconds as decimals. Source: "Trace Event Format", Google, 2016.
type Chrome struct{}

var (
	_ format.Exporter = Chrome{}
)

// Info describes the format.
func (Chrome) Info() format.Info {
	return format.Info{
		Name:    "chrome",
		Aliases: []string{"perfetto"},
		Doc:     "timeline for ui.perfetto.dev and chrome://tracing, JSON (Trace Event Format)",
		Magic:   "not read",
		Example: `  $ traces import data/sample/ring.goal --set unit=1us -o ring
  $ traces export ring --to chrome -o ring.json`,
		Settings: timeline.TimelineSettings,
		Loses:    "references, layouts of buffers, needs",
	}
}

// Export writes a timeline.
func (f Chrome) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	x := chromeWriter{out: out, work: src.Header().WorkUnit}
	if err := x.header(src.Header(), o); err != nil {
		return nil, err
	}
	notes, err := timeline.LayOut(src, f, o, &x)
	if err != nil {
		return nil, err
	}
	if err := x.stateIntervals(o, src.Header().Procs); err != nil {
		return nil, err
	}
	refs, err := timeline.RefsNote(src, o, f.Info().Name)
	if err != nil {
		return nil, err
	}
	notes = append(notes, refs...)
	text, err := json.Marshal(map[string][]string{"notes": notes})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "\n],\"otherData\":%s}\n", text)
	return notes, out.Flush()
}

// chromeWriter writes one event a line.
type chromeWriter struct {
	out     *bufio.Writer
	buf     []byte
	work    trace.WorkUnit
	events  int64
	arrows  int64
	process byte // 0: of events, 1: of intervals
}

// header begins the file and names the processors.
func (x *chromeWriter) header(h trace.Header, o format.ExportOptions) error {
	x.out.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	if err := x.meta("process_name", 0, "name", h.Title()); err != nil {
		return err
	}
	for _, p := range o.Chosen(h.Procs) {
		if err := x.thread(p, p); err != nil {
			return err
		}
	}
	return nil
}

// thread names a thread after a processor.
func (x *chromeWriter) thread(thread, p trace.Proc) error {
	if err := x.meta("thread_name", thread, "name", fmt.Sprintf("processor %d", p)); err != nil {
		return err
	}
	return x.meta("thread_sort_index", thread, "sort_index", int(p))
}

// meta names or orders a thread. encoding/json makes text safe, even within an HTML
// page.
func (x *chromeWriter) meta(name string, p trace.Proc, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	x.begin(name, 'M', p)
	x.buf = append(append(append(append(x.buf, `,"args":{"`...), key...), `":`...), text...)
	x.buf = append(x.buf, '}')
	return x.end()
}

// begin starts an event of a phase.
func (x *chromeWriter) begin(name string, phase byte, p trace.Proc) {
	x.buf = x.buf[:0]
	if x.events > 0 {
		x.buf = append(x.buf, ',')
	}
	x.events++
	x.buf = append(append(append(x.buf, "\n{\"name\":\""...), name...), `","ph":"`...)
	x.buf = append(append(x.buf, phase), `","pid":`...)
	x.buf = append(append(x.buf, '0'+x.process), `,"tid":`...)
	x.buf = strconv.AppendInt(x.buf, int64(p), 10)
}

// micros adds a time.
func (x *chromeWriter) micros(key string, picos int64) {
	const micro = 1_000_000
	x.buf = append(append(append(x.buf, `,"`...), key...), `":`...)
	x.buf = append(strconv.AppendInt(x.buf, picos/micro, 10), '.')
	for digit := int64(micro / 10); digit > 0; digit /= 10 {
		x.buf = append(x.buf, byte('0'+picos/digit%10))
	}
}

func (x *chromeWriter) number(key string, v int64) {
	x.buf = append(append(append(x.buf, `,"`...), key...), `":`...)
	x.buf = strconv.AppendInt(x.buf, v, 10)
}

func (x *chromeWriter) end() error {
	x.buf = append(x.buf, '}')
	_, err := x.out.Write(x.buf)
	return err
}

// chromeCategory returns the category, with which the viewer shows and hides kinds
// together.
func chromeCategory(k trace.Kind) string {
	switch {
	case k == trace.Compute:
		return "compute"
	case k >= trace.Send && k <= trace.Iprobe:
		return "message"
	case k >= trace.Bcast && k <= trace.AllToAll || k == trace.Barrier:
		return "collective"
	case k >= trace.Lock && k <= trace.WaitFlag:
		return "synchronisation"
	}
	return "other"
}

func (x *chromeWriter) Span(p trace.Proc, e *trace.Event, begin, end int64) error {
	instant := e.Kind == trace.Marker || e.Kind == trace.Clock
	if instant {
		x.begin(e.Kind.String(), 'i', p)
		x.buf = append(x.buf, `,"s":"t"`...)
	} else {
		x.begin(e.Kind.String(), 'X', p)
	}
	x.buf = append(append(append(x.buf, `,"cat":"`...), chromeCategory(e.Kind)...), '"')
	x.micros("ts", begin)
	if !instant {
		x.micros("dur", end-begin)
	}
	x.args(e)
	return x.end()
}

// args adds the other properties of an event.
func (x *chromeWriter) args(e *trace.Event) {
	x.buf = append(x.buf, `,"args":{`...)
	at := len(x.buf)
	for _, a := range [...]struct {
		key   string
		value int64
		none  int64
	}{{"peer", int64(e.Peer), -1}, {"tag", int64(e.Tag), -1}, {"group", int64(e.Group), -1}, {"request", int64(e.Request), -1},
		{"bytes", e.Bytes, 0}, {"instructions", int64(e.Instr), 0}, {"work_" + string(x.work), e.Work, 0}} {
		if a.value != a.none {
			x.number(a.key, a.value)
		}
	}
	if len(x.buf) > at { // each begins with a comma
		x.buf = append(x.buf[:at], x.buf[at+1:]...)
	}
	x.buf = append(x.buf, '}')
}

// Delivered writes an arrow. The viewer needs the end of the arrow within the receiving
// event. Therefore the arrow ends a nanosecond before the event.
func (x *chromeWriter) Delivered(m *timeline.Delivery) error {
	const within = 1000
	x.arrows++
	x.begin("message", 's', m.From)
	x.buf = append(x.buf, `,"cat":"message"`...)
	x.number("id", x.arrows)
	x.micros("ts", m.Sent)
	if err := x.end(); err != nil {
		return err
	}
	x.begin("message", 'f', m.To)
	x.buf = append(x.buf, `,"bp":"e","cat":"message"`...)
	x.number("id", x.arrows)
	x.micros("ts", max(m.Posted, m.Taken, m.Received-within, m.Sent))
	return x.end()
}
