package emit

import (
	"math"

	"spoor/traces/trace"
)

// RunRows is the number of references that a Run holds. It is a power of two.
const RunRows = 1 << 8

// Run holds references of a processor that its Stream appends together, which is quicker than one after the other. Each
// has the instructions since the previous one.
type Run struct {
	instr [RunRows]uint32
	addr  [RunRows]uint64
	size  [RunRows]uint16
	op    [RunRows]trace.Op
	n     int
}

// Len is the number of references.
func (r *Run) Len() int { return r.n }

// Add adds a reference. The run must not be full.
func (r *Run) Add(instr uint32, addr uint64, size uint16, op trace.Op) {
	i := r.n & (RunRows - 1)
	r.instr[i], r.addr[i], r.size[i], r.op[i] = instr, addr, size, op
	r.n++
}

// Append appends the references of r and empties it. It is the same as Execute and Ref of each.
func (s *Stream) Append(r *Run) {
	n := r.n
	r.n = 0
	sum := s.pending
	for _, instr := range r.instr[:n] {
		sum += uint64(instr)
	}
	if n == 0 || s.WithPC || sum > math.MaxUint32 || s.pos+sum-s.event > math.MaxUint32 {
		for i := range n {
			s.Execute(uint64(r.instr[i]))
			s.Ref(r.addr[i], r.size[i], r.op[i])
		}
		return
	}
	if len(s.Refs.Addr)+n > StreamRows {
		s.Flush()
	}
	r.instr[0] += uint32(s.pending)
	s.Refs.Instr, s.Refs.Addr = append(s.Refs.Instr, r.instr[:n]...), append(s.Refs.Addr, r.addr[:n]...)
	s.Refs.Size, s.Refs.Op = append(s.Refs.Size, r.size[:n]...), append(s.Refs.Op, r.op[:n]...)
	s.pos += sum
	s.pending = 0
	s.rows += uint64(n)
}
