package spmd

import (
	"fmt"
	"iter"

	"spoor/tracegen/tape"
)

// Coroutine runs a rank step by step. A backend that schedules ranks itself has one Coroutine for each rank. A
// switch costs a fifth of waking a goroutine. Only one rank runs at a time, except on different Slots.
type Coroutine struct {
	Rank   *Rank
	Ended  bool  // Main has returned ...
	Err    error // ... this error
	exited bool  // the program has called runtime.Goexit
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
}

// NewCoroutine returns a coroutine for r that has not started. The caller must call Stop in the end.
func NewCoroutine(r *Rank) *Coroutine {
	c := &Coroutine{Rank: r}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		r.rec.tape.Bind()
		defer c.onGoexit()
		c.Err = r.Main()
		c.Ended = true
	})
	return c
}

// onGoexit ends a rank with an error if its program calls runtime.Goexit, and pauses. If the coroutine ended
// instead, the goroutine that resumed it would end too.
func (c *Coroutine) onGoexit() {
	if c.Ended {
		return
	}
	c.Ended, c.exited, c.Err = true, true, errGoexit(c.Rank.id)
	c.yield(struct{}{})
}

func errGoexit(rank int) error { return fmt.Errorf("rank %d: the program ended its goroutine", rank) }

// Resume runs the rank until it pauses or ends.
func (c *Coroutine) Resume() {
	rec := c.Rank.rec
	if rec.slot != nil {
		rec.slot.Switch(rec.tape)
		c.next()
		rec.slot.Switch(nil)
		return
	}
	tape.Switch(rec.tape)
	c.next()
	tape.Release(rec.tape)
}

// On lets the rank run in a slot, at the same time as ranks in other slots. Call it before the first Resume.
func (c *Coroutine) On(s *tape.Slot) { c.Rank.rec.slot = s }

// Pause, called in Do, returns when the rank is resumed. If the rank is stopped instead, Pause panics with Stopped.
func (c *Coroutine) Pause() {
	if !c.yield(struct{}{}) {
		panic(Stopped{})
	}
	if guarded {
		c.Rank.rec.switchTo(nil) // until Do returns
	}
}

// Stop ends the rank at its current operation.
func (c *Coroutine) Stop() {
	if c.exited {
		go c.stop() // stop ends the goroutine that calls it
		return
	}
	c.stop()
}
