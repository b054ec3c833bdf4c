package engine

// pays is whether it pays to look ahead. A meeting takes as long as it takes to find mostFound outlooks. So if a window of Whoa needs more of
// them for each meeting that it saves, workers do without: they go on for the lookahead, as by a Quantum and in YAWNS [nicol1993], for
// as many of these windows as the one of Whoa had. Then they look ahead again, and if that is in vain too they do without three times as
// long, and so on up to longestRest times. All of this is counted, not timed: it does not depend on the host.
type pays struct {
	rests  int64 // windows of the lookahead for which workers do not look ahead
	next   int64 // how many times as long they do not after the next window in vain, but for one
	counts bool  // what follows is of the present window:
	turns, found,
	meetings int64 // the first two as it began, the last since
}

// longestRest is so long that the time in which workers look ahead in vain is next to nothing.
const longestRest = 127

// window is that one of Whoa has come to its end, and all workers have looked ahead for the next.
func (p *pays) window(all []report) {
	turns, found := int64(0), int64(0)
	for i := range all {
		turns, found = max(turns, all[i].turns), max(found, all[i].found)
	}
	if p.counts {
		had := turns - p.turns
		if found-p.found <= mostFound*(had-p.meetings) {
			p.next = 0
		} else {
			p.next = min(2*p.next+1, longestRest)
			p.rests = p.next * had
		}
	}
	p.turns, p.found, p.meetings, p.counts = turns, found, 0, true
}

// alone is a window of the lookahead, for which nobody has looked ahead.
func (c *crew) alone(e *engine) int64 {
	p := &c.plan[e.number]
	p.pays.rests--
	p.pays.counts = false
	if p.window = p.from + 1; e.number == 0 && p.from < noTurn {
		c.Windows++
	}
	return p.window
}
