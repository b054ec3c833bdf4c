package analysis

import (
	"iter"

	"spoor/traces/trace"
)

// Program yields what processor p did, in program order: references in pieces as
// long as batches and events allow, and the events between them.
func Program(src trace.Source, p trace.Proc) iter.Seq2[*Piece, error] {
	return func(yield func(*Piece, error) bool) {
		s, err := newStrand(src, p, nil)
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
			if !yield(&s.piece, nil) {
				return
			}
		}
		yield(nil, err)
	}
}
