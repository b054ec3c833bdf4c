package analysis

import (
	"slices"

	"spoor/traces/trace"
)

// sameMoves returns the length of the first run of operations that can form a chunk: of the same
// prefetches or flushes, or of neither.
func (s *stream) sameMoves(ops []trace.Op) int {
	first := s.movesOf(ops[0])
	if n := slices.IndexFunc(ops, func(o trace.Op) bool { return s.movesOf(o) != first }); n > 0 {
		return n
	}
	return len(ops)
}

// movesOf returns the value of Chunk.Moves for a reference. It is zero for prefetches where only instruction fetches
// use lines.
func (s *stream) movesOf(o trace.Op) trace.Op {
	if o.Moves() && s.moved.Has(o) {
		return o
	}
	return 0
}

// movesNow returns the value of Chunk.Moves for the next references.
func (s *stream) movesNow() trace.Op {
	if !s.moves {
		return 0
	}
	return s.movesOf(s.refs.Op[s.at])
}
