package memsys

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// warm is a system whose time and counts begin anew. Its caches, directories and memories keep their contents.
//
// Differs: of several memories or links, SharedUsage has the one that was held longest over both runs. It is the same
// one in both runs of a program.
type warm struct {
	System
	start  unit.Picos
	counts []Counts    // of each processor, until start
	shared SharedUsage // until start
}

// pause is the time between two runs. It is long enough that ports and links are free again.
const pause = unit.Picos(1e15)

// Warm returns s with all its contents, for another run that begins at time 0. s must have run to end, and all its
// touches must have ended.
func Warm(s System, end unit.Picos, processors int) System {
	w := &warm{System: s, shared: s.SharedUsage()}
	w.start = max(end, w.shared.End) + pause
	for p := range trace.Proc(processors) {
		w.counts = append(w.counts, s.Counts(p))
	}
	return w
}

func (w *warm) Access(now unit.Picos, p trace.Proc, line uint64, store bool) Cost {
	return w.System.Access(w.start+now, p, line, store)
}

func (w *warm) Drain(now unit.Picos, p trace.Proc) Cost { return w.System.Drain(w.start+now, p) }

func (w *warm) OnInvalidate(onInvalidate InvalidateFunc) {
	w.System.OnInvalidate(func(q trace.Proc, c Invalidation) {
		c.At -= w.start
		onInvalidate(q, c)
	})
}

func (w *warm) Counts(p trace.Proc) Counts {
	c := w.System.Counts(p)
	c.subtract(w.counts[p])
	return c
}

func (w *warm) SharedUsage() SharedUsage {
	s := w.System.SharedUsage()
	return SharedUsage{Busy: s.Busy - w.shared.Busy, End: max(0, s.End-w.start), Lines: s.Lines,
		Messages: s.Messages - w.shared.Messages, MessageBytes: s.MessageBytes - w.shared.MessageBytes,
		NetworkBusy: s.NetworkBusy - w.shared.NetworkBusy}
}
