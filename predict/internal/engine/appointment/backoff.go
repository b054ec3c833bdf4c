package appointment

// Backoff decides whether looking ahead pays. A barrier takes as long as computing PerBarrier bounds. If a window of Whoa
// needs more than that for each barrier that it saves, looking ahead does not pay. Workers then use windows of the
// lookahead, as with Quantum and in YAWNS [nicol1993], for as many windows as the window of Whoa had. Then they look
// ahead again. Each time that this does not pay either, the pause grows about twofold, up to maxBackoff times the
// window. All this is counted and not timed, so it does not depend on the host.
type Backoff struct {
	Skip             int64 // remaining windows without looking ahead
	Barriers         int64 // since the begin of the present window
	factor           int64 // length of the last pause, in windows of Whoa
	counting         bool  // the following fields are of the present window:
	active, computed int64 // at its begin
}

// PerBarrier is the number of bounds that take as long to compute as a barrier after one lookahead.
const PerBarrier = 64

// maxBackoff is long enough that the time for unsuccessful attempts is negligible.
const maxBackoff = 127

// EndWindow ends a window of Whoa. Since the run began, ranks acted in `active` windows of the lookahead, and `computed` bounds
// were computed.
func (b *Backoff) EndWindow(active, computed int64) {
	if b.counting {
		had := active - b.active
		if computed-b.computed <= PerBarrier*(had-b.Barriers) {
			b.factor = 0
		} else {
			b.factor = min(2*b.factor+1, maxBackoff)
			b.Skip = b.factor * had
		}
	}
	b.active, b.computed, b.Barriers, b.counting = active, computed, 0, true
}

// EndSkipped ends a window for which no worker looked ahead.
func (b *Backoff) EndSkipped() {
	b.Skip--
	b.counting = false
}
