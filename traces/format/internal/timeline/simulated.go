package timeline

import (
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// simulatedTimeline lays out a trace of a simulation, from the simulated times.
func simulatedTimeline(src trace.Source, s *format.Simulated, sink timelineSink) error {
	for p := range trace.Proc(src.Header().Procs) {
		row := int64(0)
		for b, err := range src.Events(p) {
			if err != nil {
				return err
			}
			for i := range b.Rows {
				e := &b.Rows[i]
				if end := s.End(p, row); e.Kind != trace.Compute || end > e.Time {
					if err := sink.Span(p, e, e.Time, end); err != nil {
						return err
					}
				}
				row++
			}
		}
	}
	for _, m := range s.Messages {
		d := Delivery{From: m.From, To: m.To, Tag: m.Tag, group: m.Group, Bytes: m.Bytes, Sent: m.Sent, SentEnd: m.SentEnd, Posted: m.Posted, Taken: m.Taken, Received: m.Received}
		if err := sink.Delivered(&d); err != nil {
			return err
		}
	}
	return nil
}
