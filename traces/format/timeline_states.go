package format

import (
	"iter"

	"spoor/traces/trace"
)

// State is what a processor's time is spent on. The zero State is not legal.
type State uint8

// The states: the parts of the time of a simulation.
const (
	StateCompute State = 1 + iota
	StateOverhead
	StateLatency
	StateContention
	StateWait
)

// states are their names, and what they are for Paraver: Extrae's numbers, where it has such a state, as viewers color by them.
var states = [...]struct {
	name    string
	paraver int64
	label   string
}{StateCompute: {"compute", 1, "Running"}, StateOverhead: {"overhead", 7, "Overhead of messages"}, StateLatency: {"latency", 3, "Waiting a message on its way"},
	StateContention: {"contention", 15, "Waiting for ports or links"}, StateWait: {"wait", 9, "Blocked, message not sent yet"}}

// Spell is a time that a processor spends on one thing, in ps.
type Spell struct {
	State      State
	Begin, End int64
}

// Spells are those of a processor, in the order of time. They do not overlap.
type Spells func(trace.Proc) iter.Seq[Spell]

// chosenProcs are the processors to write.
func (o ExportOptions) chosenProcs(all int) (procs []trace.Proc) {
	if len(o.Procs) > 0 {
		return o.Procs
	}
	for p := range all {
		procs = append(procs, trace.Proc(p))
	}
	return procs
}

// spells writes states instead of what runs. What is shorter than the nanoseconds that it begins and ends in is left out.
func (x *prvWriter) spells(o ExportOptions) error {
	for _, p := range o.chosenProcs(len(x.open)) {
		for s := range o.Spells(p) {
			begin, end := x.nanos(s.Begin), x.nanos(s.End)
			if begin == end {
				continue
			}
			x.start('1', p)
			x.number(begin)
			x.number(end)
			x.number(states[s.State].paraver)
			if err := x.add(begin, prvStates); err != nil {
				return err
			}
		}
	}
	return nil
}

// spells writes states as slices of threads of their own, in a process beside that of events, whose slices they need not fit into.
func (x *chromeWriter) spells(o ExportOptions, procs int) error {
	if x.process = 1; o.Spells == nil {
		return nil
	}
	if err := x.meta("process_name", trace.Proc(procs), "name", "where time goes"); err != nil {
		return err
	}
	for _, p := range o.chosenProcs(procs) {
		thread := trace.Proc(procs) + p // as viewers know threads by number
		if err := x.thread(thread, p); err != nil {
			return err
		}
		for s := range o.Spells(p) {
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
