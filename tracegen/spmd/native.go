package spmd

import (
	"context"
	"errors"
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
	return new(native).run(ctx, procs, program)
}

// Timed is Native, and says how long the program took. Where there are as many processors as ranks, it keeps each rank on
// one, as MPI's launchers do, because two that poll on the same one wait for each other's turns; and the time is from when
// all have begun until the last one ends, because to start goroutines on other processors takes a tenth of a
// millisecond or more. Garbage from before is collected first.
func Timed(ctx context.Context, procs int, program Program) (time.Duration, error) {
	runtime.GC()
	n := &native{bound: true}
	err := n.run(ctx, procs, program)
	return n.took, err
}

// native is the backend of goroutines. A rank that waits sleeps on its channel.
//
// There is no lock that all ranks take but the barrier's: messages are guarded by
// the inbox of the receiver. A deadlock is found by a counter of ranks that are
// awake: whoever wakes a rank counts it before, so that the counter cannot reach
// zero while anybody may still act, and a rank that falls asleep last knows it.
type native struct {
	start   time.Time
	took    time.Duration // known when all ranks have ended well
	begun   atomic.Int64
	open    atomic.Bool // all have begun
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
	bound bool // ... and stays on it

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
	arrivals uint64     // messages that nobody waited for; what orders them
	asleep   bool       // until an awaited request completes ...
	probe    *Request   // ... or a message comes that this would take
	spare    []*Message // copies that were received, for those that come
	spent    *Message   // the last one; known to the rank alone, as is ...
	vain     int        // tests and probes that found nothing
	_        [64]byte   // to the next rank's
}

type nativeLock struct {
	mu sync.Mutex
	lock
}

type nativeFlag struct {
	mu sync.Mutex
	flag
}

func (n *native) run(ctx context.Context, procs int, program Program) error {
	if err := CheckProcs(procs); err != nil {
		return err
	}
	return n.Run(ctx, newRanks(procs, program, newSpace(), n))
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
			err := errLeft(id)
			defer func() { errs[id] = n.finish(r, err) }()
			n.begin(id)
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

// begin waits until all ranks have begun, if they poll.
func (n *native) begin(id int) {
	if n.polls && n.bound {
		bind(id)
	}
	if int(n.begun.Add(1)) == len(n.ranks) && n.polls {
		n.start = time.Now()
		n.open.Store(true)
	}
	for i := 1; n.polls && !n.open.Load(); i++ {
		if i%testsToYield == 0 {
			runtime.Gosched()
		}
	}
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
	if int(n.ended.Add(1)) == len(n.ranks) { // first: who finds nobody awake must find everybody who has ended
		n.took = time.Since(n.start)
	}
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
