package message

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/marshal"
	"spoor/calibrate/packing"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Traffic is the messages of a recorded program, by processor, in classes of equal layout.
type Traffic struct {
	of       [][]class // classes by processor
	warnings []error
}

// class is messages of one processor with equal features.
type class struct {
	receives bool
	messages float64
	bytes    int64 // bytes of one message
	features packing.Features
}

// Events counts the lines and pages that the messages of a trace touch in their buffers.
func Events(ctx context.Context, src trace.Source, line, page unit.Bytes) (*Traffic, error) {
	sizes := []unit.Bytes{min(line, page), max(line, page)}
	results, err := analysis.Run(ctx, src, analysis.Options{}, &marshal.Analysis{Lines: slices.Compact(sizes)})
	if err != nil {
		return nil, err
	}
	return newTraffic(results[0].Full, src.Header().Procs, line, page)
}

// columnsOf is the columns of a table of analysis marshal.
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

// layout identifies a class of one line size. A class of lines corresponds to one or several classes of pages.
type layout struct {
	proc                        int32
	kind                        string
	bytes, count, block, stride int64
}

// newTraffic reads the classes from a table of analysis marshal. The pages of a class are the mean over
// messages that differ only in their address.
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
		one.features = packing.Features{N: float64(c.bytes[i]), Exact: c.touched(i) / n, MLT: c.paper(i)}
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
		out.warnings = append(out.warnings, fmt.Errorf("%.0f calls of collectives are left out, because the trace does not contain their messages", whole))
	}
	if !any {
		return nil, errors.New("the trace has no messages between two processors; programs with shared memory have references instead")
	}
	return out, nil
}

func (c *columnsOf) layout(i int) layout {
	return layout{c.proc[i], c.kind[i], c.bytes[i], c.count[i], c.block[i], c.stride[i]}
}

// touched returns the lines of all messages of a row: exact where addresses are known, otherwise the mean over
// addresses.
func (c *columnsOf) touched(i int) float64 {
	placed, n := float64(c.placed[i]), float64(c.messages[i])
	return float64(c.mlt[i]) + c.expected[i]*(n-placed)/n
}

// paper returns the mean of the bounds for one message, or of the lines if there are no bounds.
func (c *columnsOf) paper(i int) float64 {
	if c.lower[i] >= 0 {
		return (float64(c.lower[i]) + float64(c.upper[i])) / 2
	}
	return c.expected[i] / float64(c.messages[i])
}

// Share is the cost of the messages of a processor.
type Share struct {
	Proc           int
	Sent, Received Prediction // zero without messages
}

// inStep returns the time if sends and receives of the processor overlap fully, as in shifts.
func (s Share) inStep() unit.Seconds { return max(s.Sent.Time, s.Received.Time) }

// apart returns the time if nothing overlaps, as in a ping-pong.
func (s Share) apart() unit.Seconds { return s.Sent.Time + s.Received.Time }

// atLeast returns the time if all messages are in flight at once, so that the fixed time of a message counts
// once. Half of the time for bytes and lines of a message is the work of either end.
func (s Share) atLeast() unit.Seconds {
	one, rest := unit.Seconds(0), unit.Seconds(0)
	for _, p := range []Prediction{s.Sent, s.Received} {
		if p.Messages > 0 {
			fixed := min(max(0, p.Fixed), p.Time)
			one = max(one, fixed/unit.Seconds(p.Messages))
			rest += (p.Time - fixed) / 2
		}
	}
	return min(s.inStep(), one+rest)
}

// lo returns atLeast with the low ends of the intervals of coefficients and errors. It is NaN if these are not
// known.
func (s Share) lo() unit.Seconds {
	share := unit.Seconds(1)
	for _, p := range []Prediction{s.Sent, s.Received} {
		if p.Messages > 0 {
			share = min(share, p.Lo/p.Time)
		}
	}
	return share * s.atLeast()
}

// Traffic predicts the messages of every processor, sent and received, each with its own buffer. Sender and
// receiver are both charged the whole message, because both are involved until it has arrived.
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

// classes returns the cost of what a processor sends, or receives. Without messages it is the zero Prediction.
func (l *Laws) classes(proc int, of []class, receives bool) (Prediction, error) {
	e := newEstimate(l, fmt.Sprintf("processor %d", proc))
	for i := range of {
		if of[i].receives != receives {
			continue
		}
		if err := e.add(packing.Transfer, of[i].messages, &of[i].features, of[i].bytes); err != nil {
			return Prediction{}, err
		}
	}
	if e.p.Messages == 0 {
		return Prediction{}, nil
	}
	return e.prediction()
}

// busiest returns the longest times of any processor, in step and apart.
func busiest(all []Share) (inStep, apart unit.Seconds) {
	for _, s := range all {
		inStep, apart = unit.Seconds(math.Max(float64(inStep), float64(s.inStep()))), unit.Seconds(math.Max(float64(apart), float64(s.apart())))
	}
	return inStep, apart
}

// Warnings returns the warnings about the trace.
func (t *Traffic) Warnings() []error { return t.warnings }
