package transport

import (
	"sync/atomic"
	"time"

	"spoor/calibrate/internal/host"
)

// conn is one end of a transport. Messages arrive in order, and both sides know their sizes.
type conn interface {
	send(b []byte) error
	receive(b []byte) error
}

// errSilent is the error of a side that has died, or gets no processor time for long.
var errSilent = &host.TooNoisyError{What: "the other side has not answered for ten seconds; wait until the host is idle"}

const (
	silence = 10 * time.Second
	spins   = 1 << 14 // polls between readings of the clock
)

// until polls for a condition without yielding the processor. Time in which this side itself was stopped does not
// count as silence: between two readings of the clock it counts as a hundredth of the patience at most.
func until(ready func() bool) error {
	var last time.Time
	var silent time.Duration
	for n := 1; !ready(); n++ {
		if n%spins != 0 {
			continue
		}
		now := time.Now()
		if !last.IsZero() {
			silent += min(now.Sub(last), silence/100)
		}
		if last = now; silent > silence {
			return errSilent
		}
	}
	return nil
}

// ring is a byte queue in memory that two threads or processes share: one writes, the other reads.
type ring struct {
	written, read *atomic.Uint64
	data          []byte
}

const (
	ringBytes = 256 << 10
	ringChunk = 16 << 10 // bytes that are handed over at once
)

func (r *ring) put(b []byte) error {
	at := r.written.Load()
	for len(b) > 0 {
		if err := until(func() bool { return at-r.read.Load() < ringBytes }); err != nil {
			return err
		}
		place := int(at % ringBytes)
		n := copy(r.data[place:], b[:min(len(b), ringChunk, ringBytes-int(at-r.read.Load()))])
		b, at = b[n:], at+uint64(n)
		r.written.Store(at)
	}
	return nil
}

func (r *ring) get(b []byte) error {
	at := r.read.Load()
	for len(b) > 0 {
		if err := until(func() bool { return r.written.Load() != at }); err != nil {
			return err
		}
		place := int(at % ringBytes)
		n := copy(b[:min(len(b), ringChunk, int(r.written.Load()-at))], r.data[place:])
		b, at = b[n:], at+uint64(n)
		r.read.Store(at)
	}
	return nil
}

// ringConn has a ring for each direction.
type ringConn struct{ out, in *ring }

func (c *ringConn) send(b []byte) error    { return c.out.put(b) }
func (c *ringConn) receive(b []byte) error { return c.in.get(b) }

// channelConn sends buffers over channels, as programs do. A message is copied into one buffer, or into several if
// it is large, and out of them.
type channelConn struct {
	out, in      chan []byte
	free, others chan []byte // buffers of this side, and of the other
}

const buffers = 64

// channels returns both ends.
func channels() (a, b *channelConn) {
	there, back := make(chan []byte, buffers), make(chan []byte, buffers)
	freeA, freeB := make(chan []byte, buffers), make(chan []byte, buffers)
	for range buffers {
		freeA <- make([]byte, largestSize)
		freeB <- make([]byte, largestSize)
	}
	return &channelConn{there, back, freeA, freeB}, &channelConn{back, there, freeB, freeA}
}

func (c *channelConn) send(b []byte) error {
	for first := true; first || len(b) > 0; first = false {
		buffer := <-c.free
		n := copy(buffer, b)
		c.out <- buffer[:n]
		b = b[n:]
	}
	return nil
}

func (c *channelConn) receive(b []byte) error {
	for first := true; first || len(b) > 0; first = false {
		buffer := <-c.in
		b = b[copy(b, buffer):]
		c.others <- buffer[:largestSize]
	}
	return nil
}
