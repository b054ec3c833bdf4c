package engine

import (
	"fmt"

	"spoor/traces/unit"
)

// Part says what a processor's time is spent on.
type Part uint8

// The parts. The zero Part is not legal.
//
// Differs: over Model.Net with ports (logp), a sender that waits until its message has left has as Contention what the message
// waits at its receiver's port as well, as far as that is not longer than its wait: a Delivery has both in one.
const (
	Computing  Part = 1 + iota
	Overhead        // o_s, o_r and what comes on top of them
	Latency         // waiting for a message that is on its way
	Contention      // waiting for a message that waited for ports or links, or to come behind one that its sender sent before, or for the own port
	Waiting         // for a message that was not sent yet, and for everything else
	endPart
)

// String is the name of the part.
func (p Part) String() string {
	return [...]string{"invalid", "compute", "overhead", "latency", "contention", "wait"}[min(p, endPart)%endPart]
}

// Rank is where the time of a rank went: Parts add up to it.
type Rank struct {
	Time     unit.Picos // when it ended
	Parts    [endPart]unit.Picos
	Messages uint64 // that came to it
	Bytes    int64
	// Overlap is for how long the bytes of its messages came at the same time as others', which
	// a port of the bandwidth 1/G cannot.
	Overlap unit.Picos
}

// Result is a simulated run.
type Result struct {
	Time        unit.Picos // until the last rank ended
	Ranks       []Rank
	Messages    uint64 // of collectives too
	Bytes       int64
	Ops         uint64
	Reused      uint64      // requests that were opened again before they were waited for
	Open        uint64      // requests that nobody waited for
	Truncations Truncations // receives with too little room
	Engine      Stats       // how it came about
}

// EventsPerWindow is how many operations of a rank there are in a window of Whoa, or of a Quantum, on
// average [dickens1996, Tab. 3].
func (r *Result) EventsPerWindow() float64 {
	if r.Engine.Windows == 0 || len(r.Ranks) == 0 {
		return 0
	}
	return float64(r.Ops) / float64(r.Engine.Windows) / float64(len(r.Ranks))
}

func (c *workers) result() *Result {
	res := &Result{Engine: c.Stats}
	for _, e := range c.engines {
		res.Ops += e.ops
		res.Reused += e.reused
		res.Truncations.add(&e.truncations)
		for i := e.first; i < e.end; i++ {
			r := &e.ranks[i]
			r.account.Time = r.cpu
			res.Ranks = append(res.Ranks, r.account)
			res.Time = max(res.Time, r.cpu)
			res.Messages += r.account.Messages
			res.Bytes += r.account.Bytes
			res.Open += uint64(r.requests.used)
		}
	}
	return res
}

func errTooLong(from, to int32, bytes int64) error {
	return fmt.Errorf("a message of %d bytes from rank %d to rank %d takes %v or longer, more than can be simulated", bytes, from, to, maxDuration)
}

func errTooLate(from, to int32) error {
	return fmt.Errorf("a message from rank %d to rank %d comes after %v, more than can be simulated", from, to, Horizon)
}
