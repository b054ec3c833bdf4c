package spmd

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"spoor/tracegen/spmd/internal/lock"
	"spoor/tracegen/spmd/internal/space"
	"spoor/tracegen/spmd/internal/thread"
)

// Native runs program on procs ranks at full speed. Each rank is a goroutine. If there are at least as many
// processors as ranks, a waiting rank polls for a while before it sleeps. Native returns the error of the lowest
// rank that failed, a deadlock, or the context's error. The other ranks are then stopped at their next operation.
// It is an error if messages or requests are left over at the end; the error lists them.
func Native(ctx context.Context, procs int, program Program) error {
	return new(native).run(ctx, procs, program)
}

// Timed is Native and also returns how long the program took. If there are as many processors as ranks, it pins
// each rank to a processor, as MPI's launchers do. Otherwise two ranks that poll could share one processor and wait
// for each other. The time starts when all ranks have started and ends when the last rank ends, because starting
// goroutines on other processors takes a tenth of a millisecond or more. It collects garbage first.
func Timed(ctx context.Context, procs int, program Program) (time.Duration, error) {
	runtime.GC()
	n := &native{pinned: true}
	err := n.run(ctx, procs, program)
	return n.elapsed, err
}

// native is the backend of goroutines. A waiting rank sleeps on its channel.
//
// Only the barrier has a lock that all ranks take. Messages are guarded by the receiver's inbox. A counter of awake
// ranks detects a deadlock. A rank that wakes another one counts it first, so the counter cannot be zero while any
// rank may still act. The last rank that falls asleep therefore detects the deadlock.
type native struct {
	start      time.Time
	elapsed    time.Duration // set when all ranks have ended without an error
	started    atomic.Int64
	allStarted atomic.Bool // all ranks have started
	ranks      []*Rank
	states     []rankState // by rank
	awake      atomic.Int64
	ended      atomic.Int64
	locks      sync.Map // of *nativeLock by number
	flags      sync.Map // of *nativeFlag by number
	barrier    struct {
		sync.Mutex
		arrived []int
	}
	mayPoll bool // a waiting rank polls first, because each rank has a processor of its own
	pinned  bool // each rank is pinned to its processor

	stopped atomic.Bool
	mu      sync.Mutex
	cause   error // why the run was stopped
}

// rankState is the state of a rank that others may have to wake.
type rankState struct {
	rank     *Rank
	notifier thread.Notifier

	mu          sync.Mutex // guards the following fields, and all requests of the rank
	inbox       inbox
	arrivals    uint64     // unexpected messages so far; orders them
	asleep      bool       // until an awaited request completes ...
	probing     *Request   // ... or a message arrives that this probe accepts
	free        []*Message // message copies that may be reused
	received    *Message   // the last copy received; used by the rank alone, like ...
	failedPolls int        // ... the number of tests and probes that found nothing
	_           [64]byte   // keeps the states of two ranks on different cache lines
}

type nativeLock struct {
	mu sync.Mutex
	lock.Lock
}

type nativeFlag struct {
	mu sync.Mutex
	lock.Flag
}

func (n *native) run(ctx context.Context, procs int, program Program) error {
	if err := CheckProcs(procs); err != nil {
		return err
	}
	return n.Run(ctx, newRanks(procs, program, space.New(), n))
}

// Run implements Backend.
func (n *native) Run(ctx context.Context, ranks []*Rank) error {
	n.start, n.ranks = time.Now(), ranks
	n.mayPoll = len(ranks) <= runtime.GOMAXPROCS(0)
	n.states = make([]rankState, len(ranks))
	for id, r := range ranks {
		n.states[id].rank, n.states[id].notifier.Wake = r, make(chan struct{}, 1)
	}
	n.awake.Store(int64(len(ranks)))
	defer context.AfterFunc(ctx, func() { n.stop(func() error { return ctx.Err() }) })()
	errs := make([]error, len(ranks))
	var all sync.WaitGroup
	for id, r := range ranks {
		all.Go(func() {
			err := errGoexit(id)
			defer func() { errs[id] = n.finish(r, err) }()
			n.waitForStart(id)
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
		return n.checkReceived()
	}
	return n.cause
}

// waitForStart waits until all ranks have started, if they poll.
func (n *native) waitForStart(id int) {
	if n.mayPoll && n.pinned {
		thread.Pin(id)
	}
	if int(n.started.Add(1)) == len(n.ranks) && n.mayPoll {
		n.start = time.Now()
		n.allStarted.Store(true)
	}
	for i := 1; n.mayPoll && !n.allStarted.Load(); i++ {
		if i%testsToYield == 0 {
			runtime.Gosched()
		}
	}
}

// stop ends the run. It wakes sleeping ranks; the others stop at their next operation. Only the first cause is
// kept. It is determined before any rank is woken.
func (n *native) stop(cause func() error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cause != nil {
		return
	}
	n.cause = cause()
	n.stopped.Store(true)
	for id := range n.states {
		n.states[id].notifier.Notify()
	}
}

// finish is called when a rank's program has ended with err.
func (n *native) finish(r *Rank, err error) error {
	if err != nil {
		n.stop(func() error { return err }) // errStopped comes after the true cause and changes nothing
		return err
	}
	if int(n.ended.Add(1)) == len(n.ranks) { // before awake changes: a rank that finds nobody awake must see all ranks that have ended
		n.elapsed = time.Since(n.start)
	}
	if n.awake.Add(-1) == 0 && int(n.ended.Load()) < len(n.states) {
		n.stop(func() error { return Deadlock(n.ranks) })
	}
	return nil
}

// sleep waits until another rank wakes this one.
func (n *native) sleep(r *Rank) {
	if n.awake.Add(-1) == 0 {
		n.stop(func() error { return Deadlock(n.ranks) })
	}
	n.states[r.id].notifier.Wait(n.mayPoll)
	if n.stopped.Load() {
		panic(Stopped{})
	}
}

// wakeAll wakes ranks that sleep or are about to sleep.
func (n *native) wakeAll(ranks []int) {
	n.awake.Add(int64(len(ranks)))
	for _, rank := range ranks {
		n.states[rank].notifier.Notify()
	}
}

// checkReceived returns the error of the lowest rank that did not receive all its messages.
func (n *native) checkReceived() error {
	for id := range n.states {
		if err := n.states[id].inbox.checkReceived(id); err != nil {
			return err
		}
	}
	return nil
}
