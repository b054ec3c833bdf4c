// Package thread wakes the goroutines of ranks, and keeps them on processors of their own.
package thread

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Notifier wakes one goroutine. The goroutine may start to wait before or after the notification.
type Notifier struct {
	state atomic.Uint32
	Wake  chan struct{} // receives a value if the goroutine sleeps
}

// States of a notifier: no notification and nobody asleep, a goroutine asleep, a notification to be taken.
const (
	unset = iota
	sleeping
	notified
)

// pollTime is how long a waiting rank keeps its processor. A goroutine that sleeps is queued behind the one that
// wakes it, on the same processor, until another processor looks for work. Ranks that exchange messages every few
// microseconds would then take turns on one processor. MPI libraries poll for the same reason.
const pollTime = 200 * time.Microsecond

// Notify wakes the goroutine or lets its next wait return at once. It does not block. A second call has no effect.
func (a *Notifier) Notify() {
	if a.state.Swap(notified) == sleeping {
		a.Wake <- struct{}{}
	}
}

// Wait returns after a notification and takes it. If mayPoll is set, it polls for pollTime before it sleeps.
func (a *Notifier) Wait(mayPoll bool) {
	if mayPoll && a.poll() {
		a.state.Store(unset)
		return
	}
	if a.state.CompareAndSwap(unset, sleeping) {
		<-a.Wake
	}
	a.state.Store(unset)
}

// yieldTime is how long a rank polls before it yields to goroutines that may be queued behind it. A yield takes a
// microsecond or more. It can also make two ranks change places; then the data of each is in the cache of the
// other's processor.
const yieldTime = 50 * time.Microsecond

// poll reports whether a notification came within pollTime.
func (a *Notifier) poll() bool {
	for start, yield := time.Now(), yieldTime; ; {
		for range 64 {
			if a.state.Load() == notified {
				return true
			}
		}
		waited := time.Since(start)
		if waited > pollTime {
			return false
		}
		if waited > yield {
			runtime.Gosched()
			yield += yieldTime
		}
	}
}
