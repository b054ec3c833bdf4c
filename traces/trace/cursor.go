package trace

import "iter"

// EventCursor reads the events of one processor one by one. It reads a batch when it needs it.
type EventCursor struct {
	pull func() (*Events, error, bool)
	stop func()
	rows []Event
	at   int   // index of the latest event in rows
	row  int64 // number of the latest event among all events of the processor
}

// NewEventCursor returns a cursor before the first event of p. The caller must call Stop.
func NewEventCursor(src Source, p Proc) *EventCursor {
	pull, stop := iter.Pull2(src.Events(p))
	return &EventCursor{pull: pull, stop: stop, at: -1, row: -1}
}

// Next returns the next event, or nil at the end. The event is valid until the next call.
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

// Row returns the number of the latest event among those of its processor, from 0.
func (c *EventCursor) Row() int64 { return c.row }

// Stop ends the iteration.
func (c *EventCursor) Stop() { c.stop() }
