package trace

import (
	"errors"
	"fmt"
	"math"
)

// procValidator checks one processor.
type procValidator struct {
	c    *validator
	p    Proc
	next func() (*Refs, error, bool)

	refs     *Refs
	at       int             // next row of refs
	done     uint64          // references so far
	refPos   uint64          // position of the latest reference
	evPos    uint64          // position of the latest event
	full     bool            // an Instr was at its maximum, so that refPos is only a lower bound
	last     uint64          // Refs of the latest event
	events   int64           // events so far
	need     int64           // largest row that an event needs so far
	needBy   int64           // event that needs it
	needKind Kind            // of that event
	forward  bool            // some event needs a later one, so that needs could form a cycle
	held     map[int32]int64 // locks, with the row that took each
	used     map[int32]bool  // locks that were ever taken
	failed   bool            // reading failed, so that the error is not one of an event
}

// event checks the position of one event among the references, and its fields.
func (w *procValidator) event(e *Event) error {
	err := w.join(e)
	if err == nil {
		err = w.needs(e)
	}
	if err == nil {
		err = w.checkFields(e)
	}
	if err == nil || w.failed {
		return err
	}
	return &RowError{Proc: w.p, Row: w.events, Kind: e.Kind, Msg: err.Error()}
}

// join checks the position of an event among the references, and advances the positions.
func (w *procValidator) join(e *Event) error {
	w.last = e.Refs
	w.evPos += uint64(e.Instr)
	if w.c.joined {
		w.c.report.Joined++
		if err := w.checkPosition(e); err != nil {
			return err
		}
	}
	if e.Kind == Compute && w.c.head.WorkUnit == WorkInstr {
		w.evPos += uint64(e.Work)
		w.refPos += uint64(e.Work)
	}
	return nil
}

// checkPosition reads the references that precede e, and checks that e lies between its neighbours.
func (w *procValidator) checkPosition(e *Event) error {
	if err := w.advance(e.Refs); err != nil {
		return err
	}
	if w.done < e.Refs {
		return fmt.Errorf("after %d references, but the processor has %d", e.Refs, w.done)
	}
	if w.evPos < w.refPos {
		return fmt.Errorf("at instruction %d, before reference %d at instruction %d, which precedes it", w.evPos, w.done-1, w.refPos)
	}
	following, ok, err := w.peek()
	if err != nil {
		return err
	}
	if ok && !w.full && following != math.MaxUint32 && w.evPos > w.refPos+uint64(following) {
		return fmt.Errorf("at instruction %d, after reference %d at instruction %d, which follows it", w.evPos, w.done, w.refPos+uint64(following))
	}
	return nil
}

// advance reads references until there were n.
func (w *procValidator) advance(n uint64) error {
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

// peek returns the Instr of the next reference; false means that there is none.
func (w *procValidator) peek() (uint32, bool, error) {
	ok, err := w.fill()
	if err != nil || !ok {
		return 0, false, err
	}
	return w.refs.Instr[w.at], true, nil
}

// fill makes at the index of a row of refs. It reads batches if necessary; false means
// that there are no more references.
func (w *procValidator) fill() (bool, error) {
	for w.refs == nil || w.at == w.refs.Len() {
		b, err, ok := w.next()
		if err == nil && ok {
			err = w.checkBatch(b)
		}
		if err != nil || !ok {
			w.failed = err != nil
			return false, err
		}
		w.refs, w.at = b, 0
	}
	return true, nil
}

// checkBatch checks a batch of references.
func (w *procValidator) checkBatch(b *Refs) error {
	if b.Proc != w.p {
		return &BatchError{b.Proc, 0, fmt.Sprintf("came among the references of processor %d", w.p)}
	}
	return w.rowError(CheckRefs(w.c.head, b), nil)
}

// rowError turns a BatchError into a RowError, which counts rows from the start of the
// processor. The batch is one of events, or, if events is nil, the references to read next.
func (w *procValidator) rowError(err error, events *Events) error {
	var row *BatchError
	if !errors.As(err, &row) {
		return err
	}
	if events == nil {
		return &RowError{Proc: w.p, IsRef: true, Row: int64(w.done) + int64(row.Row), Msg: row.Msg}
	}
	return &RowError{Proc: w.p, Row: w.events + int64(row.Row), Kind: events.Rows[row.Row].Kind, Msg: row.Msg}
}

// checkTotals compares the rows with the Totals of the source, if it has them.
func (w *procValidator) checkTotals() error {
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

// checkFields checks an event by the rules of its kind.
func (w *procValidator) checkFields(e *Event) error {
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
		w.c.report.Locks++
		if err := w.takes(e); err != nil {
			return err
		}
	case Unlock:
		if _, holds := w.held[e.Peer]; !holds {
			return fmt.Errorf("of lock %d, which the processor does not hold", e.Peer)
		}
		delete(w.held, e.Peer)
	}
	w.c.sync.add(w.p, e, w.events)
	return w.c.match.Event(w.p, e, Pos{At: w.events})
}
