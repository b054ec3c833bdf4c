package spmd

import (
	"fmt"
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
	left  bool  // the program has ended its goroutine
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
		defer c.leave()
		c.Err = r.Main()
		c.Ended = true
	})
	return c
}

// leave has a rank whose program ends its goroutine (runtime.Goexit) end with an error, and pause: beyond here, that would end the goroutine of who
// has resumed it, too.
func (c *Coroutine) leave() {
	if c.Ended {
		return
	}
	c.Ended, c.left, c.Err = true, true, errLeft(c.Rank.id)
	c.yield(struct{}{})
}

func errLeft(rank int) error { return fmt.Errorf("rank %d: the program ended its goroutine", rank) }

// Resume runs the rank until it pauses or ends.
func (c *Coroutine) Resume() {
	t := c.Rank.rec.tape
	tape.Switch(t)
	c.next()
	tape.Leave(t)
}

// Pause, called in Do, returns when the rank is resumed. If it is stopped instead,
// the rank leaves its program.
func (c *Coroutine) Pause() {
	if !c.yield(struct{}{}) {
		panic(Stopped{})
	}
}

// Stop ends the rank wherever it is.
func (c *Coroutine) Stop() {
	if c.left {
		go c.stop() // ends the goroutine that calls it
		return
	}
	c.stop()
}
