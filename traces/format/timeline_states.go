package format

import (
	"iter"

	"spoor/traces/trace"
)

// State is an activity of a processor. The zero State is not valid.
type State uint8

// The states, which are the parts of a simulated time.
const (
	StateCompute State = 1 + iota
	StateOverhead
	StateLatency
	StateContention
	StateWait
)

// states lists the names, and the numbers for Paraver. They are Extrae's numbers if it
// has such a state, because viewers choose colors by them.
var states = [...]struct {
	name    string
	paraver int64
	label   string
}{StateCompute: {"compute", 1, "Running"}, StateOverhead: {"overhead", 7, "Overhead of messages"}, StateLatency: {"latency", 3, "Waiting a message on its way"},
	StateContention: {"contention", 15, "Waiting for ports or links"}, StateWait: {"wait", 9, "Blocked, message not sent yet"}}

// StateInterval is a time that a processor spends in one state, in ps.
type StateInterval struct {
	State      State
	Begin, End int64
}

// StateIntervals returns the intervals of a processor, in the order of time. They do
// not overlap.
type StateIntervals func(trace.Proc) iter.Seq[StateInterval]

// chosenProcs lists the processors to write.
func (o ExportOptions) chosenProcs(all int) (procs []trace.Proc) {
	if len(o.Procs) > 0 {
		return o.Procs
	}
	for p := range all {
		procs = append(procs, trace.Proc(p))
	}
	return procs
}

// stateIntervals writes states instead of running. It omits an interval that is empty
// in nanoseconds. A processor is idle from its end until the last processor ends.
func (x *prvWriter) stateIntervals(o ExportOptions) error {
	procs := o.chosenProcs(len(x.open))
	ended := make([]int64, len(procs))
	for i, p := range procs {
		for s := range o.Simulated.StateIntervals(p) {
			begin, end := x.nanos(s.Begin), x.nanos(s.End)
			if err := x.state(p, begin, end, states[s.State].paraver); err != nil {
				return err
			}
			ended[i] = end
		}
	}
	for i, p := range procs {
		if err := x.state(p, ended[i], x.end, prvIdle); err != nil {
			return err
		}
	}
	return nil
}

// prvIdle is the state of an idle processor.
const prvIdle = 0

// state writes a state, unless it takes no time.
func (x *prvWriter) state(p trace.Proc, begin, end, state int64) error {
	if begin == end {
		return nil
	}
	x.start('1', p)
	x.number(begin)
	x.number(end)
	x.number(state)
	return x.add(begin, prvStates)
}

// stateIntervals writes states as slices of separate threads, in a process next to that
// of the events. Slices of states need not nest in those of events.
func (x *chromeWriter) stateIntervals(o ExportOptions, procs int) error {
	if x.process = 1; o.Simulated == nil {
		return nil
	}
	if err := x.meta("process_name", trace.Proc(procs), "name", "where time goes"); err != nil {
		return err
	}
	for _, p := range o.chosenProcs(procs) {
		thread := trace.Proc(procs) + p // because viewers identify threads by number
		if err := x.thread(thread, p); err != nil {
			return err
		}
		for s := range o.Simulated.StateIntervals(p) {
			x.begin(states[s.State].name, 'X', thread)
			x.buf = append(x.buf, `,"cat":"state"`...)
			x.micros("ts", s.Begin)
			x.micros("dur", s.End-s.Begin)
			if err := x.end(); err != nil {
				return err
			}
		}
	}
	return nil
}
