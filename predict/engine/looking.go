package engine

import "fmt"

// looking is how often a rank has looked for what was not there, one operation after the other.
type pollCount struct {
	row   int64 // of the last one
	times int64
}

// forEver is how often a rank looks before it is asked whether it does so in vain.
const pollLimit = 1 << 22

// looked is that a strand looks for what is not there, and not on its way. A program that does nothing else, when nobody else goes on, would never end.
// It could still decide to, by how often it has looked: forEver is more than that.
func (r *rank) countPoll(s *task) {
	l := &r.polls
	if s.row != l.row+1 {
		l.times = 0
	}
	l.row = s.row
	if l.times++; l.times%pollLimit == 0 && r.e.isLivelock() {
		r.e.fail(r.e.livelock())
	}
}

// allInVain is whether nothing happens any more but that ranks look for something.
func (e *engine) isLivelock() bool {
	if int(e.end-e.first) < len(e.ranks) || e.sharedNext() < Horizon || e.coSimulatorNext() < Horizon {
		return false
	}
	for i := range e.ranks {
		r := &e.ranks[i]
		if len(r.arrivals) > 0 || len(r.releases) > 0 || r.next < Horizon && r.id != e.active && !r.pollsForever() {
			return false
		}
	}
	return true
}

// looksInVain is whether r has looked for ever, and does so next.
func (r *rank) pollsForever() bool {
	s := &r.main
	return r.polls.times >= pollLimit && (s.op.Kind == Iprobe || s.op.Kind == Test) && s.row-r.polls.row <= 1
}

// inVain names who looks for what, and who waits.
func (e *engine) livelock() *Deadlock {
	d := &Deadlock{At: e.now, Ranks: len(e.ranks)}
	for i := range e.ranks {
		r := &e.ranks[i]
		if r.id != e.active && r.next >= Horizon {
			d.Blocked = append(d.Blocked, r.blocked()...)
			continue
		}
		b := Blocked{Rank: r.id, Row: r.main.row, For: r.main.op.Peer}
		if r.main.op.Kind == Iprobe {
			b.What = message(b.For, r.main.op.Tag, r.main.op.Group)
		} else if n, _ := r.requestEnd(r.main.op.Request); n > 0 {
			b.For, b.What = r.describePending(&r.main, n)
		}
		b.What += fmt.Sprintf(", for which it has looked %d times", r.polls.times)
		d.Blocked = append(d.Blocked, b)
	}
	return d
}
