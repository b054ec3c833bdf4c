package host

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"spoor/traces/unit"
)

// Local is this host, measured from a pinned thread.
type Local struct {
	CPU, Peer int // Peer is -1 if there is no other processor
	start     time.Time
	overhead  unit.Seconds // of reading the clock
	allowed   mask
	echo      *echo
	free      bool
}

// mask is a set of processors, in the kernel's layout.
type mask [16]uint64

func (m *mask) cpus() (list []int) {
	for w, word := range m {
		for ; word != 0; word &= word - 1 {
			list = append(list, 64*w+bits.TrailingZeros64(word))
		}
	}
	return list
}

func only(cpu int) (m mask) {
	m[cpu/64] = 1 << (cpu % 64)
	return m
}

// affinity calls sched_getaffinity or sched_setaffinity for the running thread.
func affinity(call uintptr, m *mask) error {
	if _, _, e := syscall.RawSyscall(call, 0, unsafe.Sizeof(*m), uintptr(unsafe.Pointer(m))); e != 0 {
		return e
	}
	return nil
}

// Allowed returns the processors that this process may run on.
func Allowed() ([]int, error) {
	var m mask
	if err := affinity(syscall.SYS_SCHED_GETAFFINITY, &m); err != nil {
		return nil, fmt.Errorf("reading the allowed processors: %w", err)
	}
	return m.cpus(), nil
}

// Pin locks the running goroutine to its thread, and the thread to a processor.
func Pin(cpu int) error {
	if cpu < 0 || cpu >= 64*len(mask{}) {
		return fmt.Errorf("there is no processor %d to pin a thread to", cpu)
	}
	runtime.LockOSThread()
	m := only(cpu)
	if err := affinity(syscall.SYS_SCHED_SETAFFINITY, &m); err != nil {
		return fmt.Errorf("pinning a thread to processor %d: %w", cpu, err)
	}
	return nil
}

// Open pins the calling goroutine to the first allowed processor, and a thread that answers sentinels to the
// second. Both last until Close. The garbage collector is off meanwhile.
func Open() (*Local, error) {
	l, err := OpenAlone()
	if err != nil || l.Peer < 0 {
		return l, err
	}
	echo, err := listen(l.Peer)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.echo = echo
	return l, nil
}

// OpenAlone is Open for callers that answer sentinels themselves.
func OpenAlone() (*Local, error) {
	l := &Local{Peer: -1, start: time.Now()}
	runtime.LockOSThread()
	if err := affinity(syscall.SYS_SCHED_GETAFFINITY, &l.allowed); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("reading the allowed processors: %w", err)
	}
	cpus := l.allowed.cpus()
	l.CPU = cpus[0]
	if err := Pin(l.CPU); err != nil {
		runtime.UnlockOSThread()
		runtime.UnlockOSThread()
		return nil, err
	}
	runtime.UnlockOSThread() // LockOSThread was called twice
	collection.stop()
	if len(cpus) > 1 && runtime.GOMAXPROCS(0) > 1 {
		l.Peer = cpus[1]
	}
	l.overhead = l.clockOverhead()
	return l, nil
}

// collector switches Go's garbage collector off while anyone measures.
type collector struct {
	sync.Mutex
	stopped int // number of callers that switched it off
	percent int
}

var collection collector

func (c *collector) stop() {
	c.Lock()
	defer c.Unlock()
	if c.stopped++; c.stopped == 1 {
		c.percent = debug.SetGCPercent(-1)
	}
	runtime.GC()
}

func (c *collector) resume() {
	c.Lock()
	defer c.Unlock()
	if c.stopped--; c.stopped == 0 {
		debug.SetGCPercent(c.percent)
	}
}

// Close unpins the thread, and switches the garbage collector on again.
func (l *Local) Close() error {
	if l.echo != nil {
		l.echo.stop()
	}
	collection.resume()
	return l.Release()
}

// Release lets the calling goroutine move between threads, and threads between processors, as goroutines usually
// do. Switches returns 0 then: threads that wake each other preempt each other, which is part of the measured
// operation, and the kernel does not report which thread preempted. The smallest samples that agree are free of
// other disturbances.
func (l *Local) Release() error {
	if l.free {
		return nil
	}
	l.free = true
	err := affinity(syscall.SYS_SCHED_SETAFFINITY, &l.allowed)
	runtime.UnlockOSThread()
	return err
}

// Now returns the time since Open.
func (l *Local) Now() unit.Seconds { return unit.Seconds(time.Since(l.start).Seconds()) }

// Time returns the time of f, less the time of reading the clock.
func (l *Local) Time(f func()) unit.Seconds {
	begin := time.Now()
	f()
	return max(unit.Seconds(float64(time.Since(begin))/1e9)-l.overhead, 0)
}

func (l *Local) clockOverhead() unit.Seconds {
	least := time.Hour
	for range 1000 {
		begin := time.Now()
		least = min(least, time.Since(begin))
	}
	return unit.Seconds(least.Seconds())
}

// rusageThread is RUSAGE_THREAD.
const rusageThread = 1

// Switches returns the involuntary context switches of the thread; after Release, 0.
func (l *Local) Switches() int64 {
	if l.free {
		return 0
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		return -1
	}
	return int64(u.Nivcsw)
}

// longestStep is the longest undisturbed time between two readings of the clock. A reading takes some tens of
// nanoseconds, and an interrupt about a microsecond.
const longestStep = 5 * time.Microsecond

// Watch reads the clock continuously. Time between two readings above longestStep is stolen.
func (l *Local) Watch(d unit.Seconds) (watched, stolen unit.Seconds) {
	begin := time.Now()
	end := time.Duration(float64(d) * 1e9)
	var last, lost time.Duration
	for last < end {
		now := time.Since(begin)
		if now-last > longestStep {
			lost += now - last
		}
		last = now
	}
	return unit.Seconds(last.Seconds()), unit.Seconds(lost.Seconds())
}

// echo is a thread that answers sentinels.
type echo struct {
	ping atomic.Uint32
	_    [252]byte
	pong atomic.Uint32
	_    [252]byte
	done atomic.Bool
	gone chan struct{}
}

func listen(cpu int) (*echo, error) {
	e := &echo{gone: make(chan struct{})}
	ready := make(chan error)
	go func() {
		defer close(e.gone)
		err := Pin(cpu) // never unpinned: the thread ends with the goroutine
		ready <- err
		for last := uint32(0); err == nil && !e.done.Load(); {
			if v := e.ping.Load(); v != last {
				e.pong.Store(v)
				last = v
			}
		}
	}()
	return e, <-ready
}

func (e *echo) stop() {
	e.done.Store(true)
	<-e.gone
}

const (
	trips   = 12
	waiting = 200 * time.Microsecond // for an answer
	spins   = 64                     // polls between readings of the clock
)

// Sentinel returns the least of 12 round trips.
func (l *Local) Sentinel() unit.Seconds {
	if l.echo == nil {
		return 0
	}
	return l.RoundTrips(&l.echo.ping, &l.echo.pong)
}

// RoundTrips returns the least of 12 round trips of a number that another thread answers by storing it into pong;
// 0 if an answer takes too long.
func (l *Local) RoundTrips(ping, pong *atomic.Uint32) unit.Seconds {
	least := time.Hour
	for range trips {
		trip := ping.Load() + 1
		begin := time.Now()
		ping.Store(trip)
		for n := 1; pong.Load() != trip; n++ {
			if n%spins == 0 && time.Since(begin) > waiting {
				return 0
			}
		}
		least = min(least, time.Since(begin))
	}
	return max(unit.Seconds(least.Seconds())-l.overhead, 1e-9)
}
