package engine

import (
	"fmt"

	"spoor/traces/unit"
)

// Part is a part of a processor's time.
type Part uint8

// The parts. The zero Part is not legal.
//
// Differs: over Model.Net with ports (logp), the Contention of a sender includes the wait at the receiver's port, up
// to the sender's own wait. This concerns senders that wait until their message has left. The reason is that a
// Delivery does not separate the two.
const (
	Computing Part = 1 + iota
	Overhead       // o_s, o_r and the Extra of operations
	Latency        // waiting for a message in flight
	// waiting for a message that waited for ports, links or earlier messages of its sender; or for the own port
	Contention
	Waiting // for a message that was not sent yet, and all other waits

	// Parts that only a CoSimulator simulates. For the engine they are part of Computing.
	MemoryLatency    // waiting for the memory system, if no other processor uses it
	MemoryContention // waiting for the memory system because others use it
	Sync             // waiting at barriers, for locks, flags and tasks in shared memory
	EndPart
)

// endMessagePart is the end of the parts that the engine simulates.
const endMessagePart = Waiting + 1

// String returns the name of the part.
func (p Part) String() string {
	return [...]string{"invalid", "ideal", "overhead", "message_latency", "message_contention", "wait", "memory_latency", "memory_contention", "sync"}[min(p, EndPart)%EndPart]
}

// Rank is the time of a rank. Its Parts add up to Time.
type Rank struct {
	Time     unit.Picos // when it ended
	Parts    [endMessagePart]unit.Picos
	Messages uint64 // that it received
	Bytes    int64
	// Overlap is how long bytes of its messages arrived at the same time as those of others. A port of the bandwidth
	// 1/G would not allow that.
	Overlap unit.Picos
}

// Result is a simulated run.
type Result struct {
	Time        unit.Picos // until the last rank ended
	Ranks       []Rank
	Messages    uint64 // including those of collectives
	Bytes       int64
	Ops         uint64
	Reused      uint64      // requests that were opened again before they were waited for
	Open        uint64      // requests for which no operation waited
	Truncations Truncations // messages that were larger than their receives
	Engine      Stats       // how the result was computed
}

// EventsPerWindow returns the mean number of operations of a rank in a window of Whoa or Quantum [dickens1996, Tab.
// 3].
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
	return fmt.Errorf("a message from rank %d to rank %d arrives after %v, more than can be simulated", from, to, Horizon)
}
