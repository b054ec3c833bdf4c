package engine

import (
	"spoor/predict/internal/engine/appointment"
	"spoor/predict/internal/engine/prefetch"
	"unsafe"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/engine/table"
	"spoor/traces/unit"
)

// lookahead holds the least bounds of all ranks of a worker, for Whoa. sends and sendsAfter are indexed by worker:
// when that worker is affected.
type lookahead struct {
	earliest        unit.Picos // when a rank acts next
	last            unit.Picos // L: when the known operations have been done
	residual        unit.Picos // S: how long the known operations of a blocked rank take after its release
	rendezvous      unit.Picos // when a rendezvous message is requested or answered
	rendezvousAfter unit.Picos // the same for a blocked rank, counted from its release
	sends           []unit.Picos
	sendsAfter      []unit.Picos // the same for a blocked rank, counted from its release
}

func newLookahead(workers int) lookahead {
	both := make([]unit.Picos, 2*workers)
	return lookahead{sends: both[:workers], sendsAfter: both[workers:]}
}

// lookaheads holds the bounds of each rank of a worker. They are recomputed for ranks that acted or received
// something.
type lookaheads struct {
	earliest, last, residual, rendezvous, rendezvousAfter []unit.Picos
	sends, sendsAfter                                     [][]unit.Picos // by worker; the own one is unused
	// ranks to recompute; ranks whose schedules are to be filled
	dirty, toFill table.Set
	computed      int64               // ranks recomputed so far
	schedules     []schedule          // of each rank
	appointments  []appointment.Queue // of each schedule
}

func newLookaheads(ranks, workers, ahead int) *lookaheads {
	each := func() []unit.Picos { return make([]unit.Picos, ranks) }
	o := &lookaheads{earliest: each(), last: each(), residual: each(), rendezvous: each(), rendezvousAfter: each(),
		dirty: table.NewSet(ranks), toFill: table.NewSet(ranks)}
	o.schedules, o.appointments = newSchedules(ranks, workers, ahead)
	for range workers {
		o.sends, o.sendsAfter = append(o.sends, each()), append(o.sendsAfter, each())
	}
	for i := range int32(ranks) {
		o.dirty.Add(i)
	}
	return o
}

// markDirty notes that a rank acted, or acts sooner than its bounds say, or has to answer.
func (e *engine) markDirty(rank int32) {
	if e.lookaheads != nil {
		e.lookaheads.dirty.Add(rank - e.first)
	}
}

// maxLookahead is the longest duration that is looked ahead.
const maxLookahead = cost.Horizon / 4

// addTime returns t plus a duration, at most never. At most maxLookahead of the duration counts.
func addTime(t, long unit.Picos) unit.Picos { return min(t+min(long, maxLookahead), never) }

// maxRecomputed is the number of ranks whose bounds are recomputed within a window.
const maxRecomputed = appointment.PerBarrier

// updateLookahead computes a worker's bounds. With fill, at the end of a window, it also fills the schedules of the
// ranks that acted since the last one.
func (e *engine) updateLookahead(r *status, fill bool) {
	o := e.lookaheads
	if r.hasBounds = fill || len(o.dirty.All) <= maxRecomputed; !r.hasBounds {
		return
	}
	for _, i := range o.dirty.All {
		o.toFill.Add(i)
	}
	found := &o.dirty
	if fill {
		o.addReady(e)
		e.readAheadTogether()
		found = &o.toFill
	}
	for k := -prefetchDistance - opsPrefetchDistance; k < 0; k++ {
		o.prefetch(e, found.All, k, fill)
	}
	o.computed += int64(len(found.All))
	for k, i := range found.All {
		o.prefetch(e, found.All, k, fill)
		o.compute(&e.ranks[e.first+i], int(i), fill)
	}
	if o.dirty.Clear(); fill {
		o.toFill.Clear()
	}
	r.firstSent = e.outbox.first
	o.sum(&r.lookahead, e)
	r.earliest = min(r.earliest, r.firstSent)
	if e.rendezvousPending > 0 {
		r.rendezvous = 0 // any rank may answer now
	}
}

// addReady adds the ranks of a directly executed program that go on because of messages from other ranks.
func (o *lookaheads) addReady(e *engine) {
	for i := e.first; e.direct != nil && i < e.end; i++ {
		if e.ranks[i].isReady() {
			o.toFill.Add(i - e.first)
		}
	}
}

// prefetch prefetches ranks and schedules that compute needs after the k-th rank, and then what they point to.
func (o *lookaheads) prefetch(e *engine, found []int32, k int, fill bool) {
	if k += opsPrefetchDistance; k >= 0 && k < len(found) {
		i := found[k]
		o.schedules[i].prefetch(&e.ranks[e.first+i], e.opt.Ahead, fill)
	}
	if k += prefetchDistance; k < len(found) {
		i := found[k]
		r, k := &e.ranks[e.first+i], &o.schedules[i]
		prefetch.Lines(unsafe.Pointer(r), 1)
		prefetch.Lines(unsafe.Pointer(&r.e), 1)
		prefetch.Lines(unsafe.Pointer(&r.ops), 2)
		prefetch.Lines(unsafe.Pointer(k), 2)
		prefetch.Lines(unsafe.Pointer(&o.appointments[int(i)*len(k.appointments)]), 2)
	}
}

