package memsys

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// warm is a system whose time and counts begin anew, with what its caches, directories and memories hold.
//
// Differs: of several memories, or links, Shared has what the one did that was held longest in all; it is the same one
// in both runs of a program.
type warm struct {
	System
	start  unit.Picos
	counts []Counts    // of each processor, until start
	shared SharedUsage // until start
}

// pause between two runs, in which ports and links that the end of messages does not tell of are free again.
const pause = unit.Picos(1e15)

// Warm is s with all that it holds, for another run from time 0 on: s has been run to end, and all its touches have ended.
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
