package paraver

import (
	"spoor/traces/format/internal/timeline"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// stateIntervals writes states instead of running. It omits an interval that is empty
// in nanoseconds. A processor is idle from its end until the last processor ends.
func (x *prvWriter) stateIntervals(o format.ExportOptions) error {
	procs := o.Chosen(len(x.open))
	ended := make([]int64, len(procs))
	for i, p := range procs {
		for s := range o.Simulated.StateIntervals(p) {
			begin, end := x.nanos(s.Begin), x.nanos(s.End)
			if err := x.state(p, begin, end, timeline.States[s.State].Paraver); err != nil {
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
