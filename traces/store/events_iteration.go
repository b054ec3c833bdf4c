package store

import (
	"errors"
	"iter"
	"slices"

	"spoor/traces/trace"
)

// eventsIteration yields events of several batches. Each batch of several processors is decoded once for all iterations that
// read it at about the same time.
type eventsIteration struct {
	part  *part
	check eventsChecker
	out   trace.Events
}

// decode reads batch i.
func (it *eventsIteration) decode(d *decoder, s *eventsSlot, i int) error {
	s.decode(d, it.part.head.HasTime)
	s.index = i
	if err := d.done(); err != nil {
		return err
	}
	if !slices.Equal(s.parts, it.part.blocks[i].each()) {
		return errIndex
	}
	return nil
}

// whole yields the events of batches of one processor each. It returns false to end.
func (it *eventsIteration) whole(order []procRows, yield func(*trace.Events, error) bool) bool {
	for s, err := range decodeAhead(it.part, order, eventsAhead, it.decode) {
		if err != nil {
			yield(nil, err)
			return false
		}
		if !it.rows(s, s.parts[0], 0, yield) {
			return false
		}
	}
	return true
}

// shared yields the events of one processor in a batch of several. It returns false to end.
func (it *eventsIteration) shared(order []procRows, yield func(*trace.Events, error) bool) bool {
	of := order[0]
	s, err := it.part.shared.get(it.part, of.batch, it.decode)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer it.part.shared.release(of.batch)
	return it.rows(s, of.batchInfo, of.from, yield)
}

// rows yields the events of one processor in a batch.
func (it *eventsIteration) rows(s *eventsSlot, of batchInfo, from int, yield func(*trace.Events, error) bool) bool {
	for err := range it.check.rows(s, of, from, &it.out) {
		if err != nil {
			yield(nil, it.part.batchError(s.index, err))
			return false
		}
		if !yield(&it.out, nil) {
			return false
		}
	}
	return true
}

// eventsSlot is a decoded batch of events, with its number in the file.
type eventsSlot struct {
	readEvents
	index int
}

// eventsChecker checks events against the invariants. The events of a processor come in order.
type eventsChecker struct {
	head  trace.Header
	total func(trace.Proc) uint64
	proc  trace.Proc
	index int    // of the last batch
	last  uint64 // Refs of its last event
}

// begin starts the rows of a processor in a batch.
func (c *eventsChecker) begin(p trace.Proc, batch int) {
	if p != c.proc || batch <= c.index { // an iteration may have the same processor twice
		c.last = 0
	}
	c.proc, c.index = p, batch
}

// rowsAtOnce is the number of events that are converted to rows at a time. A row is twice as wide as its columns.
const rowsAtOnce = 1 << 9

// rows converts the rows of a processor from row first of a batch on, rowsAtOnce at a time. They are valid until the next ones.
func (c *eventsChecker) rows(s *eventsSlot, of batchInfo, first int, out *trace.Events) iter.Seq[error] {
	return func(yield func(error) bool) {
		p, end := trace.Proc(of.proc), first+int(of.rows)
		c.begin(p, s.index)
		for from := first; from < end; from += rowsAtOnce {
			out.Proc, out.Rows = p, s.rows(out.Rows, from, min(from+rowsAtOnce, end))
			err := trace.CheckEvents(c.head, out, c.last, c.total(p))
			var invalid *trace.BatchError
			if errors.As(err, &invalid) {
				invalid.Row += from
			}
			c.last = out.Rows[len(out.Rows)-1].Refs
			if !yield(err) || err != nil {
				return
			}
		}
	}
}
