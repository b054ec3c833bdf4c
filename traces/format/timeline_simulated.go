package format

import "spoor/traces/trace"

// Simulated is the known result of a simulation besides the begins of events.
type Simulated struct {
	StateIntervals StateIntervals
	Messages       []Message
	// End returns when an event ended, by its number on its processor. Call it after
	// the events of that processor have been read.
	End func(p trace.Proc, row int64) int64
}

// Message is a message between two processors. Times are in ps.
type Message struct {
	From, To        trace.Proc
	Tag, Group      int32
	Bytes           int64
	Sent, SentEnd   int64 // begin and end of its send
	Posted          int64 // begin of its receive
	Taken, Received int64 // begin and end of the receive, or of its wait
}

// simulatedTimeline lays out a trace of a simulation, from the simulated times.
func simulatedTimeline(src trace.Source, s *Simulated, sink timelineSink) error {
	for p := range trace.Proc(src.Header().Procs) {
		row := int64(0)
		for b, err := range src.Events(p) {
			if err != nil {
				return err
			}
			for i := range b.Rows {
				e := &b.Rows[i]
				if end := s.End(p, row); e.Kind != trace.Compute || end > e.Time {
					if err := sink.span(p, e, e.Time, end); err != nil {
						return err
					}
				}
				row++
			}
		}
	}
	for _, m := range s.Messages {
		d := delivery{from: m.From, to: m.To, tag: m.Tag, group: m.Group, bytes: m.Bytes, sent: m.Sent, sentEnd: m.SentEnd, posted: m.Posted, taken: m.Taken, received: m.Received}
		if err := sink.delivered(&d); err != nil {
			return err
		}
	}
	return nil
}
