package analysis

import (
	"iter"

	"spoor/traces/trace"
)

// Program yields what processor p did, in program order: references in chunks as
// long as batches and events allow, and the events between them.
func Program(src trace.Source, p trace.Proc) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		s, err := newStream(src, p, nil)
		defer s.stop()
		for ; err == nil; err = s.ready() {
			var time uint64
			var ok bool
			if time, ok, err = s.next(); err != nil {
				break
			}
			if !ok {
				return
			}
			s.take(time)
			if !yield(&s.chunk, nil) {
				return
			}
		}
		yield(nil, err)
	}
}
