package engine

import (
	"unsafe"

	"spoor/traces/unit"
)

// outlook is what is known of the future of the ranks of a worker, for Whoa: the least of each rank's. Bounds are from below, and
// for other workers, by number, of when they feel something.
type outlook struct {
	acts  unit.Picos // when one acts
	last  unit.Picos // L: when what is known has been done
	span  unit.Picos // S: for how long one that waits has something known to do, from its release on
	asks  unit.Picos // when a long message is asked for, or answered
	asked unit.Picos // the same of one that waits, from its release on
	sends []unit.Picos
	later []unit.Picos // the same of one that waits, from its release on
}

func newOutlook(workers int) outlook {
	both := make([]unit.Picos, 2*workers)
	return outlook{sends: both[:workers], later: both[workers:]}
}

// outlooks is those of each rank of a worker, one after the other, found anew for those that acted or got something.
type outlooks struct {
	acts, last, span, asks, asked []unit.Picos
	sends, later                  [][]unit.Picos // by worker; without this one
	stale, short                  marked         // which are to be found anew; whose programs may go ahead
	found                         int64          // outlooks
	lines                         []line         // of each
	dues                          []due          // of each line
}

// marked is some ranks, in no order.
type marked struct {
	all []int32
	is  []bool
}

func (m *marked) add(i int32) {
	if !m.is[i] {
		m.is[i] = true
		m.all = append(m.all, i)
	}
}

func (m *marked) clear() {
	for _, i := range m.all {
		m.is[i] = false
	}
	m.all = m.all[:0]
}

func newOutlooks(ranks, workers, ahead int) *outlooks {
	each := func() []unit.Picos { return make([]unit.Picos, ranks) }
	o := &outlooks{acts: each(), last: each(), span: each(), asks: each(), asked: each(),
		stale: marked{is: make([]bool, ranks)}, short: marked{is: make([]bool, ranks)}}
	o.lines, o.dues = newLines(ranks, workers, ahead)
	for range workers {
		o.sends, o.later = append(o.sends, each()), append(o.later, each())
	}
	for i := range int32(ranks) {
		o.stale.add(i)
	}
	return o
}

// touch is that a rank acts, or does so sooner than was said, or has to answer.
func (e *engine) touch(rank int32) {
	if e.future != nil {
		e.future.stale.add(rank - e.first)
	}
}

// longest is the longest duration that is looked ahead.
const longest = Horizon / 4

// after is a time, or never, and a duration later, of which longest count.
func after(t, long unit.Picos) unit.Picos { return min(t+min(long, longest), never) }

// mostFound is of how many ranks the outlook is found anew within a window: of more, that takes longer than to meet again after the lookahead.
const mostFound = 64

// look makes a worker's outlook. At the end of a window, programs go ahead: those that acted since the last.
func (e *engine) look(r *report, fills bool) {
	o := e.future
	if r.looked = fills || len(o.stale.all) <= mostFound; !r.looked {
		return
	}
	for _, i := range o.stale.all {
		o.short.add(i)
	}
	found := &o.stale
	if fills {
		found = &o.short
	}
	for k := -several - aFew; k < 0; k++ {
		o.foresee(e, found.all, k, fills)
	}
	o.found += int64(len(found.all))
	for k, i := range found.all {
		o.foresee(e, found.all, k, fills)
		o.find(&e.ranks[e.first+i], int(i), fills)
	}
	if o.stale.clear(); fills {
		o.short.clear()
	}
	r.mail = e.outlet.first
	o.sum(&r.outlook, e)
	r.acts = min(r.acts, r.mail)
	if e.asking > 0 {
		r.asks = 0 // any rank may answer now
	}
}

// foresee fetches for ranks whose outlooks are found after that of the k-th: what is known of them, and when that is there what it points to.
func (o *outlooks) foresee(e *engine, found []int32, k int, fills bool) {
	if k += aFew; k >= 0 && k < len(found) {
		i := found[k]
		o.lines[i].fetchOf(&e.ranks[e.first+i], e.opt.Ahead, fills)
	}
	if k += several; k < len(found) {
		i := found[k]
		r, k := &e.ranks[e.first+i], &o.lines[i]
		fetch(unsafe.Pointer(r), 1)
		fetch(unsafe.Pointer(&r.e), 1)
		fetch(unsafe.Pointer(&r.ops), 2)
		fetch(unsafe.Pointer(k), 2)
		fetch(unsafe.Pointer(&o.dues[int(i)*len(k.due)]), 2)
	}
}

// aFew is how many outlooks ahead operations are fetched: they are many lines of memory.
const aFew = 2

// sum is the least of all.
func (o *outlooks) sum(l *outlook, e *engine) {
	l.acts, l.last, l.span = least(o.acts), least(o.last), least(o.span)
	l.asks, l.asked = least(o.asks), least(o.asked)
	for w := range l.sends {
		if w != e.number {
			l.sends[w], l.later[w] = least(o.sends[w]), least(o.later[w])
		}
	}
}

