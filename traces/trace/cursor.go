package trace

import "iter"

// EventCursor walks the events of one processor, whose batches it asks for as they are needed.
type EventCursor struct {
	pull func() (*Events, error, bool)
	stop func()
	rows []Event
	at   int   // of the latest event among rows
	row  int64 // and among all events of the processor
}

// NewEventCursor stands before the first event of p. Stop has to be called.
func NewEventCursor(src Source, p Proc) *EventCursor {
	pull, stop := iter.Pull2(src.Events(p))
	return &EventCursor{pull: pull, stop: stop, at: -1, row: -1}
}

// Next is the next event, or nil at the end. It is valid until the next call.
func (c *EventCursor) Next() (*Event, error) {
	c.at++
	c.row++
	for c.at >= len(c.rows) {
		b, err, ok := c.pull()
		if err != nil || !ok {
			c.rows, c.at = nil, 0
			return nil, err
		}
		c.rows, c.at = b.Rows, 0
	}
	return &c.rows[c.at], nil
}

// Row is the number of the latest event among those of its processor.
func (c *EventCursor) Row() int64 { return c.row }

// Stop ends the walk.
func (c *EventCursor) Stop() { c.stop() }
