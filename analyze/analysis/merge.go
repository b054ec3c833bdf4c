package analysis

import (
	"math"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// merge copies references of the processor that is first, up to where another one is.
// The first of them ends at time.
func (m *merger) merge(s *strand, time uint64) error {
	limit, limitProc := m.ready.second()
	if s.proc < limitProc && limit < math.MaxUint64 {
		limit++ // ties are ours
	}
	instr := s.refs.Instr[:s.end]
	from, i, n, last := s.at, s.at, m.merged, s.clock
	for {
		m.refs.Instr[n] = uint32(time - last)
		last = time
		n++
		i++
		if i >= len(instr) || n >= m.from+m.rows {
			break
		}
		if time += uint64(instr[i]); time >= limit {
			break
		}
	}
	m.take(s, from, i)
	m.time = last
	s.taken(i, last)
	if n == m.from+m.rows {
		m.flush()
	}
	if m.stopped {
		return nil
	}
	if i < len(instr) {
		m.ready.replaceFirst(entry{last + uint64(instr[i]), s.proc})
		return nil
	}
	return m.advance(s)
}

// take copies the columns of the references of s from index from up to index to; Instr is there.
func (m *merger) take(s *strand, from, to int) {
	n := m.merged
	m.merged += to - from
	if to-from == 1 { // nearly always, when processors run in step
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

// flush yields the references that have been merged. There is room for as many more.
func (m *merger) flush() {
	from, to := m.from, m.merged
	if from == to || m.stopped {
		return
	}
	m.piece = Piece{Proc: trace.Interleaved, Time: unit.Instructions(m.time), Of: m.of[from:to], Refs: m.refs.Slice(from, to), sheet: &m.sheet}
	m.sheet.reset()
	for _, n := range m.piece.Refs.Instr {
		m.piece.Instr += unit.Instructions(n)
	}
	m.from = to
	if m.stopped = !m.yield(&m.piece, nil); m.merged+m.rows > len(m.of) {
		m.from, m.merged = 0, 0
	}
}
