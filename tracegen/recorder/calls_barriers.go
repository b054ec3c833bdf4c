package recorder

import (
	"fmt"
	"slices"

	"spoor/traces/trace"
)

// barrier is a barrier that some threads have reached.
type barrier struct {
	members uint64 // how many there are; 0 if each mark says it
	waiting []*thread
}

// arrive lets a thread reach a barrier. When the last of its threads has come, they are a group, and each has its event.
func (c *calls) arrive(t *thread, m mark) {
	b := c.barriers[m.Object]
	if b == nil {
		b = &barrier{}
		c.barriers[m.Object] = b
	}
	members := m.Number
	if members == 0 {
		members = b.members
	}
	switch {
	case members == 0:
		c.missed[missedBarriers]++
		return
	case slices.Contains(b.waiting, t): // it was let go as the parallel region was cancelled
		c.missed[missedCancelled]++
		return
	}
	b.waiting = append(b.waiting, t)
	if uint64(len(b.waiting)) < members {
		return
	}
	e := trace.NewEvent(trace.Barrier)
	e.Peer, e.Group = c.object(m.Object, asBarrier), c.group(b.waiting)
	for _, t := range b.waiting {
		t.event(e) // a thread that waits does nothing else
	}
	b.waiting = b.waiting[:0]
}

// group numbers sets of threads.
func (c *calls) group(threads []*thread) int32 {
	numbers := make([]trace.Proc, len(threads))
	for i, t := range threads {
		numbers[i] = t.refs.Proc
	}
	slices.Sort(numbers)
	key := fmt.Sprint(numbers)
	n, ok := c.groups[key]
	if !ok {
		n = int32(len(c.groups))
		c.groups[key] = n
	}
	return n
}
