package spmd

import (
	"runtime"
	"sync/atomic"
	"time"
)

// alarm wakes one goroutine, which may come to wait before or after it rings.
type alarm struct {
	state atomic.Uint32
	bell  chan struct{} // for who is asleep
}

// States of an alarm: silent and nobody asleep, somebody asleep, ringing.
const (
	silent = iota
	asleep
	ringing
)

// pollTime is how long a rank that waits keeps its processor. A goroutine that sleeps is put behind the one that
// wakes it, on the same processor, until another processor looks for work: ranks that exchange messages every few
// microseconds would take turns on one. MPI libraries poll for the same reason.
const pollTime = 200 * time.Microsecond

// ring does not block; one that has rung already need not ring again.
func (a *alarm) ring() {
	if a.state.Swap(ringing) == asleep {
		a.bell <- struct{}{}
	}
}

// await returns when the alarm rings, which is silent then. If polls, it does not sleep for pollTime.
func (a *alarm) await(polls bool) {
	if polls && a.rings() {
		a.state.Store(silent)
		return
	}
	if a.state.CompareAndSwap(silent, asleep) {
		<-a.bell
	}
	a.state.Store(silent)
}

// yieldTime is how long a rank polls before it lets others run, as they may have been put behind this goroutine. To
// let others run takes a microsecond or more, and may have two ranks change places, each of which then has its data in
// the cache of the other's processor.
const yieldTime = 50 * time.Microsecond

// rings polls.
func (a *alarm) rings() bool {
	for start, yield := time.Now(), yieldTime; ; {
		for range 64 {
			if a.state.Load() == ringing {
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
