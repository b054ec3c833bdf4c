// Package timeline lays out the events of a trace in time, for viewers.
package timeline

import (
	"fmt"
	"math"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
	"spoor/traces/unit"
	"strings"
)

// timelineSink receives a trace laid out in time, in ps.
type timelineSink interface {
	// Span is event e of p, from begin to end. The spans of one processor come in the
	// order of their begins; only spans that begin together overlap. An empty Compute
	// is omitted. In a trace without times, the instructions between events come as a
	// Compute whose Instr counts them.
	Span(p trace.Proc, e *trace.Event, begin, end int64) error
	// Delivered is a message that was sent and received. It comes after both spans.
	Delivered(m *Delivery) error
}

// Delivery is a message, from the begin of its send to the end of its receive.
type Delivery struct {
	From, To         trace.Proc
	Tag, group       int32
	Bytes            int64
	Sent, SentEnd    int64
	Posted, Received int64 // begin of the receive; end of the receive or of its wait
	Taken            int64 // begin of the event that received it, if known
}

// TimelineSettings are the costs of the nominal clock.
var TimelineSettings = []format.Setting{
	{Name: "instruction", Default: "1 ns", Doc: "when written, for a trace without times: time of an instruction"},
	{Name: "flop", Default: "1 ns", Doc: "when written, for a trace without times: time of a floating-point operation"},
	{Name: "latency", Default: "1 us", Doc: "when written, for a trace without times: latency of a message, and of a collective per doubling of its members"},
	{Name: "bandwidth", Default: "1 GB/s", Doc: "when written, for a trace without times: bytes of a message sent per second"},
}

// prices are the values of these settings: ps, and ps per byte.
type prices struct{ instr, flop, latency, byte float64 }

// pricesOf reads the settings of f.
func pricesOf(f format.Format, o format.ExportOptions) (c prices, err error) {
	read := func(name, base string) float64 {
		text := o.Setting(f, name)
		v, problem := unit.Parse(text, base)
		if err == nil && (problem != nil || v < 0 || v > 1e12) {
			err = format.BadSetting("%s=%s: write a number and a unit, such as %s", name, text, format.SettingValue(f, nil, name))
		}
		return v
	}
	picos := func(name string) float64 { return math.Round(1e18*read(name, "s")) / 1e6 }
	c.instr, c.flop, c.latency = picos("instruction"), picos("flop"), picos("latency")
	speed := read("bandwidth", "B/s")
	if err == nil && speed == 0 {
		err = format.BadSetting("bandwidth=0: give a bandwidth above 0")
	}
	c.byte = math.Round(1e18/speed) / 1e6
	return c, err
}

// priceList returns the settings as given.
func priceList(f format.Format, o format.ExportOptions) string {
	var all []string
	for _, s := range TimelineSettings {
		all = append(all, s.Name+" "+o.Setting(f, s.Name))
	}
	return strings.Join(all, ", ")
}

// LayOut lays src out in time: at the recorded times, or else on the nominal clock.
// notes say which.
func LayOut(src trace.Source, f format.Format, o format.ExportOptions, sink timelineSink) (notes []string, err error) {
	c, err := pricesOf(f, o)
	if err != nil {
		return nil, err
	}
	sink = selectedProcs(src, o, sink, &notes)
	if o.Simulated != nil {
		return notes, simulatedTimeline(src, o.Simulated, sink)
	}
	if src.Header().HasTime {
		note, err := recordedTimeline(src, sink)
		return append(notes, note...), err
	}
	notes = append(notes, "the trace has no times; the times shown are nominal, not a prediction ("+priceList(f, o)+")")
	note, err := nominalTimeline(src, c, sink)
	return append(notes, note...), err
}

// someProcs passes on the spans and messages of the chosen processors.
type someProcs struct {
	timelineSink
	chosen map[trace.Proc]bool
}

// selectedProcs returns sink for the processors that o chooses.
func selectedProcs(src trace.Source, o format.ExportOptions, sink timelineSink, notes *[]string) timelineSink {
	if len(o.Procs) == 0 {
		return sink
	}
	some := someProcs{sink, map[trace.Proc]bool{}}
	for _, p := range o.Procs {
		some.chosen[p] = true
	}
	if len(some.chosen) < src.Header().Procs {
		*notes = append(*notes, "messages from and to processors that are not chosen are omitted")
	}
	return some
}

func (s someProcs) Span(p trace.Proc, e *trace.Event, begin, end int64) error {
	if !s.chosen[p] {
		return nil
	}
	return s.timelineSink.Span(p, e, begin, end)
}

func (s someProcs) Delivered(m *Delivery) error {
	if !s.chosen[m.From] || !s.chosen[m.To] {
		return nil
	}
	return s.timelineSink.Delivered(m)
}

// Longest is the end of time: 53 days.
const Longest = math.MaxInt64 / 2

// afterPicos returns t plus a duration, or the end of time.
func afterPicos(t int64, picos float64) int64 {
	if picos >= Longest-float64(t) {
		return Longest
	}
	return t + int64(math.Round(picos))
}

// RefsNote returns a note with the number of omitted references.
func RefsNote(src trace.Source, o format.ExportOptions, format string) ([]string, error) {
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
	return []string{fmt.Sprintf("%s has no references: %d omitted", format, n)}, nil
}
