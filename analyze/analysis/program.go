package analysis

import (
	"iter"

	"spoor/traces/trace"
)

// Program yields the program order of processor p. References come in chunks that extend to the
// next event or the end of the batch; events come between them.
func Program(src trace.Source, p trace.Proc) iter.Seq2[*Chunk, error] {
	return program(src, p, trace.DataOps)
}

// program is Program, where references of other operations may use lines.
func program(src trace.Source, p trace.Proc, refs trace.OpSet) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		s, err := newStream(src, p, refs, nil)
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