// opsPrefetchDistance is how many ranks ahead operations are prefetched. It is small, because operations take many
// cache lines.
const opsPrefetchDistance = 2

// sum sets l to the least bounds of all ranks.
func (o *lookaheads) sum(l *lookahead, e *engine) {
	l.earliest, l.last, l.residual = appointment.Least(o.earliest), appointment.Least(o.last), appointment.Least(o.residual)
	l.rendezvous, l.rendezvousAfter = appointment.Least(o.rendezvous), appointment.Least(o.rendezvousAfter)
	for w := range l.sends {
		if w != e.number {
			l.sends[w], l.sendsAfter[w] = appointment.Least(o.sends[w]), appointment.Least(o.sendsAfter[w])
		}
	}
}

// compute computes the bounds of r, the i-th rank.
func (o *lookaheads) compute(r *rank, i int, fill bool) {
	o.reset(i)
	o.earliest[i] = r.next
	if r.urgent > 0 {
		o.rendezvous[i] = r.next
	}
	switch {
	case r.tasks != nil:
		o.addUnknown(r, i)
	case r.main.phase != ended && !r.failed:
		if fill {
			o.schedules[i].fill(r, r.e.opt.Ahead)
		}
		o.addSchedule(r, i)
	}
}

func (o *lookaheads) reset(i int) {
	for w := range o.sends {
		o.sends[w][i], o.sendsAfter[w][i] = never, never
	}
	o.earliest[i], o.last[i], o.residual[i], o.rendezvous[i], o.rendezvousAfter[i] = never, never, never, never, never
}

// addUnknown sets the bounds of a rank of which only its next action is known.
func (o *lookaheads) addUnknown(r *rank, i int) {
	e := r.e
	soon := addTime(r.next, e.lookahead)
	for w := range o.sends {
		o.sends[w][i], o.sendsAfter[w][i] = soon, e.lookahead
	}
	o.last[i], o.residual[i] = r.next, 0
	if e.EagerLimit >= 0 {
		o.rendezvous[i], o.rendezvousAfter[i] = min(o.rendezvous[i], soon), e.lookahead
	}
}

// addSchedule sets the bounds of a rank that has a schedule.
func (o *lookaheads) addSchedule(r *rank, i int) {
	s, k := &r.main, &o.schedules[i]
	before, behind := k.minBefore(r.at-1), k.minBefore(r.at)
	switch {
	case s.phase == working:
		o.addRunning(r, i, r.programTime(), before)
	case s.phase == collecting && s.op.Kind == program.Send:
		o.addRunning(r, i, r.programTime(), behind)
	case s.phase == selecting: // or sooner
		begun := min(behind, before+s.op.Work)
		o.addRunning(r, i, r.programTime(), begun)
		o.addBlocked(r, i, begun)
	case s.phase != blocked:
		o.addRunning(r, i, r.programTime(), min(behind, before+s.op.Work))
	default:
		if r.next < never {
			o.addRunning(r, i, r.next, behind)
		}
		if r.next < never && r.releaseInOrder() {
			return
		}
		if s.op.Kind != program.Send {
			behind = min(behind, before+s.op.Work)
		}
		o.addBlocked(r, i, behind)
	}
}

// releaseInOrder reports whether the message that releases r comes after all that its sender sent before. Answers
// (CTS) may overtake them.
func (r *rank) releaseInOrder() bool {
	return r.source >= 0 && (r.main.op.Kind == program.Probe || r.e.pendingOps.Items[r.main.pending].kind != program.Isend)
}

// addRunning sets the bounds of a rank that goes on at a time, when it has done the given part of its schedule.
func (o *lookaheads) addRunning(r *rank, i int, at, done unit.Picos) {
	e, k := r.e, &o.schedules[i]
	for w := range o.sends {
		if d := k.appointments[w].UntilNext(r.main.row, done); d < never {
			o.sends[w][i] = addTime(at, d+e.lookahead)
		}
	}
	if d := k.appointments[len(o.sends)].UntilNext(r.main.row, done); d < never {
		o.rendezvous[i] = min(o.rendezvous[i], addTime(at, d+e.lookahead))
	}
	if !k.complete(r) {
		o.last[i] = addTime(at, k.total()-done)
	}
}

// addBlocked sets the bounds of a rank that goes on when it is released.
func (o *lookaheads) addBlocked(r *rank, i int, done unit.Picos) {
	e, k := r.e, &o.schedules[i]
	for w := range o.sendsAfter {
		if d := k.appointments[w].UntilNext(r.main.row, done); d < never {
			o.sendsAfter[w][i] = d + e.lookahead
		}
	}
	if d := k.appointments[len(o.sendsAfter)].UntilNext(r.main.row, done); d < never {
		o.rendezvousAfter[i] = d + e.lookahead
	}
	if !k.complete(r) {
		o.residual[i] = k.total() - done
	}
}
