package analysis

import "spoor/traces/trace"

// readEvents feeds a program order without its references. It needs no coroutines, which take most of the time and memory
// of many processors with few events.
func (o order) readEvents(src trace.Source, f *dispatcher) error {
	s := &stream{proc: o.proc, head: src.Header(), noRefs: true}
	for b, err := range src.Events(o.proc) {
		if err == nil {
			err = s.setEvents(b)
		}
		if err != nil {
			return err
		}
		for s.event() != nil {
			time, _, err := s.next()
			if err != nil {
				return err
			}
			s.take(time)
			if err := f.process(s.chunk); err != nil {
				return err
			}
		}
	}
	return f.finish()
}
