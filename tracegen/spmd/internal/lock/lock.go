// Package lock has the locks and flags of ranks, and the ranks that wait for them.
package lock

import "slices"

// Lock is a lock and the ranks that wait for it, first come, first served.
type Lock struct {
	held   bool
	queue  []int
	FreeAt uint64 // clock of the rank that released it last
}

// Acquire takes the lock for a rank, or queues the rank and reports false.
func (l *Lock) Acquire(rank int) bool {
	if !l.held {
		l.held = true
		return true
	}
	l.queue = append(l.queue, rank)
	return false
}

// Release passes the lock to the rank that has waited longest. It returns that rank, or -1 for nobody.
func (l *Lock) Release() (next int) {
	if l.held = len(l.queue) > 0; !l.held {
		return -1
	}
	next, l.queue = l.queue[0], l.queue[1:]
	return next
}

// Flag is a counter of signals, and the ranks that wait for more of them.
type Flag struct {
	signals int
	waiting []FlagWait
}

// FlagWait is a rank that waits for a number of signals.
type FlagWait struct{ Rank, Count int }

// Signal counts one signal and returns the ranks that need not wait any more.
func (f *Flag) Signal() (released []int) {
	f.signals++
	f.waiting = slices.DeleteFunc(f.waiting, func(w FlagWait) bool {
		if w.Count <= f.signals {
			released = append(released, w.Rank)
			return true
		}
		return false
	})
	return released
}

// Wait reports whether the flag has count signals; if not, it queues the rank.
func (f *Flag) Wait(rank, count int) bool {
	if f.signals >= count {
		return true
	}
	f.waiting = append(f.waiting, FlagWait{rank, count})
	return false
}
