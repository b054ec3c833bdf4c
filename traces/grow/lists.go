package grow

import (
	"slices"

	"spoor/traces/trace"
)

const (
	maxBody   = 24 // most events of the body of a loop
	maxBodies = 24 // most bodies that are tried for one loop
)

// series are partners that change from round to round, with the number of rounds.
type series struct {
	partner partner
	count   count
}

// allSeries lists the series along all axes whose size is not the same in all recordings.
func (p *parser) allSeries() (all []series) {
	for a := range int8(p.tracks[0].axes) {
		if !slices.ContainsFunc(p.tracks, func(t *track) bool { return t.size[a] != p.tracks[0].size[a] }) {
			continue
		}
		log, rest := count{logarithm, a, 1, 0}, count{linear, a, 1, -1}
		for _, down := range []bool{false, true} {
			add := func(c count, fan int32, forms ...form) {
				for _, f := range forms {
					all = append(all, series{partner{form: f, axis: a, down: down, c: fan}, c})
				}
			}
			add(log, 0, powerXor, powerPlus, powerMinus, powerUp, powerDown, lowChild, highChild)
			add(count{wholeLogarithm, a, 1, 0}, 0, foldedXor)
			add(rest, 0, plus, minus, xorAll, others)
			add(count{linear, a, 1, 0}, 0, everyone)
			for fan := int32(2); fan <= maxFan; fan++ {
				add(count{linear, a, 0, fan}, fan, heapChild)
			}
		}
	}
	return all
}

// lists proposes loops whose partners change from round to round, and which begin with the next event of t.
func (p *parser) lists(t *track) (all []*block) {
	lead := t.lead()
	if lead < 0 {
		return nil
	}
	e := &t.rows[t.at+lead]
	every := p.series
	for _, s := range every {
		if s.partner.form == heapChild && t.rank == 0 {
			continue // all others in turn look the same from rank 0
		}
		first, second, ok := s.partner.firstTwo(&t.place, s.count.of(&t.place))
		if !ok || !s.partner.leads(t, s.count, first, e.Peer) {
			continue
		}
		to, _ := s.partner.at(&t.place, second, s.count.of(&t.place))
		m := t.distance(lead, to)
		if m == 0 || !t.recurs(m) {
			continue
		}
		r := repetition{t: t, length: m, count: s.count, first: first, second: second, lead: lead, every: every}
		all = append(all, r.blocks(s.partner)...)
	}
	return all
}

// lead returns how many events precede the next one with a partner, or -1 if that is not near.
func (t *track) lead() int {
	for i := 0; i < maxBody && t.at+i < len(t.rows); i++ {
		if e := &t.rows[t.at+i]; e.Peer >= 0 && namesRank(e.Kind) {
			return i
		}
	}
	return -1
}

// leads reports whether the partner of the given round is peer.
func (f *partner) leads(t *track, c count, round int, peer int32) bool {
	to, ok := f.at(&t.place, round, c.of(&t.place))
	return ok && to == peer
}

// firstTwo returns the first two of n rounds in which there is a partner.
func (f *partner) firstTwo(p *place, n int) (first, second int, ok bool) {
	first = -1
	for k := range n {
		if _, is := f.at(p, k, n); !is {
			continue
		}
		if first >= 0 {
			return first, k, true
		}
		first = k
	}
	return 0, 0, false
}

// distance returns the number of rows from the next event but lead to one like it with the given partner. It is 0 if none
// is near, or if the event before the loop does not repeat.
func (t *track) distance(lead int, peer int32) int {
	at := t.at + lead
	e := &t.rows[at]
	for m := lead + 1; m <= maxBody && at+m < len(t.rows); m++ {
		if o := &t.rows[at+m]; t.rows[t.at+m].Kind == t.rows[t.at].Kind && o.Kind == e.Kind && o.Peer == peer && opens(o) == opens(e) {
			return m
		}
	}
	return 0
}

