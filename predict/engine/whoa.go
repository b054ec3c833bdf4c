package engine

import "spoor/traces/unit"

// outlook is what is known of the future of a rank, or a worker, for Whoa. Bounds are from below, and
// for other workers, by number, of when they feel something. That of several ranks is the least of each.
type outlook struct {
	acts  unit.Picos // when it acts
	last  unit.Picos // L: when what is known has been done
	span  unit.Picos // S: for how long one that waits has something known to do, from its release on
	asks  unit.Picos // when a long message is asked for, or answered
	asked unit.Picos // the same of one that waits, from its release on
	sends []unit.Picos
	later []unit.Picos // the same of one that waits, from its release on
}

// outlooks is those of the ranks of a worker, found anew for those that acted or got something.
type outlooks struct {
	all   []outlook
	stale []bool
}

func newOutlook(workers int) outlook {
	both := make([]unit.Picos, 2*workers)
	return outlook{sends: both[:workers], later: both[workers:]}
}

func newOutlooks(ranks, workers int) *outlooks {
	o := &outlooks{all: make([]outlook, ranks), stale: make([]bool, ranks)}
	for i := range o.all {
		o.all[i], o.stale[i] = newOutlook(workers), true
	}
	return o
}

// touch is that a rank acts, or gets something.
func (e *engine) touch(rank int32) {
	if e.future != nil {
		e.future.stale[rank-e.first] = true
	}
}

func (l *outlook) clear() {
	for w := range l.sends {
		l.sends[w], l.later[w] = never, never
	}
	l.acts, l.last, l.span, l.asks, l.asked = never, never, never, never, never
}

// least makes l the least of itself and another one.
func (l *outlook) least(m *outlook) {
	l.acts, l.last, l.span = min(l.acts, m.acts), min(l.last, m.last), min(l.span, m.span)
	l.asks, l.asked = min(l.asks, m.asks), min(l.asked, m.asked)
	for w := range l.sends {
		l.sends[w], l.later[w] = min(l.sends[w], m.sends[w]), min(l.later[w], m.later[w])
	}
}

// longest is the longest duration that is looked ahead.
const longest = Horizon / 4

// after is a time, or never, and a duration later, of which longest count.
func after(t, long unit.Picos) unit.Picos { return min(t+min(long, longest), never) }

// look makes a worker's outlook. At the end of a window, programs go ahead.
func (e *engine) look(r *report, fills bool) {
	o, l := e.future, &r.outlook
	l.clear()
	r.mail = e.outlet.first
	for i := range o.all {
		if o.stale[i] || fills {
			o.stale[i] = false
			o.all[i].of(&e.ranks[int(e.first)+i], fills)
		}
		l.least(&o.all[i])
	}
	l.acts = min(l.acts, r.mail)
	if e.asking > 0 {
		l.asks = 0 // any rank may answer now
	}
}

// of is that of a rank.
func (l *outlook) of(r *rank, fills bool) {
	l.clear()
	l.acts = r.next
	if r.urgent > 0 {
		l.asks = r.next
	}
	switch {
	case r.more != nil:
		l.unknown(r)
	case r.main.phase != ended && !r.dead:
		if fills {
			r.lookAhead(r.e.opt.Ahead)
		}
		l.add(r)
	}
}

// unknown adds a rank of which nothing is known but when it acts next.
func (l *outlook) unknown(r *rank) {
	e := r.e
	soon := after(r.next, e.lookahead)
	for w := range l.sends {
		l.sends[w] = min(l.sends[w], soon)
		l.later[w] = min(l.later[w], e.lookahead)
	}
	l.last, l.span = min(l.last, r.next), 0
	if e.Long >= 0 {
		l.asks, l.asked = min(l.asks, soon), min(l.asked, e.lookahead)
	}
}

// add adds a rank with a time-line.
func (l *outlook) add(r *rank) {
	s, k := &r.main, r.line
	before, behind := k.done(r.at-1), k.done(r.at)
	begun := min(behind, before+s.op.Work)
	switch {
	case s.phase == working:
		l.goesOn(r, r.ownTime(), before)
	case s.phase == collecting && s.op.Kind == Send:
		l.goesOn(r, r.ownTime(), behind)
	case s.phase == choosing: // or sooner
		l.goesOn(r, r.ownTime(), begun)
		l.waits(r, begun)
	case s.phase != blocked:
		l.goesOn(r, r.ownTime(), begun)
	default:
		if r.next < never {
			l.goesOn(r, r.next, behind)
		}
		if r.next == never || !r.ordered() {
			if s.op.Kind == Send {
				begun = behind
			}
			l.waits(r, begun)
		}
	}
}

// ordered is whether the message that releases r comes after those that have come from who it wants
// something from. Answers may pass them by.
func (r *rank) ordered() bool {
	return r.wants >= 0 && (r.main.op.Kind == Probe || r.e.pendings.items[r.main.on].what != Isend)
}

// goesOn adds a rank that goes on at a time, when it has done so much of its time-line.
func (l *outlook) goesOn(r *rank, at, done unit.Picos) {
	k := r.line
	for w := range l.sends {
		if d := k.due[w].after(r.main.row, done, r.e); d < never {
			l.sends[w] = min(l.sends[w], after(at, d))
		}
	}
	if d := k.due[len(l.sends)].after(r.main.row, done, r.e); d < never {
		l.asks = min(l.asks, after(at, d))
	}
	if !k.ends(r) {
		l.last = min(l.last, after(at, k.total-done))
	}
}

// waits adds a rank that goes on when it is released.
func (l *outlook) waits(r *rank, done unit.Picos) {
	k := r.line
	for w := range l.later {
		l.later[w] = min(l.later[w], k.due[w].after(r.main.row, done, r.e))
	}
	l.asked = min(l.asked, k.due[len(l.later)].after(r.main.row, done, r.e))
	if !k.ends(r) {
		l.span = min(l.span, k.total-done)
	}
}

// halting is up to which window a worker goes on by the appointments of others with it.
func (c *crew) halting(e *engine, all []report) int64 {
	p, look := &c.plan[e.number], e.lookahead
	next, mail, last, span, asks, asked := never, never, never, never, never, never
	for i := range all {
		l := &all[i]
		next, mail = min(next, l.acts), min(mail, l.mail)
		last, span = min(last, l.last), min(span, l.span)
		asks, asked = min(asks, l.asks), min(asked, l.asked)
	}
	released := min(mail, after(next, look))
	if p.from >= p.window {
		if p.window = int64(after(min(last, after(released, span)), look) / look); e.number == 0 && p.from < noTurn {
			c.Windows++
		}
		p.window = max(p.window, p.from+1)
	}
	halt := after(min(asks, after(released, asked)), look)
	for i := range all {
		if i != e.number {
			halt = min(halt, all[i].sends[e.number], after(released, all[i].later[e.number]))
		}
	}
	return min(p.window, int64(halt/look))
}
