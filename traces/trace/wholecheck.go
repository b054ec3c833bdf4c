package trace

import (
	"fmt"
	"iter"
	"math"
)

// Check holds a whole trace to every invariant: those of batches (CheckRefs,
// CheckEvents), and what only the whole can tell:
//
//   - batches come processor by processor, as a Source promises;
//   - an event that r references precede happens after the r-th reference and
//     before the next: this is how the two streams join;
//   - needs are other events of the same processor;
//   - sends go to processors that exist, receives come from them, and each
//     processor receives as many messages as are sent to it;
//   - a processor unlocks only what it has locked;
//   - a source that knows its Totals counts right.
//
// A source without any reference is taken for the events of a trace alone, whose
// joins cannot be checked.
func Check(src Source) error {
	c := wholeCheck{src: src, head: src.Header(), match: NewMatcher()}
	if c.head.Procs < 0 {
		return fmt.Errorf("the header has %d processors", c.head.Procs)
	}
	var err error
	if c.joined, err = anyRefs(src); err != nil {
		return err
	}
	for p := range c.head.Procs {
		if err := c.proc(Proc(p)); err != nil {
			return err
		}
	}
	return c.messages()
}

// anyRefs reports whether src has references.
func anyRefs(src Source) (bool, error) {
	for p := range src.Header().Procs {
		for b, err := range src.Refs(Proc(p)) {
			if err != nil {
				return false, err
			}
			if b.Len() > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

type wholeCheck struct {
	src    Source
	head   Header
	joined bool
	match  *Matcher
}

// proc walks both streams of one processor side by side.
func (c *wholeCheck) proc(p Proc) error {
	next, stop := iter.Pull2(c.src.Refs(p))
	defer stop()
	w := walk{c: c, p: p, next: next, held: map[int32]int{}}
	for b, err := range c.src.Events(p) {
		if err != nil {
			return err
		}
		if b.Proc != p {
			return &Invalid{b.Proc, 0, fmt.Sprintf("came among the events of processor %d", p)}
		}
		if err := CheckEvents(c.head, b, w.last, math.MaxUint64); err != nil {
			return err
		}
		for i := range b.Rows {
			if err := w.event(&b.Rows[i]); err != nil {
				return fmt.Errorf("processor %d, event %d (%s): %w", p, w.events, b.Rows[i].Kind, err)
			}
			w.events++
		}
	}
	if err := w.checkNeeds(); err != nil {
		return err
	}
	if err := w.advance(math.MaxUint64); err != nil {
		return err
	}
	return w.checkTotals()
}

// walk is where the check of one processor stands.
type walk struct {
	c    *wholeCheck
	p    Proc
	next func() (*Refs, error, bool)

	refs   *Refs
	at     int    // row of refs that comes next
	done   uint64 // references that came
	refPos uint64 // position of the latest
	evPos  uint64 // position of the latest event
	full   bool   // an Instr was full, so that refPos is only a lower bound
	last   uint64 // Refs of the latest event
	events int64
	need   int64         // the largest need so far
	held   map[int32]int // locks
}

// event holds one event to its place among the references.
func (w *walk) event(e *Event) error {
	w.last = e.Refs
	w.evPos += uint64(e.Instr)
	if w.c.joined {
		if err := w.advance(e.Refs); err != nil {
			return err
		}
		if w.done < e.Refs {
			return fmt.Errorf("after %d references, but the processor has %d", e.Refs, w.done)
		}
		if w.evPos < w.refPos {
			return fmt.Errorf("at instruction %d, before reference %d at instruction %d, which precedes it", w.evPos, w.done-1, w.refPos)
		}
		if following, ok, err := w.peek(); err != nil {
			return err
		} else if ok && !w.full && following != math.MaxUint32 && w.evPos > w.refPos+uint64(following) {
			return fmt.Errorf("at instruction %d, after reference %d at instruction %d, which follows it", w.evPos, w.done, w.refPos+uint64(following))
		}
	}
	if e.Kind == Compute && w.c.head.WorkUnit == WorkInstr {
		w.evPos += uint64(e.Work)
		w.refPos += uint64(e.Work)
	}
	for _, n := range e.Needs {
		if n < 0 || n == w.events {
			return fmt.Errorf("needs event %d", n)
		}
		w.need = max(w.need, n)
	}
	return w.meaning(e)
}

// advance moves past references until n have come.
func (w *walk) advance(n uint64) error {
	for w.done < n {
		if ok, err := w.fill(); err != nil || !ok {
			return err
		}
		end := min(uint64(w.refs.Len()), uint64(w.at)+n-w.done)
		for _, i := range w.refs.Instr[w.at:end] {
			w.refPos += uint64(i)
			if i == math.MaxUint32 {
				w.full = true
			}
		}
		w.done += end - uint64(w.at)
		w.at = int(end)
	}
	return nil
}

// peek is the Instr of the next reference.
func (w *walk) peek() (uint32, bool, error) {
	ok, err := w.fill()
	if err != nil || !ok {
		return 0, false, err
	}
	return w.refs.Instr[w.at], true, nil
}

// fill makes at a row of refs; false means there are no more.
func (w *walk) fill() (bool, error) {
	for w.refs == nil || w.at == w.refs.Len() {
		b, err, ok := w.next()
		if err != nil || !ok {
			return false, err
		}
		if b.Proc != w.p {
			return false, &Invalid{b.Proc, 0, fmt.Sprintf("came among the references of processor %d", w.p)}
		}
		if err := CheckRefs(w.c.head, b); err != nil {
			return false, err
		}
		w.refs, w.at = b, 0
	}
	return true, nil
}

// checkTotals is for sources that say how many rows they have.
func (w *walk) checkTotals() error {
	known, ok := w.c.src.(interface{ Totals(Proc) Totals })
	if !ok {
		return nil
	}
	if t := known.Totals(w.p); t.Refs != w.done || t.Events != uint64(w.events) {
		return fmt.Errorf("processor %d: the file counts %d references and %d events, its batches have %d and %d",
			w.p, t.Refs, t.Events, w.done, w.events)
	}
	return nil
}

// checkNeeds is for needs that come later: now the number of events is known.
func (w *walk) checkNeeds() error {
	if w.need > 0 && w.need >= w.events {
		return fmt.Errorf("processor %d: an event needs event %d, but there are %d", w.p, w.need, w.events)
	}
	return nil
}

// meaning holds an event to what its kind means.
func (w *walk) meaning(e *Event) error {
	switch e.Kind {
	case Send, Isend:
		if e.Peer < 0 || int(e.Peer) >= w.c.head.Procs {
			return fmt.Errorf("to processor %d: the trace has %d", e.Peer, w.c.head.Procs)
		}
	case Recv, Irecv, Probe, Iprobe:
		if int(e.Peer) >= w.c.head.Procs {
			return fmt.Errorf("from processor %d: the trace has %d", e.Peer, w.c.head.Procs)
		}
	case Lock:
		w.held[e.Peer]++
	case Unlock:
		if w.held[e.Peer] == 0 {
			return fmt.Errorf("of lock %d, which the processor does not hold", e.Peer)
		}
		w.held[e.Peer]--
	}
	return w.c.match.Event(w.p, e, Place{At: w.events})
}

// messages names the first event that lacks what it needs from another processor.
func (c *wholeCheck) messages() error {
	all := c.match.Finish(c.head.Procs)
	if len(all) == 0 || all[0].Legal {
		return nil
	}
	err := fmt.Errorf("processor %d, event %d (%s): %s", all[0].Proc, all[0].Place.At, all[0].Kind, all[0].Msg)
	if more := c.match.Counts().Mismatches - 1; more > 0 {
		err = fmt.Errorf("%w (and %d more)", err, more)
	}
	return err
}
