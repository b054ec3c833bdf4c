package layer

import (
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// warm is a system whose time and counts begin anew. Its caches, directories and memories keep their contents.
//
// Differs: of several memories or links, SharedUsage has the one that was held longest over both runs. It is the same
// one in both runs of a program.
type warm struct {
	touch.System
	start  unit.Picos
	counts []touch.Counts    // of each processor, until start
	shared touch.SharedUsage // until start
}

// pause is the time between two runs. It is long enough that ports and links are free again.
const pause = unit.Picos(1e15)

// Warm returns s with all its contents, for another run that begins at time 0, and when that is for s. s must have run
// to end, and all its touches must have ended.
func Warm(s touch.System, end unit.Picos, processors int) (second touch.System, start unit.Picos) {
	w := &warm{System: s, shared: s.SharedUsage()}
	w.start = max(end, w.shared.End) + pause
	for p := range trace.Proc(processors) {
		w.counts = append(w.counts, s.Counts(p))
	}
	return w, w.start
}

// Access touches a line at a time of this run.
func (w *warm) Access(now unit.Picos, p trace.Proc, line uint64, store bool) touch.Cost {
	return w.System.Access(w.start+now, p, line, store)
}

// Drain waits at a time of this run.
func (w *warm) Drain(now unit.Picos, p trace.Proc) touch.Cost { return w.System.Drain(w.start+now, p) }

// OnInvalidate sets a function that gets times of this run.
func (w *warm) OnInvalidate(onInvalidate touch.InvalidateFunc) {
	w.System.OnInvalidate(func(q trace.Proc, c touch.Invalidation) {
		c.At -= w.start
		onInvalidate(q, c)
	})
}

// Counts returns the counts of this run.
func (w *warm) Counts(p trace.Proc) touch.Counts {
	c := w.System.Counts(p)
	c.Subtract(w.counts[p])
	return c
}

// SharedUsage returns the use in this run.
func (w *warm) SharedUsage() touch.SharedUsage {
	s := w.System.SharedUsage()
	return touch.SharedUsage{Busy: s.Busy - w.shared.Busy, End: max(0, s.End-w.start), Lines: s.Lines,
		Messages: s.Messages - w.shared.Messages, MessageBytes: s.MessageBytes - w.shared.MessageBytes,
		NetworkBusy: s.NetworkBusy - w.shared.NetworkBusy}
}

// Copy holds a memory at a time of this run.
func (w *warm) Copy(at unit.Picos, node int, hold unit.Picos) unit.Picos {
	return w.System.Copy(w.start+at, node, hold) - w.start
}

// Flush removes a line at a time of this run.
func (w *warm) Flush(now unit.Picos, p trace.Proc, line uint64) touch.Cost {
	return w.System.Flush(w.start+now, p, line)
}
