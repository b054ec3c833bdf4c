// Package appointment has the times before which a rank sends no message to a worker [dickens1996, sec. 4.2].
package appointment

import "spoor/traces/unit"

// Never is later than all events.
const Never = unit.Picos(1)<<62 + 1

// Queue holds the messages to a worker, in the order in which they are sent.
type Queue struct {
	all   []Message
	head  int32
	known int32 // how many belong to known operations
}

// Message is the earliest time, counted in the rank's own operations, at which the rank begins to send a message.
type Message struct {
	Row   int64 // of its operation
	Begin unit.Picos
}

// UntilNext returns a lower bound on the time until a rank begins the first message of an operation from row on. It
// is Never if there is none. The rank has done the time `done` so far.
func (d *Queue) UntilNext(row int64, done unit.Picos) unit.Picos {
	for d.head < d.known && d.all[d.head].Row < row {
		d.head++
	}
	if d.head >= d.known {
		return Never
	}
	return max(d.all[d.head].Begin-done, 0)
}

// First returns the first message that may not have been sent, or nil.
func (d *Queue) First() *Message {
	if int(d.head) < len(d.all) {
		return &d.all[d.head]
	}
	return nil
}

// Add adds a message, which is not known yet.
func (d *Queue) Add(p Message) {
	if d.head > 16 && 2*int(d.head) > len(d.all) {
		d.all = d.all[:copy(d.all, d.all[d.head:])]
		d.known -= d.head
		d.head = 0
	}
	d.all = append(d.all, p)
}

// Reveal makes the messages before a row known. It returns how many of them are from row from on.
func (d *Queue) Reveal(before, from int64) (n uint64) {
	for ; int(d.known) < len(d.all) && d.all[d.known].Row < before; d.known++ {
		if d.all[d.known].Row >= from {
			n++
		}
	}
	return n
}
