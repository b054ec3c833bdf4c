package spmd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Native runs program on procs ranks, each a goroutine, at full speed. Ranks that wait poll
// for a while first where there are as many processors as ranks. It returns the error of the lowest rank that failed, a deadlock, or the context's error;
// then the other ranks have been stopped at their next operation. Programs that
// end with messages or requests left over are wrong, and the error says which.
func Native(ctx context.Context, procs int, program Program) error {
	if err := CheckProcs(procs); err != nil {
		return err
	}
	n := new(native)
	return n.Run(ctx, newRanks(procs, program, newSpace(), n))
}

// native is the backend of goroutines. A rank that waits sleeps on its channel.
//
// There is no lock that all ranks take but the barrier's: messages are guarded by
// the inbox of the receiver. A deadlock is found by a counter of ranks that are
// awake: whoever wakes a rank counts it before, so that the counter cannot reach
// zero while anybody may still act, and a rank that falls asleep last knows it.
type native struct {
	start   time.Time
	ranks   []*Rank
	sleeper []sleeper // by rank
	awake   atomic.Int64
	ended   atomic.Int64
	locks   sync.Map // of *nativeLock by number
	flags   sync.Map // of *nativeFlag by number
	barrier struct {
		sync.Mutex
		arrived []int
	}
	polls bool // who waits polls first, as each rank has a processor of its own

	stopped atomic.Bool
	mu      sync.Mutex
	cause   error // why the run was stopped
}

// sleeper is a rank that others may have to wake.
type sleeper struct {
	rank  *Rank
	alarm alarm

	mu       sync.Mutex // guards what follows, and all requests of the rank
	inbox    inbox
	arrivals uint64   // messages that nobody waited for; what orders them
	asleep   bool     // until an awaited request completes ...
	probe    *Request // ... or a message comes that this would take
	_        [64]byte // to the next rank's
}

type nativeLock struct {
	mu sync.Mutex
	lock
}

type nativeFlag struct {
	mu sync.Mutex
	flag
}

// Run implements Backend.
func (n *native) Run(ctx context.Context, ranks []*Rank) error {
	n.start, n.ranks = time.Now(), ranks
	n.polls = len(ranks) <= runtime.GOMAXPROCS(0)
	n.sleeper = make([]sleeper, len(ranks))
	for id, r := range ranks {
		n.sleeper[id].rank, n.sleeper[id].alarm.bell = r, make(chan struct{}, 1)
	}
	n.awake.Store(int64(len(ranks)))
	defer context.AfterFunc(ctx, func() { n.stop(func() error { return ctx.Err() }) })()
	errs := make([]error, len(ranks))
	var all sync.WaitGroup
	for id, r := range ranks {
		all.Go(func() {
			err := fmt.Errorf("rank %d: the program ended its goroutine", id)
			defer func() { errs[id] = n.finish(r, err) }()
			err = r.Main()
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, errStopped) {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cause == nil {
		return n.leftovers()
	}
	return n.cause
}

// stop ends the run: ranks that sleep are woken, the others find out when they
// come to an operation. The first cause counts; it is determined while nobody has
// been woken yet.
func (n *native) stop(cause func() error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cause != nil {
		return
	}
	n.cause = cause()
	n.stopped.Store(true)
	for id := range n.sleeper {
		n.sleeper[id].alarm.ring()
	}
}

// finish is called when a rank's program has ended with err.
func (n *native) finish(r *Rank, err error) error {
	if err != nil {
		n.stop(func() error { return err }) // errStopped comes after the true cause and changes nothing
		return err
	}
	n.ended.Add(1) // first: who finds nobody awake must find everybody who has ended
	if n.awake.Add(-1) == 0 && int(n.ended.Load()) < len(n.sleeper) {
		n.stop(func() error { return Deadlock(n.ranks) })
	}
	return nil
}

// sleep waits until another rank wakes this one.
func (n *native) sleep(r *Rank) {
	if n.awake.Add(-1) == 0 {
		n.stop(func() error { return Deadlock(n.ranks) })
	}
	n.sleeper[r.id].alarm.await(n.polls)
	if n.stopped.Load() {
		panic(Stopped{})
	}
}

// wakeAll lets ranks run that sleep or are about to.
func (n *native) wakeAll(ranks []int) {
	n.awake.Add(int64(len(ranks)))
	for _, rank := range ranks {
		n.sleeper[rank].alarm.ring()
	}
}

// leftovers is the error of the lowest rank that did not receive what it was sent.
func (n *native) leftovers() error {
	for id := range n.sleeper {
		if err := n.sleeper[id].inbox.leftover(id); err != nil {
			return err
		}
	}
	return nil
}
