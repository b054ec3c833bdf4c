package transport

import (
	"errors"
	"sync/atomic"
	"time"
	"unsafe"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/marshalling"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// block is the shared memory through which the measuring side commands the other. Each word that one side writes
// and the other reads has its own cache lines.
type block struct {
	ping  atomic.Uint32
	_     [252]byte
	pong  atomic.Uint32
	_     [252]byte
	order atomic.Uint32 // number of the last command, which is the job
	job   job
	_     [172]byte
	taken atomic.Uint32 // number of the command that the other side has started
	ready atomic.Uint32 // 1 when it waits for the first command
	_     [252]byte
	held  atomic.Uint32 // number of sends that began and for which the other side is late
	_     [252]byte
	got   atomic.Uint32 // number of these that were received
	_     [252]byte
	rings [2]struct {
		written atomic.Uint64
		_       [248]byte
		read    atomic.Uint64
		_       [248]byte
		data    [ringBytes]byte
	}
}

const blockBytes = int(unsafe.Sizeof(block{}))

// job is the work of the other side.
type job struct {
	task                uint32
	count, repeat, size int64
	delay               time.Duration
	layout              marshalling.Layout
}

// ringEnd returns the end of the rings of the measuring side, or of the other.
func (b *block) ringEnd(measuring bool) *ringConn {
	one := func(i int) *ring { return &ring{&b.rings[i].written, &b.rings[i].read, b.rings[i].data[:]} }
	if measuring {
		return &ringConn{one(0), one(1)}
	}
	return &ringConn{one(1), one(0)}
}

// Tasks of the other side.
const (
	taskAnswer   = 1 + iota // receive count messages, send one back; repeat that
	taskExchange            // send and receive; repeat that
	taskTransfer            // receive a block and unpack it, pack it and send it back; repeat that
	taskScan                // receive a carry, scan, and send the carry that comes out; repeat that
	taskHeld                // wait for a send to begin, and for a delay, then receive; repeat that
	taskEnd
)

// serve performs commands until the command to end, or until none comes for long.
func serve(b *block, c conn) (err error) {
	d := newDesk()
	defer func() { err = errors.Join(err, d.clear()) }()
	done := b.order.Load()
	b.ready.Store(1)
	for {
		answered := b.pong.Load()
		err := until(func() bool {
			if trip := b.ping.Load(); trip != answered {
				b.pong.Store(trip)
				answered = trip
			}
			return b.order.Load() != done
		})
		if err != nil {
			return err
		}
		done = b.order.Load()
		j := b.job
		if j.task == taskTransfer || j.task == taskScan {
			if err := d.lay(); err != nil {
				return err
			}
		}
		b.taken.Store(done)
		if j.task == taskEnd {
			return nil
		}
		if j.task == taskHeld {
			err = b.belated(c, &j, d.message[:j.size])
		} else {
			err = d.perform(c, &j)
		}
		if err != nil {
			return err
		}
	}
}

// belated receives each message a delay after it was sent.
func (b *block) belated(c conn, j *job, message []byte) error {
	for range j.repeat {
		next := b.got.Load() + 1
		if err := until(func() bool { return b.held.Load() == next }); err != nil {
			return err
		}
		pause(j.delay)
		if err := c.receive(message); err != nil {
			return err
		}
		b.got.Store(next)
	}
	return nil
}

// hold times sends alone, of messages for which the other side is late.
func (b *block) hold(c conn, timer clock, p packing.Point, repeat int64, message []byte) (total unit.Seconds, err error) {
	if err := b.tell(taskHeld, p, repeat); err != nil {
		return 0, err
	}
	for range repeat {
		total += timer.Time(func() {
			b.held.Add(1)
			err = c.send(message)
		})
		if err == nil {
			err = until(func() bool { return b.got.Load() == b.held.Load() })
		}
		if err != nil {
			return 0, err
		}
	}
	return total / unit.Seconds(repeat), nil
}

// tell sends a command, and waits until the other side starts it.
func (b *block) tell(task uint32, p packing.Point, repeat int64) error {
	b.job = job{task, max(p.Count, 1), repeat, int64(p.Bytes), time.Duration(float64(p.Delay) * 1e9), marshalling.LayoutOf(&p)}
	order := b.order.Add(1)
	return until(func() bool { return b.taken.Load() == order })
}

// pause polls the clock until d is over.
func pause(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

// clock times a function.
type clock interface{ Time(f func()) unit.Seconds }

// tasks are the tasks of the other side by experiment; the default is taskAnswer.
var tasks = map[packing.Experiment]uint32{timing.Exchange: taskExchange, packing.Transfer: taskTransfer, packing.Scan: taskScan}

// run performs an experiment of the measuring side repeat times, and returns the mean time. Transfers and scans go
// there and back; their time is one way.
func run(b *block, c conn, d *desk, timer clock, p packing.Point, repeat int64) (unit.Seconds, error) {
	if p.Experiment == timing.Receive {
		if err := b.tell(taskAnswer, p, repeat+1); err != nil {
			return 0, err
		}
		return late(c, timer, p, repeat, d.message[:p.Bytes])
	}
	if p.Experiment == timing.Held {
		return b.hold(c, timer, p, repeat, d.message[:p.Bytes])
	}
	once, ways, err := d.side(c, &p)
	if err != nil {
		return 0, err
	}
	if p.Experiment != packing.Array {
		task, is := tasks[p.Experiment]
		if !is {
			task = taskAnswer
		}
		if err := b.tell(task, p, repeat); err != nil {
			return 0, err
		}
	}
	t := timer.Time(func() {
		for i := int64(0); i < repeat && err == nil; i++ {
			err = once()
		}
	})
	return t / unit.Seconds(ways*repeat), err
}

// late times receives alone, of messages that arrived while this side waited for more than the time of a round
// trip.
func late(c conn, timer clock, p packing.Point, repeat int64, message []byte) (total unit.Seconds, err error) {
	trip := time.Duration(0)
	for i := range repeat + 1 {
		begin := time.Now()
		if err := c.send(message); err != nil {
			return 0, err
		}
		if i == 0 { // the first determines how long to wait, and does not count
			err = c.receive(message)
			trip = 2 * time.Since(begin)
		} else {
			pause(trip)
			total += timer.Time(func() { err = c.receive(message) })
		}
		if err != nil {
			return 0, err
		}
	}
	return total / unit.Seconds(repeat), nil
}
