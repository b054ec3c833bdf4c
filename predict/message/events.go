package message

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/marshal"
	"spoor/calibrate/fit/marshalling"
	"spoor/calibrate/fit/timing"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Traffic is the messages of a recorded program, by processor, in classes of equal layout.
type Traffic struct {
	of       [][]class // by processor
	warnings []error
}

// class is messages of one processor that are alike.
type class struct {
	receives bool
	messages float64
	bytes    int64 // of one
	features marshalling.Features
}

// Events counts the lines and pages that the messages of a trace touch, with the buffers that they have there.
func Events(ctx context.Context, src trace.Source, line, page unit.Bytes) (*Traffic, error) {
	sizes := []unit.Bytes{min(line, page), max(line, page)}
	results, err := analysis.Run(ctx, src, analysis.Options{}, &marshal.Analysis{Lines: slices.Compact(sizes)})
	if err != nil {
		return nil, err
	}
	return newTraffic(results[0].Full, src.Header().Procs, line, page)
}

// columnsOf are columns of a table of marshal.
type columnsOf struct {
	proc                                    []int32
	kind                                    []string
	line, bytes, count, block, lower, upper []int64
	stride, offset                          []int64
	messages, placed, mlt                   []uint64
	expected                                []float64
}

func take[T int32 | int64 | uint64 | float64 | string](t *store.Table, name string, into *[]T, errs *[]error) {
	data, err := store.Data[T](t, name)
	*into, *errs = data, append(*errs, err)
}

func read(t *store.Table) (c columnsOf, err error) {
	var errs []error
	take(t, "proc", &c.proc, &errs)
	take(t, "kind", &c.kind, &errs)
	for name, into := range map[string]*[]int64{"line": &c.line, "bytes": &c.bytes, "count": &c.count, "block": &c.block,
		"stride": &c.stride, "offset": &c.offset, "lower": &c.lower, "upper": &c.upper} {
		take(t, name, into, &errs)
	}
	take(t, "messages", &c.messages, &errs)
	take(t, "placed", &c.placed, &errs)
	take(t, "mlt", &c.mlt, &errs)
	take(t, "expected", &c.expected, &errs)
	return c, errors.Join(errs...)
}

// layout tells classes apart that are of one line size: a class of lines is one of pages or several.
type layout struct {
	proc                        int32
	kind                        string
	bytes, count, block, stride int64
}

// newTraffic takes the classes of a table of marshal. Pages are the mean over messages that differ in the address alone.
func newTraffic(t *store.Table, procs int, line, page unit.Bytes) (*Traffic, error) {
	c, err := read(t)
	if err != nil {
		return nil, err
	}
	out := &Traffic{of: make([][]class, procs)}
	pages := map[layout][2]float64{} // messages and pages
	for i := range c.proc {
		if c.line[i] == int64(page) {
			key := c.layout(i)
			sum := pages[key]
			pages[key] = [2]float64{sum[0] + float64(c.messages[i]), sum[1] + c.touched(i)}
		}
	}
	whole, any := 0.0, false
	for i := range c.proc {
		if c.line[i] != int64(line) {
			continue
		}
		n := float64(c.messages[i])
		one := class{messages: n, bytes: c.bytes[i]}
		one.features = marshalling.Features{N: float64(c.bytes[i]), Exact: c.touched(i) / n, MLT: c.paper(i)}
		sum := pages[c.layout(i)]
		one.features.Pages = sum[1] / sum[0]
		one.features.Runs = float64(c.count[i])
		one.features.Space = one.features.Exact*float64(line) + one.features.N
		switch c.kind[i] {
		case trace.Send.String(), trace.Isend.String():
		case trace.Recv.String(), trace.Irecv.String(), trace.Wait.String(), trace.Test.String():
			one.receives = true
		default:
			whole += n
			continue
		}
		out.of[c.proc[i]], any = append(out.of[c.proc[i]], one), true
	}
	if whole > 0 {
		out.warnings = append(out.warnings, fmt.Errorf("%.0f calls of collectives that are recorded whole are left out: which messages they send is not in the trace", whole))
	}
	if !any {
		return nil, errors.New("the trace has no messages between two processors; those of programs that share memory are their references")
	}
	return out, nil
}

