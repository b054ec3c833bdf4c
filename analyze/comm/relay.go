package comm

import "spoor/traces/trace"

// relay is a collective in which each member needs only the data that one other member passes on.
// A member that has its data continues before the last member has arrived.
type relay struct {
	from [][]int // by member: the members to which it passes data
	of   []int   // by member: the member from which it gets data, or none
	sums []path  // in a scan that is counted apart, by member: when the contributions of it and all before it have reached the next
}

const none = -1

// newRelay returns nil for a collective in which a member needs more, or in which the amount of
// data is unknown before others arrive.
func newRelay(c call, how Algorithm) *relay {
	switch star := how == Apart || how == Linear; {
	case c.kind == trace.Scan && (star || how == Ring), c.kind == trace.Bcast && how != Ring, c.kind == trace.Scatter && star:
	default:
		return nil
	}
	n := len(c.bytes)
	p := &relay{from: make([][]int, n), of: make([]int, n), sums: make([]path, n)}
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

// passOn lets members continue that have their data now that a member has arrived.
func (r *replay) passOn(m *pendingCollective, member int) error {
	p := m.relay
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
func (r *replay) handed(m *pendingCollective, from, to int) path {
	switch m.kind {
	case trace.Bcast:
		return r.over(m.exits[from].at, m.bytes[m.root])
	case trace.Scatter:
		return r.over(m.exits[from].at, m.bytes[to])
	}
	if r.how == Apart {
		return m.relay.sums[from]
	}
	return r.over(m.exits[from].at, m.bytes[from])
}
