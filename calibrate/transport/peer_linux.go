package transport

import (
	"sync/atomic"
	"time"
	"unsafe"

	"spoor/calibrate/fit/timing"
	"spoor/traces/unit"
)

// block is the memory through which one side tells the other what to do. Each word that one side writes and the
// other reads has lines of its own.
type block struct {
	ping   atomic.Uint32
	_      [252]byte
	pong   atomic.Uint32
	_      [252]byte
	order  atomic.Uint32 // rises with each order; the fields after it are the order
	task   uint32
	count  int64
	repeat int64
	size   int64
	_      [220]byte
	taken  atomic.Uint32 // the order that the other side has begun
	ready  atomic.Uint32 // 1 when it waits for the first
	_      [252]byte
	rings  [2]struct {
		written atomic.Uint64
		_       [248]byte
		read    atomic.Uint64
		_       [248]byte
		data    [ringBytes]byte
	}
}

const blockBytes = int(unsafe.Sizeof(block{}))

// ringEnd is the end of the rings of the side that measures, or of the other.
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
	taskEnd
)

// serve does what it is told until it is told to end, or nothing comes for long.
func serve(b *block, c conn) error {
	buffer := make([]byte, largestSize)
	for i := range buffer {
		buffer[i] = byte(i) // touched before it is timed
	}
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
		task, message := b.task, buffer[:b.size]
		count, repeat := b.count, b.repeat
		b.taken.Store(done)
		if task == taskEnd {
			return nil
		}
		if err := perform(c, task, count, repeat, message); err != nil {
			return err
		}
	}
}

func perform(c conn, task uint32, count, repeat int64, message []byte) error {
	for range repeat {
		if task == taskExchange {
			if err := c.send(message); err != nil {
				return err
			}
			count = 1
		}
		for range count {
			if err := c.receive(message); err != nil {
				return err
			}
		}
		if task == taskAnswer {
			if err := c.send(message); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell gives an order, and waits until it is begun.
func (b *block) tell(task uint32, p timing.Point, repeat int64) error {
	b.task, b.count, b.repeat, b.size = task, max(p.Count, 1), repeat, int64(p.Bytes)
	order := b.order.Add(1)
	return until(func() bool { return b.taken.Load() == order })
}

// pause looks at the clock until d is over.
func pause(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

// clock times a function.
type clock interface{ Time(f func()) unit.Seconds }

// run is an experiment of the side that measures: it is done so often, and what it takes on the mean returned.
func run(b *block, c conn, timer clock, p timing.Point, repeat int64, message []byte) (unit.Seconds, error) {
	task := uint32(taskAnswer)
	if p.Experiment == timing.Exchange {
		task = taskExchange
	}
	if p.Experiment == timing.Receive {
		if err := b.tell(task, p, repeat+1); err != nil {
			return 0, err
		}
		return late(c, timer, p, repeat, message)
	}
	if err := b.tell(task, p, repeat); err != nil {
		return 0, err
	}
	var err error
	t := timer.Time(func() {
		for i := int64(0); i < repeat && err == nil; i++ {
			err = once(c, p, message)
		}
	})
	return t / unit.Seconds(repeat), err
}

// once is a round trip of p.Count messages, or an exchange.
func once(c conn, p timing.Point, message []byte) error {
	for i := range p.Count {
		if i > 0 && p.Delay > 0 {
			pause(time.Duration(float64(p.Delay) * 1e9))
		}
		if err := c.send(message); err != nil {
			return err
		}
	}
	return c.receive(message)
}

// late times receives alone, of messages that came while this side was waiting for the time that a round trip
// takes, and more.
func late(c conn, timer clock, p timing.Point, repeat int64, message []byte) (total unit.Seconds, err error) {
	trip := time.Duration(0)
	for i := range repeat + 1 {
		begin := time.Now()
		if err := c.send(message); err != nil {
			return 0, err
		}
		if i == 0 { // the first tells how long to wait, and does not count
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