// recurs reports whether the m events after the next m have the same kinds.
func (t *track) recurs(m int) bool {
	if t.at+2*m > len(t.rows) {
		return false
	}
	for i := t.at; i < t.at+m; i++ {
		if a, b := &t.rows[i], &t.rows[i+m]; a.Kind != b.Kind || opens(a) != opens(b) {
			return false
		}
	}
	return true
}

// repetition is a loop whose first two bodies are known.
type repetition struct {
	t             *track
	length        int // of the body, in events
	count         count
	first, second int // rounds of the two bodies
	lead          int // the step with the partner that was found first
	every         []series
	like          []*track // ranks of other recordings that execute the loop next
}

// blocks returns the loops with all combinations of partners that explain the two bodies. If lead has a form, it is the
// partner of the step r.lead.
func (r *repetition) blocks(lead partner) (all []*block) {
	bodies := [][]step{nil}
	for j := range r.length {
		choices := r.choices(j)
		if j == r.lead && lead.form != 0 {
			one := newStep(&r.t.rows[r.t.at+j])
			one.peer = lead
			choices = []step{one}
		}
		var more [][]step
		for _, b := range bodies {
			for _, s := range choices {
				if len(more) < maxBodies {
					more = append(more, append(b[:len(b):len(b)], s))
				}
			}
		}
		bodies = more
	}
	for _, b := range bodies {
		all = append(all, &block{count: r.count, body: b})
	}
	return all
}

// choices lists the steps that explain event j of the body.
func (r *repetition) choices(j int) (all []step) {
	e := &r.t.rows[r.t.at+j]
	s := newStep(e)
	switch {
	case e.Request != trace.None && !s.opens:
		s.tie = r.tie(j, e.Request)
		return []step{s}
	case e.Peer == trace.None:
		all = append(all, s)
		if near := r.partnerNear(j); near >= 0 {
			s.with = int8(near)
			all = append(all, s)
		}
		return all
	}
	for _, f := range r.partners(j) {
		s.peer = f
		all = append(all, s)
	}
	return all
}

// partners lists the partners that explain event j of both bodies.
func (r *repetition) partners(j int) (all []partner) {
	e, n := &r.t.rows[r.t.at+j], r.count.of(&r.t.place)
	var next *trace.Event
	if at := r.t.at + r.length + j; at < len(r.t.rows) && r.t.rows[at].Kind == e.Kind {
		next = &r.t.rows[at]
	}
	for _, f := range fixed(&r.t.place, e) {
		if (next == nil || next.Peer == e.Peer) && r.elsewhere(f, j) {
			all = append(all, f)
		}
	}
	for _, s := range r.every {
		if s.count != r.count {
			continue
		}
		to, ok := s.partner.at(&r.t.place, r.first, n)
		then, more := s.partner.at(&r.t.place, r.second, n)
		if ok && to == e.Peer && (next == nil || !more || then == next.Peer) {
			all = append(all, s.partner)
		}
	}
	return all
}

// elsewhere reports whether f is the partner of step j of the first body also in other recordings.
func (r *repetition) elsewhere(f partner, j int) bool {
	for _, o := range r.like {
		if to, ok := f.at(&o.place, 0, 1); !ok || to != o.rows[o.at+j].Peer {
			return false
		}
	}
	return true
}

// tie returns which request event j refers to: one of the same body if possible.
func (r *repetition) tie(j int, number int32) tie {
	for i := j - 1; i >= 0; i-- {
		if e := &r.t.rows[r.t.at+i]; opens(e) && e.Request == number {
			return tie{opener, 0, int32(i)}
		}
	}
	if all := r.t.ties(number); len(all) > 0 {
		return all[0]
	}
	return tie{form: oldest}
}

// partnerNear returns the nearest step before j that has a partner, or else the nearest one after it, or -1.
func (r *repetition) partnerNear(j int) int {
	for i := j - 1; i >= 0; i-- {
		if r.t.rows[r.t.at+i].Peer != trace.None {
			return i
		}
	}
	for i := j + 1; i < r.length; i++ {
		if r.t.rows[r.t.at+i].Peer != trace.None {
			return i
		}
	}
	return -1
}
