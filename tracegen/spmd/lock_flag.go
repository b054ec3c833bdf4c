package spmd

import "slices"

// nobody stands for no rank.
const nobody = -1

// barrierID is the number of the only barrier, that of all ranks.
const barrierID = 0

// lock is a lock and the ranks that wait for it, first come, first served.
type lock struct {
	held   bool
	queue  []int
	freeAt uint64 // clock of the rank that released it last
}

// acquire takes the lock for a rank, or queues the rank and reports false.
func (l *lock) acquire(rank int) bool {
	if !l.held {
		l.held = true
		return true
	}
	l.queue = append(l.queue, rank)
	return false
}

// release passes the lock to the rank that has waited longest. It returns that rank or nobody.
func (l *lock) release() (next int) {
	if l.held = len(l.queue) > 0; !l.held {
		return nobody
	}
	next, l.queue = l.queue[0], l.queue[1:]
	return next
}

// flag is a counter of signals, and the ranks that wait for more of them.
type flag struct {
	signals int
	waiting []flagWait
}

type flagWait struct{ rank, count int }

// signal counts one signal and returns the ranks that need not wait any more.
func (f *flag) signal() (released []int) {
	f.signals++
	f.waiting = slices.DeleteFunc(f.waiting, func(w flagWait) bool {
		if w.count <= f.signals {
			released = append(released, w.rank)
			return true
		}
		return false
	})
	return released
}

// wait reports whether the flag has count signals; if not, it queues the rank.
func (f *flag) wait(rank, count int) bool {
	if f.signals >= count {
		return true
	}
	f.waiting = append(f.waiting, flagWait{rank, count})
	return false
}
