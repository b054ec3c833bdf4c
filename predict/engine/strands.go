package engine

import "spoor/traces/unit"

// strands are what a rank does besides its program, or instead of it: the operations of a graph
// that can go on, and nonblocking collectives. Who needs the same waits in one heap, ordered by
// when it could go on, ties by when it was scheduled and row.
type strands struct {
	all  []*strand // by number
	free []int32
	wait [needs]waiting // by need

	schedules bool // LogGOPSim's, by when they were scheduled
}

// ticket is a strand that can go on from a time on.
type ticket struct {
	t      unit.Picos
	since  unit.Picos // when it was scheduled, in LogGOPSim; else t
	row    int64
	strand int32
}

func (a ticket) before(b ticket) bool {
	if a.t != b.t {
		return a.t < b.t
	}
	return a.earlier(b)
}

// earlier is whether of two that could go on at a time the first does.
func (a ticket) earlier(b ticket) bool {
	if a.since != b.since {
		return a.since < b.since
	}
	return a.row < b.row
}

// waiting is a heap of tickets.
type waiting []ticket

func (w *waiting) push(n ticket) {
	*w = append(*w, n)
	q := *w
	i := len(q) - 1
	for i > 0 && n.before(q[(i-1)/2]) {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = n
}

func (w *waiting) pop() ticket {
	q := *w
	first, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*w = q
	for i := 0; len(q) > 0; {
		child := 2*i + 1
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if child >= len(q) || !q[child].before(last) {
			q[i] = last
			break
		}
		q[i] = q[child]
		i = child
	}
	return first
}

// mainNumber is the strand of the program; others follow it.
const mainNumber int32 = 1

// number is how mails and pending operations call a strand.
func (r *rank) number(s *strand) int32 {
	if s == &r.main {
		return mainNumber
	}
	return s.number
}

func (r *rank) strand(number int32) *strand {
	if number == mainNumber {
		return &r.main
	}
	return r.more.all[number-mainNumber-1]
}

// add is a new strand.
func (m *strands) add(row int64, op *Op, t unit.Picos) *strand {
	var s *strand
	if n := len(m.free); n > 0 {
		s = m.all[m.free[n-1]-mainNumber-1]
		m.free = m.free[:n-1]
	} else {
		if s = (&strand{}); m.schedules {
			s.agenda = &agenda{}
		}
		m.all = append(m.all, s)
		s.number = int32(len(m.all)) + mainNumber
	}
	*s = strand{number: s.number, row: row, op: op, t: t, round: s.round, agenda: s.agenda}
	return s
}

// put lets a strand wait for what it needs to go on.
func (m *strands) put(r *rank, s *strand) {
	n := r.need(s)
	k := ticket{s.t, s.t, s.row, r.number(s)}
	switch {
	case s.agenda == nil:
	case n == nothing:
		k.since = atFirst
	case n == turns:
		k.since = s.agenda.since
	default: // the processor is not free before s.t
		k.t, k.since = s.agenda.since, s.agenda.since
	}
	m.wait[n].push(k)
}

// time is when the next strand goes on.
func (m *strands) time(r *rank) unit.Picos {
	at := never
	for n := range m.wait {
		if w := m.wait[n]; len(w) > 0 {
			at = min(at, r.goesOn(w[0].t, need(n)))
		}
	}
	return at
}

// scheduled is when the strand was scheduled that LogGOPSim has do something next, at a time; or if it needs nothing for that, before all time.
func (m *strands) scheduled(r *rank, now unit.Picos) unit.Picos {
	since := never
	for n := range m.wait {
		if w := m.wait[n]; len(w) > 0 && r.goesOn(w[0].t, need(n)) <= now {
			since = min(since, w[0].since)
		}
	}
	return since
}

// turn has the next strand do something at a time: of several, the one that needs nothing, then
// the one that could have gone on first, or was scheduled first.
func (r *rank) turn(now unit.Picos) {
	m := r.more
	found := -1
	for n := range m.wait {
		w := m.wait[n]
		if len(w) == 0 || r.goesOn(w[0].t, need(n)) > now {
			continue
		}
		if found < 0 || found != int(nothing) && w[0].earlier(m.wait[found][0]) {
			found = n
		}
	}
	s := r.strand(m.wait[found].pop().strand)
	r.step(s, now)
	m.after(r, s)
}

// after lets a strand that did something wait for its next turn.
func (m *strands) after(r *rank, s *strand) {
	switch {
	case s.phase < blocked:
		m.put(r, s)
	case s.phase == ended && s != &r.main:
		m.free = append(m.free, s.number)
	}
}

// end ends an operation of a graph, or a nonblocking collective.
func (r *rank) end(s *strand, t unit.Picos) {
	s.phase = ended
	if own := s.own; own != 0 {
		r.complete(own, t, 0, 0)
		return
	}
	r.done(s, t)
}
