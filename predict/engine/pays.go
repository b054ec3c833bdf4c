package engine

// pays is whether it pays to look ahead. A meeting takes as long as it takes to find mostFound outlooks. So if a window of Whoa needs more of
// them for each meeting that it saves, workers do without: they go on for the lookahead, as by a Quantum and in YAWNS [nicol1993], for
// as many of these windows as the one of Whoa had. Then they look ahead again, and if that is in vain too they do without three times as
// long, and so on up to longestRest times. All of this is counted, not timed: it does not depend on the host.
type lookaheadBackoff struct {
	skip     int64 // windows of the lookahead for which workers do not look ahead
	factor   int64 // how many times as long they do not after the next window in vain, but for one
	counting bool  // what follows is of the present window:
	activeWindows, computed,
	barriers int64 // the first two as it began, the last since
}

// longestRest is so long that the time in which workers look ahead in vain is next to nothing.
const maxBackoff = 127

// window is that one of Whoa has come to its end, and all workers have looked ahead for the next.
func (p *lookaheadBackoff) endWindow(all []status) {
	turns, found := int64(0), int64(0)
	for i := range all {
		turns, found = max(turns, all[i].activeWindows), max(found, all[i].computed)
	}
	if p.counting {
		had := turns - p.activeWindows
		if found-p.computed <= maxRecomputed*(had-p.barriers) {
			p.factor = 0
		} else {
			p.factor = min(2*p.factor+1, maxBackoff)
			p.skip = p.factor * had
		}
	}
	p.activeWindows, p.computed, p.barriers, p.counting = turns, found, 0, true
}

// alone is a window of the lookahead, for which nobody has looked ahead.
func (c *workers) endWithoutLookahead(e *engine) int64 {
	p := &c.plans[e.number]
	p.backoff.skip--
	p.backoff.counting = false
	if p.windowEnd = p.from + 1; e.number == 0 && p.from < noFurtherWindow {
		c.Windows++
	}
	return p.windowEnd
}
