package analysis

import (
	"math"

	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// merge copies references of the earliest processor until another processor is earlier. The first
// reference ends at time.
func (m *merger) merge(s *stream, time uint64) error {
	if m.whole {
		return m.pass(s, time)
	}
	moves := s.movesNow()
	if moves != m.moves {
		if m.flush(); m.stopped {
			return nil
		}
		m.moves = moves
	}
	instr, from := s.refs.Instr[:s.end], s.at
	if m.merged == m.from {
		m.first = instr[from]
	}
	i, last := m.writeInstr(s, instr, time)
	n := m.merged + i - from
	m.take(s, from, i)
	m.time = last
	if s.large {
		m.bytes += sumSizes(s.refs.Size[from:i])
	}
	s.taken(i, last)
	if n == m.from+m.rows || m.bytes > mostBytes {
		m.flush()
	}
	if m.stopped {
		return nil
	}
	if i < len(instr) {
		m.ready.ReplaceFirst(entry(last+uint64(instr[i]), s.proc))
		return nil
	}
	return m.advance(s)
}

// writeInstr writes the Instr column for references of the earliest processor. It stops where
// another processor is earlier or where space ends. It returns the index after the last reference,
// and when that reference ends. The first reference ends at time.
func (m *merger) writeInstr(s *stream, instr []uint32, time uint64) (to int, last uint64) {
	i, out := s.at, m.refs.Instr[m.merged:m.from+m.rows]
	if len(m.ready) == 1 { // no other processor is ready
		n := copy(out, instr[i:])
		out[0] = uint32(time - s.clock)
		return i + n, time + uint64(SumInstr(instr[i+1:i+n]))
	}
	limit, limitProc := second(m.ready)
	if s.proc < limitProc && limit < math.MaxUint64 {
		limit++ // this processor wins the tie
	}
	last = s.clock
	for n := range out {
		out[n] = uint32(time - last)
		last = time
		if i++; i >= len(instr) {
			break
		}
		if time += uint64(instr[i]); time >= limit {
			break
		}
	}
	return i, last
}

// pass yields the references of the only processor up to its next event or the end of the batch.
// They are those of its program order and use the same lines.
func (m *merger) pass(s *stream, time uint64) error {
	n := s.end - s.at
	m.chunk = s.item(time)
	m.chunk.Proc, m.chunk.RefProcs = trace.Interleaved, lines.Extend(m.of, n)[:n]
	m.of = m.chunk.RefProcs
	m.refs.Instr = append(m.refs.Instr[:0], m.chunk.Refs.Instr...)
	m.refs.Instr[0] = uint32(time - s.clock)
	m.chunk.Refs.Proc, m.chunk.Refs.Instr = trace.Interleaved, m.refs.Instr
	s.taken(s.end, uint64(m.chunk.Time))
	if m.stopped = !m.yield(&m.chunk, nil); m.stopped {
		return nil
	}
	return m.advance(s)
}

// take copies the columns of the references of s from index from up to index to, except Instr.
func (m *merger) take(s *stream, from, to int) {
	n := m.merged
	m.merged += to - from
	if to-from == 1 { // the usual case when processors run in lockstep
		m.refs.Addr[n], m.refs.Size[n], m.refs.Op[n], m.of[n] = s.refs.Addr[from], s.refs.Size[from], s.refs.Op[from], s.proc
	} else {
		copy(m.refs.Addr[n:], s.refs.Addr[from:to])
		copy(m.refs.Size[n:], s.refs.Size[from:to])
		copy(m.refs.Op[n:], s.refs.Op[from:to])
		for i := range m.of[n:m.merged] {
			m.of[n+i] = s.proc
		}
	}
	if m.refs.PC != nil {
		copy(m.refs.PC[n:], s.refs.PC[from:to])
	}
}

// flush yields the merged references. Afterwards space has room for another full chunk.
func (m *merger) flush() {
	from, to := m.from, m.merged
	if from == to || m.stopped {
		return
	}
	m.chunk = Chunk{Proc: trace.Interleaved, Time: unit.Instructions(m.time), RefProcs: m.of[from:to], Refs: m.refs.Slice(from, to), Moves: m.moves, useCache: &m.useCache}
	m.useCache.reset()
	m.bytes = 0
	m.chunk.Instr = SumInstr(m.chunk.Refs.Instr)
	m.from = to
	if m.stopped = !m.yield(&m.chunk, nil); m.merged+m.rows > len(m.of) {
		m.from, m.merged = 0, 0
	}
}

// SumInstr returns the number of instructions that the references executed. It adds eight at a time
// so that the additions do not depend on each other.
func SumInstr(instr []uint32) unit.Instructions {
	n := uint64(0)
	for ; len(instr) >= 8; instr = instr[8:] {
		n += eight((*[8]uint32)(instr))
	}
	for _, c := range instr {
		n += uint64(c)
	}
	return unit.Instructions(n)
}

func eight(c *[8]uint32) uint64 {
	return uint64(c[0]) + uint64(c[1]) + (uint64(c[2]) + uint64(c[3])) + (uint64(c[4]) + uint64(c[5]) + (uint64(c[6]) + uint64(c[7])))
}

// PrefixWithin returns the largest number of leading references that execute at most most
// instructions in total, and the instructions that these execute.
func PrefixWithin(instr []uint32, most uint64) (n int, executed uint64) {
	for ; len(instr)-n >= 8; n += 8 {
		sum := executed + eight((*[8]uint32)(instr[n:]))
		if sum > most {
			break
		}
		executed = sum
	}
	for _, c := range instr[n:] {
		if executed+uint64(c) > most {
			break
		}
		executed += uint64(c)
		n++
	}
	return n, executed
}
