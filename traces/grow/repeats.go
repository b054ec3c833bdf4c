package grow

import "slices"

// repeats proposes loops with the same partners in all rounds, whose number of rounds depends on the number of ranks.
func (p *parser) repeats(t *track) (all []*block) {
	all = p.dealing(t)
	m, n := t.repeated()
	if n < 2 {
		return all
	}
	known := map[count]bool{}
	of := func(o *track) int { return o.roundsLike(t, m) }
	for _, c := range p.counts(t, n, of) {
		if known[c] || c.of(&t.place) != n || !p.elsewhere(t, c, of) {
			continue
		}
		known[c] = true
		r := repetition{t: t, length: m, count: c, first: 0, second: 1, like: p.alike(t, m)}
		all = append(all, r.blocks(partner{})...)
	}
	return all
}

// repeated returns the length of the shortest body that is executed at least twice from the next event on, and how often.
func (t *track) repeated() (length, times int) {
	for m := 1; m <= maxBody && t.at+2*m <= len(t.rows); m++ {
		if n := t.roundsLike(t, m); n >= 2 {
			return m, n
		}
	}
	return 0, 0
}

// roundsLike returns how often t executes a body of m events whose kinds are those of the next m events of o. All
// rounds have the same partners.
func (t *track) roundsLike(o *track, m int) (n int) {
	for i := t.at; i+m <= len(t.rows); i += m {
		for j := range m {
			e, like := &t.rows[i+j], &o.rows[o.at+j]
			first := &t.rows[t.at+j]
			if e.Kind != like.Kind || opens(e) != opens(like) || e.Peer != first.Peer || e.Tag != first.Tag {
				return n
			}
		}
		n++
	}
	return n
}

// counts lists numbers of rounds that are n for t, and that change with the number of ranks. The function of counts
// the rounds of other ranks.
func (p *parser) counts(t *track, n int, of func(*track) int) (all []count) {
	for a := range int8(t.axes) {
		size := t.size[a]
		for _, c := range []count{{logarithm, a, 1, 0}, {linear, a, 1, -1}, {linear, a, 1, 0}} {
			if c.of(&t.place) == n {
				all = append(all, c)
			}
		}
		for _, o := range p.tracks {
			if o.recording == t.recording || !alike(t, o) || o.at >= len(o.rows) {
				continue
			}
			there := of(o)
			if c, ok := through(linear, a, size, n, o.size[a], there); ok && c.a > 0 {
				all = append(all, c)
			}
			if c, ok := through(logarithm, a, rounds(size), n, rounds(o.size[a]), there); ok && c.a > 0 {
				all = append(all, c)
			}
		}
	}
	return append(all, p.shares(t, of)...)
}

// elsewhere reports whether each other recording has a rank like t that executes the body as often as c says: in one of
// them, not as often as t.
func (p *parser) elsewhere(t *track, c count, of func(*track) int) bool {
	found := make([]bool, len(p.names))
	found[t.recording] = true
	if !slices.ContainsFunc(p.tracks, func(o *track) bool { return c.of(&o.place) != c.of(&t.place) }) {
		return false
	}
	for _, o := range p.tracks {
		if o.recording != t.recording && !found[o.recording] && alike(t, o) && o.at < len(o.rows) {
			found[o.recording] = of(o) == c.of(&o.place)
		}
	}
	return !slices.Contains(found, false)
}

// alike returns the ranks of other recordings that are like t and have a body of the same kinds next.
func (p *parser) alike(t *track, m int) (all []*track) {
	for _, o := range p.tracks {
		if o.recording != t.recording && alike(t, o) && o.at < len(o.rows) && o.roundsLike(t, m) > 0 {
			all = append(all, o)
		}
	}
	return all
}

// alike reports whether two ranks have the same place relative to the first or last rank.
func alike(a, b *track) bool { return a.rank == b.rank || a.ranks-a.rank == b.ranks-b.rank }

// through returns the count a x + b through two points.
func through(f countForm, axis int8, x1, y1, x2, y2 int) (count, bool) {
	if x1 == x2 || (y1-y2)%(x1-x2) != 0 {
		return count{}, false
	}
	a := (y1 - y2) / (x1 - x2)
	return count{f, axis, int32(a), int32(y1 - a*x1)}, true
}

// shares lists the ways to divide all rounds of the recording of t among its ranks.
func (p *parser) shares(t *track, of func(*track) int) (all []count) {
	for first := range 2 {
		total := 0
		for _, o := range p.tracks {
			if o.recording == t.recording && o.rank >= first && o.at < len(o.rows) {
				total += of(o)
			}
		}
		for _, f := range []countForm{dealtCount, shareCount} {
			all = append(all, count{f, 0, int32(first), int32(total)})
		}
	}
	return all
}

// dealing proposes loops in which rank 0 addresses all others in turn, more or less often than once.
func (p *parser) dealing(t *track) (all []*block) {
	lead := t.lead()
	if t.rank != 0 || t.ranks < 3 || lead < 0 || t.rows[t.at+lead].Peer != 1 {
		return nil
	}
	m := t.distance(lead, 2)
	if m == 0 {
		return nil
	}
	every := []series{{partner{form: dealt}, count{}}}
	n := t.dealt(lead, m)
	for _, o := range p.tracks {
		if o.rank != 0 || o.ranks == t.ranks || o.ranks < 3 || o.at+m > len(o.rows) {
			continue
		}
		if c, ok := through(linear, 0, t.ranks, n, o.ranks, o.dealt(lead, m)); ok {
			every[0].count = c
			r := repetition{t: t, length: m, count: c, first: 0, second: 1, lead: lead, every: every}
			all = append(all, r.blocks(partner{form: dealt})...)
		}
	}
	return all
}

// dealt returns how often rank 0 executes a body of m events whose event lead has the next of the others as its partner.
func (t *track) dealt(lead, m int) (n int) {
	f := partner{form: dealt}
	for i := t.at; i+m <= len(t.rows); i += m {
		to, _ := f.at(&t.place, n, n)
		for j := range m {
			if e, first := &t.rows[i+j], &t.rows[t.at+j]; e.Kind != first.Kind || e.Tag != first.Tag {
				return n
			}
		}
		if t.rows[i+lead].Peer != to {
			return n
		}
		n++
	}
	return n
}
