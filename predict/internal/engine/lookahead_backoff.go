package engine

// lookaheadBackoff decides whether looking ahead pays. A barrier takes as long as computing maxRecomputed lookaheads.
// If a window of Whoa needs more than that for each barrier that it saves, looking ahead does not pay. Workers then
// use windows of the lookahead, as with Quantum and in YAWNS [nicol1993], for as many windows as the window of Whoa
// had. Then they look ahead again. Each time that this does not pay either, the pause grows about twofold, up to
// maxBackoff times the window. All this is counted and not timed, so it does not depend on the host.
type lookaheadBackoff struct {
	skip     int64 // remaining windows without looking ahead
	factor   int64 // length of the last pause, in windows of Whoa
	counting bool  // the following fields are of the present window:
	activeWindows, computed,
	barriers int64 // activeWindows and computed at its begin, barriers since then
}

// maxBackoff is long enough that the time for unsuccessful attempts is negligible.
const maxBackoff = 127

// endWindow ends a window of Whoa. All workers have looked ahead for the next one.
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

// endWithoutLookahead ends a window of the lookahead for which no worker looked ahead.
func (c *workers) endWithoutLookahead(e *engine) int64 {
	p := &c.plans[e.number]
	p.backoff.skip--
	p.backoff.counting = false
	if p.windowEnd = p.from + 1; e.number == 0 && p.from < noFurtherWindow {
		c.Windows++
	}
	return p.windowEnd
}
