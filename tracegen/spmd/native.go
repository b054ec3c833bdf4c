package spmd

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Native runs program on procs ranks, each a goroutine, at full speed. It returns
// the error of the lowest rank that failed, a deadlock, or the context's error;
// then the other ranks have been stopped at their next barrier or lock.
func Native(ctx context.Context, procs int, program Program) error {
	if err := CheckProcs(procs); err != nil {
		return err
	}
	n := &native{gate: newGate(procs), wake: make([]chan struct{}, procs)}
	errs := make([]error, procs)
	defer context.AfterFunc(ctx, func() { n.stop(ctx.Err()) })()
	var ranks sync.WaitGroup
	space := newSpace()
	for id := range procs {
		n.wake[id] = make(chan struct{}, 1)
	}
	for id := range procs {
		ranks.Go(func() {
			err := fmt.Errorf("rank %d: the program ended its goroutine", id)
			defer func() { errs[id] = n.finish(id, err) }()
			err = call(&Rank{id: id, procs: procs, space: space, backend: n}, program)
		})
	}
	ranks.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, errStopped) {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cause
}

// native is the backend of goroutines. A rank that waits sleeps on its channel.
type native struct {
	mu    sync.Mutex
	gate  gate
	wake  []chan struct{}
	cause error // why the run was stopped
}

// stop ends the run: ranks that wait are woken, the others find out when they
// come to a barrier or lock.
func (n *native) stop(cause error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopLocked(cause)
}

func (n *native) stopLocked(cause error) {
	if n.cause != nil {
		return
	}
	n.cause = cause
	for rank, s := range n.gate.state {
		if s == waitsBarrier || s == waitsLock {
			n.wake[rank] <- struct{}{}
		}
	}
}

// finish is called when a rank's program has ended with err.
func (n *native) finish(rank int, err error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	held := n.gate.finish(rank)
	if err == nil && held != nil {
		err = fmt.Errorf("rank %d: %w", rank, held)
	}
	if err != nil {
		n.stopLocked(err) // errStopped comes after the true cause and changes nothing
		return err
	}
	n.checkDeadlock()
	return nil
}

func (n *native) checkDeadlock() {
	if err := n.gate.deadlock(); err != nil {
		n.stopLocked(err)
	}
}

// wait sleeps until the rank is released; the caller holds mu, which is given up.
func (n *native) wait(rank int) {
	n.checkDeadlock()
	n.mu.Unlock()
	<-n.wake[rank]
	n.enter()
	n.mu.Unlock()
}

// enter takes mu, and leaves the program if the run was stopped.
func (n *native) enter() {
	n.mu.Lock()
	if n.cause != nil {
		n.mu.Unlock()
		panic(stopped{})
	}
}

func (n *native) barrier(r *Rank) {
	n.enter()
	released := n.gate.arrive(r.id)
	if released == nil {
		n.wait(r.id)
		return
	}
	for _, other := range released {
		if other != r.id {
			n.wake[other] <- struct{}{}
		}
	}
	n.mu.Unlock()
}

func (n *native) lock(r *Rank, id int32) {
	n.enter()
	if _, ok := n.gate.acquire(r.id, id); !ok {
		n.wait(r.id)
		return
	}
	n.mu.Unlock()
}

func (n *native) unlock(r *Rank, id int32) {
	n.enter()
	_, next, ok := n.gate.release(r.id, id)
	if next != nobody {
		n.wake[next] <- struct{}{}
	}
	n.mu.Unlock()
	if !ok {
		panic(notHeld(id))
	}
}

func notHeld(id int32) string {
	return fmt.Sprintf("unlock of lock %d, which this rank does not hold", id)
}
