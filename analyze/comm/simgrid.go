package comm

// SimGridRouter is a topology in which SimGrid 3.32 takes other routes of equal length.
type SimGridRouter interface {
	Topology
	// SimGridRoute is Route as SimGrid has it.
	SimGridRoute(from, to int, into []Link) []Link
}

// SimGridRoute takes other parallel links down. At each switch, SimGrid looks for a link to the next one in the order of
// their numbers: from the lane on that the sender's number chooses or, if it has looked before, from the next number on.
func (t *fatTree) SimGridRoute(from, to int, into []Link) []Link {
	begin := len(into)
	into = t.Route(from, to, into)
	top := (len(into) - begin) / 2
	place := 1 // of the digits of to
	for _, d := range t.down[:top] {
		place *= d
	}
	at, looks := 0, false
	for level := top - 1; level >= 0; level-- {
		place /= t.down[level]
		digit, all := to/place%t.down[level], t.down[level]*t.parallel[level]
		if looks { // the next number with this digit
			at += 1 + ((digit-at-1)%t.down[level]+t.down[level])%t.down[level]
		}
		if !looks || at >= all {
			at = from%t.parallel[level]*t.down[level] + digit
		}
		looks = true
		l := &into[len(into)-1-level]
		*l += 2 * Link((at/t.down[level]-t.Lane(*l))*t.up[level])
	}
	return into
}

// SimGridRoute goes another way around some rings of an even number, if both are equal.
func (g grid) SimGridRoute(from, to int, into []Link) []Link {
	if !g.wraps {
		return g.Route(from, to, into)
	}
	return g.route(from, to, into, func(from, to, n int) bool {
		return from < to && to <= from+n/2 || from > n/2 && (from+n/2)%n >= to
	})
}
