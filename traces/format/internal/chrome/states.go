package chrome

import (
	"spoor/traces/format/internal/timeline"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// stateIntervals writes states as slices of separate threads, in a process next to that
// of the events. Slices of states need not nest in those of events.
func (x *chromeWriter) stateIntervals(o format.ExportOptions, procs int) error {
	if x.process = 1; o.Simulated == nil {
		return nil
	}
	if err := x.meta("process_name", trace.Proc(procs), "name", "where time goes"); err != nil {
		return err
	}
	for _, p := range o.Chosen(procs) {
		thread := trace.Proc(procs) + p // because viewers identify threads by number
		if err := x.thread(thread, p); err != nil {
			return err
		}
		for s := range o.Simulated.StateIntervals(p) {
			x.begin(timeline.States[s.State].Name, 'X', thread)
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