// least is the least of some times, or never. It is twice as fast with two of them under way.
func least(all []unit.Picos) unit.Picos {
	a, b := never, never
	for ; len(all) >= 2; all = all[2:] {
		a, b = min(a, all[0]), min(b, all[1])
	}
	if len(all) == 1 {
		a = min(a, all[0])
	}
	return min(a, b)
}

// find is the outlook of r, the i-th rank.
func (o *outlooks) find(r *rank, i int, fills bool) {
	o.clear(i)
	o.acts[i] = r.next
	if r.urgent > 0 {
		o.asks[i] = r.next
	}
	switch {
	case r.more != nil:
		o.unknown(r, i)
	case r.main.phase != ended && !r.dead:
		if fills {
			o.lines[i].lookAhead(r, r.e.opt.Ahead)
		}
		o.add(r, i)
	}
}

func (o *outlooks) clear(i int) {
	for w := range o.sends {
		o.sends[w][i], o.later[w][i] = never, never
	}
	o.acts[i], o.last[i], o.span[i], o.asks[i], o.asked[i] = never, never, never, never, never
}

// unknown is that nothing is known of a rank but when it acts next.
func (o *outlooks) unknown(r *rank, i int) {
	e := r.e
	soon := after(r.next, e.lookahead)
	for w := range o.sends {
		o.sends[w][i], o.later[w][i] = soon, e.lookahead
	}
	o.last[i], o.span[i] = r.next, 0
	if e.Long >= 0 {
		o.asks[i], o.asked[i] = min(o.asks[i], soon), e.lookahead
	}
}

// add is that a rank has a time-line.
func (o *outlooks) add(r *rank, i int) {
	s, k := &r.main, &o.lines[i]
	before, behind := k.done(r.at-1), k.done(r.at)
	switch {
	case s.phase == working:
		o.goesOn(r, i, r.ownTime(), before)
	case s.phase == collecting && s.op.Kind == Send:
		o.goesOn(r, i, r.ownTime(), behind)
	case s.phase == choosing: // or sooner
		begun := min(behind, before+s.op.Work)
		o.goesOn(r, i, r.ownTime(), begun)
		o.waits(r, i, begun)
	case s.phase != blocked:
		o.goesOn(r, i, r.ownTime(), min(behind, before+s.op.Work))
	default:
		if r.next < never {
			o.goesOn(r, i, r.next, behind)
		}
		if r.next < never && r.ordered() {
			return
		}
		if s.op.Kind != Send {
			behind = min(behind, before+s.op.Work)
		}
		o.waits(r, i, behind)
	}
}

// ordered is whether the message that releases r comes after those that have come from who it wants
// something from. Answers may pass them by.
func (r *rank) ordered() bool {
	return r.wants >= 0 && (r.main.op.Kind == Probe || r.e.pendings.items[r.main.on].what != Isend)
}

// goesOn is that a rank goes on at a time, when it has done so much of its time-line.
func (o *outlooks) goesOn(r *rank, i int, at, done unit.Picos) {
	e, k := r.e, &o.lines[i]
	for w := range o.sends {
		if d := k.due[w].after(r.main.row, done); d < never {
			o.sends[w][i] = after(at, d+e.lookahead)
		}
	}
	if d := k.due[len(o.sends)].after(r.main.row, done); d < never {
		o.asks[i] = min(o.asks[i], after(at, d+e.lookahead))
	}
	if !k.ends(r) {
		o.last[i] = after(at, k.total()-done)
	}
}

// waits is that a rank goes on when it is released.
func (o *outlooks) waits(r *rank, i int, done unit.Picos) {
	e, k := r.e, &o.lines[i]
	for w := range o.later {
		if d := k.due[w].after(r.main.row, done); d < never {
			o.later[w][i] = d + e.lookahead
		}
	}
	if d := k.due[len(o.later)].after(r.main.row, done); d < never {
		o.asked[i] = d + e.lookahead
	}
	if !k.ends(r) {
		o.span[i] = k.total() - done
	}
}

// halting is up to which window a worker goes on by the appointments of others with it.
func (c *crew) halting(e *engine, all []report) int64 {
	p, look := &c.plan[e.number], e.lookahead
	if p.from >= p.window && e.opt.alone {
		if p.pays.rests > 0 {
			return c.alone(e)
		}
		p.pays.window(all)
	}
	p.pays.meetings++
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
	for i := range all {
		if !all[i].looked {
			return p.from + 1
		}
	}
	halt := after(min(asks, after(released, asked)), look)
	for i := range all {
		if i != e.number {
			halt = min(halt, all[i].sends[e.number], after(released, all[i].later[e.number]))
		}
	}
	return min(p.window, int64(halt/look))
}