func (c *columnsOf) layout(i int) layout {
	return layout{c.proc[i], c.kind[i], c.bytes[i], c.count[i], c.block[i], c.stride[i]}
}

// touched is the lines of all messages of a row: exactly where addresses are known, else their means over addresses.
func (c *columnsOf) touched(i int) float64 {
	placed, n := float64(c.placed[i]), float64(c.messages[i])
	return float64(c.mlt[i]) + c.expected[i]*(n-placed)/n
}

// paper is the mean of the bounds for one message, or of the lines if there are no bounds.
func (c *columnsOf) paper(i int) float64 {
	if c.lower[i] >= 0 {
		return (float64(c.lower[i]) + float64(c.upper[i])) / 2
	}
	return c.expected[i] / float64(c.messages[i])
}

// Share is what the messages of a processor cost.
type Share struct {
	Proc           int
	Sent, Received Prediction // of no messages: the zero Prediction
}

// InStep is the time if whatever the processor sends and receives goes on at the same time, as in shifts.
func (s Share) InStep() unit.Seconds { return max(s.Sent.Time, s.Received.Time) }

// Apart is the time if nothing does, as in a game of ping-pong.
func (s Share) Apart() unit.Seconds { return s.Sent.Time + s.Received.Time }

// AtLeast is the time if all messages are under way at once, and what one takes however long it is, is waited for once. Of the bytes and lines
// of a message half is the work of either end.
func (s Share) AtLeast() unit.Seconds {
	one, rest := unit.Seconds(0), unit.Seconds(0)
	for _, p := range []Prediction{s.Sent, s.Received} {
		if p.Messages > 0 {
			fixed := min(max(0, p.Fixed), p.Time)
			one = max(one, fixed/unit.Seconds(p.Messages))
			rest += (p.Time - fixed) / 2
		}
	}
	return min(s.InStep(), one+rest)
}

// Lo is AtLeast with coefficients and errors of the model at the low ends of their intervals; not a number if nothing is known of these.
func (s Share) Lo() unit.Seconds {
	share := unit.Seconds(1)
	for _, p := range []Prediction{s.Sent, s.Received} {
		if p.Messages > 0 {
			share = min(share, p.Lo/p.Time)
		}
	}
	return share * s.AtLeast()
}

// Traffic predicts the messages of every processor, sent and received, each with its own buffer: of every message, whoever
// sends it and whoever receives it are charged with all of it, for both have to do with it until it is there.
func (l *Laws) Traffic(t *Traffic) (out []Share, err error) {
	for p, of := range t.of {
		s := Share{Proc: p}
		if s.Sent, err = l.classes(p, of, false); err != nil {
			return nil, err
		}
		if s.Received, err = l.classes(p, of, true); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// classes is what a processor sends, or receives; the zero Prediction of nothing.
func (l *Laws) classes(proc int, of []class, receives bool) (Prediction, error) {
	e := newEstimate(l, fmt.Sprintf("processor %d", proc))
	for i := range of {
		if of[i].receives != receives {
			continue
		}
		if err := e.add(timing.Transfer, of[i].messages, &of[i].features, of[i].bytes); err != nil {
			return Prediction{}, err
		}
	}
	if e.p.Messages == 0 {
		return Prediction{}, nil
	}
	return e.prediction()
}

// Busiest is the processor whose messages take longest, in step and apart.
func Busiest(all []Share) (inStep, apart unit.Seconds) {
	for _, s := range all {
		inStep, apart = unit.Seconds(math.Max(float64(inStep), float64(s.InStep()))), unit.Seconds(math.Max(float64(apart), float64(s.Apart())))
	}
	return inStep, apart
}

// Warnings are warnings about the trace.
func (t *Traffic) Warnings() []error { return t.warnings }
