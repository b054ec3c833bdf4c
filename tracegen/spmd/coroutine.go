package spmd

import (
	"iter"

	"spoor/tracegen/tape"
)

// Coroutine is a rank that runs when it is told to. A backend that decides who
// runs next has one for each rank: a switch costs a fifth of what waking a
// goroutine does, and nothing runs at the same time.
type Coroutine struct {
	Rank  *Rank
	Ended bool  // its Main has returned ...
	Err   error // ... this
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// NewCoroutine makes r a coroutine, which has not begun yet. It must be stopped in
// the end.
func NewCoroutine(r *Rank) *Coroutine {
	c := &Coroutine{Rank: r}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		r.rec.tape.Bind()
		c.Err = r.Main()
		c.Ended = true
	})
	return c
}

// Resume runs the rank until it pauses or ends.
func (c *Coroutine) Resume() {
	tape.Switch(c.Rank.rec.tape)
	c.next()
	tape.Switch(nil)
}

// Pause, called in Do, returns when the rank is resumed. If it is stopped instead,
// the rank leaves its program.
func (c *Coroutine) Pause() {
	if !c.yield(struct{}{}) {
		panic(Stopped{})
	}
}

// Stop ends the rank wherever it is.
func (c *Coroutine) Stop() { c.stop() }
