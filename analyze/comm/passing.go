package comm

import "spoor/traces/trace"

// passing is a collective in which everybody needs what one other member hands on, and nothing else: who has it goes on before the last
// member has come.
type passing struct {
	from [][]int // by member: to whom it hands on
	of   []int   // by member: who hands on to it, none if nobody does
	sums []path  // by member: when what it and those before it have put in has come to the next, in a scan that is counted by itself
}

const none = -1

// newPassing is nil for collectives of which some need more, or in which nobody knows how much is handed on before others have come.
func newPassing(c call, how Algorithm) *passing {
	switch star := how == Apart || how == Linear; {
	case c.kind == trace.Scan && (star || how == Ring), c.kind == trace.Bcast && how != Ring, c.kind == trace.Scatter && star:
	default:
		return nil
	}
	n := len(c.bytes)
	p := &passing{from: make([][]int, n), of: make([]int, n), sums: make([]path, n)}
	for i := range p.of {
		p.of[i] = none
	}
	c.send = func(_, from, to int, _ int64) { p.from[from], p.of[to] = append(p.from[from], to), from }
	if how == Apart {
		how = Linear
	}
	c.messages(how)
	return p
}

// passOn lets all go on who have what they need now that a member has come.
func (r *replay) passOn(m *meeting, member int) error {
	p := m.passing
	for todo := []int{member}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !m.here[i] || p.of[i] != none && !m.exits[p.of[i]].known {
			continue
		}
		end, sum := m.entered[i], r.over(m.entered[i], m.bytes[i])
		if from := p.of[i]; from != none {
			end, sum = later(end, r.handed(m, from, i)), later(sum, p.sums[from])
		}
		p.sums[i] = sum
		if err := r.settle(&m.exits[i], end); err != nil {
			return err
		}
		todo = append(todo, p.from[i]...)
	}
	return nil
}

// handed is when what one member hands on to another has come.
func (r *replay) handed(m *meeting, from, to int) path {
	switch m.kind {
	case trace.Bcast:
		return r.over(m.exits[from].at, m.bytes[m.root])
	case trace.Scatter:
		return r.over(m.exits[from].at, m.bytes[to])
	}
	if r.how == Apart {
		return m.passing.sums[from]
	}
	return r.over(m.exits[from].at, m.bytes[from])
}
