package engine

import (
	"fmt"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
)

// pollCount counts the consecutive unsuccessful polls of a rank.
type pollCount struct {
	row   int64 // of the last one
	times int64
}

// pollLimit is the number of polls after which the engine checks for a livelock.
const pollLimit = 1 << 22

// countPoll counts a poll for something that is neither there nor in flight. A program that only polls would never
// end if no other rank goes on. A program could still stop after a number of polls, but pollLimit is larger than such
// numbers.
func (r *rank) countPoll(s *task) {
	l := &r.polls
	if s.row != l.row+1 {
		l.times = 0
	}
	l.row = s.row
	if l.times++; l.times%pollLimit != 0 {
		return
	}
	r.e.polls = true
	if int(r.e.end-r.e.first) == len(r.e.ranks) && r.e.onlyPolls() {
		r.e.fail(r.e.livelock())
	}
}

// onlyPolls reports whether ranks of a worker poll and nothing else happens to its ranks any more.
func (e *engine) onlyPolls() bool {
	if e.sharedNext() < cost.Horizon || e.coSimulatorNext() < cost.Horizon {
		return false
	}
	for i := e.first; i < e.end; i++ {
		r := &e.ranks[i]
		if len(r.arrivals) > 0 || len(r.releases) > 0 || r.next < cost.Horizon && r.id != e.active && !r.pollsForever() {
			return false
		}
	}
	return true
}

// isLivelock reports whether ranks of some workers poll, and no other rank acts any more.
func isLivelock(all []status) bool {
	polls := false
	for i := range all {
		if !all[i].onlyPolls && all[i].next < noFurtherWindow {
			return false
		}
		polls = polls || all[i].onlyPolls
	}
	return polls
}

// pollsForever reports whether r has reached pollLimit and polls next.
func (r *rank) pollsForever() bool {
	s := &r.main
	return r.polls.times >= pollLimit && (s.op.Kind == program.Iprobe || s.op.Kind == program.Test) && s.row-r.polls.row <= 1
}

// livelock describes the polling and the blocked ranks.
func (e *engine) livelock() *outcome.Deadlock {
	d := &outcome.Deadlock{At: e.now, Ranks: len(e.ranks)}
	for i := range e.ranks {
		r := &e.ranks[i]
		if r.id != e.active && r.next >= cost.Horizon {
			d.Blocked = append(d.Blocked, r.blocked()...)
			continue
		}
		b := outcome.Blocked{Rank: r.id, Row: r.main.row, For: r.main.op.Peer}
		if r.main.op.Kind == program.Iprobe {
			b.What = message(b.For, r.main.op.Tag, r.main.op.Group)
		} else if n, _ := r.requestEnd(r.main.op.Request); n > 0 {
			b.For, b.What = r.describePending(&r.main, n)
		}
		b.What += fmt.Sprintf(", for which it has polled %d times", r.polls.times)
		d.Blocked = append(d.Blocked, b)
	}
	return d
}
