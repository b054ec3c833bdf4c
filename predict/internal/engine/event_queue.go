package engine

import (
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// rankEvent is the next action of a rank.
type rankEvent struct {
	at   unit.Picos
	rank int32
}

// eventQueue has the next events of all ranks, the first in front.
type eventQueue struct {
	heap.Indexed[unit.Picos, int32, uint8, struct{}]
}

func (q *eventQueue) add(r *rank) { q.put(r) }

// put moves the event of r.
func (q *eventQueue) put(r *rank) {
	q.Put(r.id, heap.Item[unit.Picos, int32, uint8, struct{}]{Key: r.next, Tie: r.id})
}

func (q *eventQueue) first() rankEvent {
	id, x := q.First()
	return rankEvent{x.Key, id}
}

// second returns the event behind the first. If there is none, its time is never.
func (q *eventQueue) second() rankEvent {
	id, x := q.Second()
	if x == nil {
		return rankEvent{at: never}
	}
	return rankEvent{x.Key, id}
}
