package engine

import "spoor/traces/unit"

// rankEvent is the next action of a rank.
type rankEvent struct {
	at   unit.Picos
	rank int32
}

func (t rankEvent) before(u rankEvent) bool { return t.at < u.at || t.at == u.at && t.rank < u.rank }

// eventQueue is a heap of the next events of all ranks. Its arity is heapArity, so that it is half as deep as a
// binary heap.
type eventQueue struct {
	events []rankEvent
	at     []int32 // index in events, by rank
}

const heapArity = 4

// add adds a rank. Ranks are added in order.
func (q *eventQueue) add(r *rank) {
	q.events = append(q.events, rankEvent{})
	q.at = append(q.at, 0)
	q.up(len(q.events)-1, rankEvent{r.next, r.id})
}

// second returns the event behind the first. If there is none, its time is never.
func (q *eventQueue) second() rankEvent {
	s := rankEvent{at: never}
	for _, t := range q.events[1:min(len(q.events), heapArity+1)] {
		if t.before(s) {
			s = t
		}
	}
	return s
}

// sooner moves the event of r, which is now earlier.
func (q *eventQueue) sooner(r *rank) { q.up(int(q.at[r.id]), rankEvent{r.next, r.id}) }

// put moves the event of r, which is now later or the same.
func (q *eventQueue) put(r *rank) { q.down(int(q.at[r.id]), rankEvent{r.next, r.id}) }

func (q *eventQueue) up(i int, t rankEvent) {
	for i > 0 {
		parent := (i - 1) / heapArity
		if !t.before(q.events[parent]) {
			break
		}
		q.events[i] = q.events[parent]
		q.at[q.events[i].rank] = int32(i)
		i = parent
	}
	q.events[i] = t
	q.at[t.rank] = int32(i)
}

func (q *eventQueue) down(i int, t rankEvent) {
	for {
		first := heapArity*i + 1
		if first >= len(q.events) {
			break
		}
		least := first
		for k := first + 1; k < min(first+heapArity, len(q.events)); k++ {
			if q.events[k].before(q.events[least]) {
				least = k
			}
		}
		if !q.events[least].before(t) {
			break
		}
		q.events[i] = q.events[least]
		q.at[q.events[i].rank] = int32(i)
		i = least
	}
	q.events[i] = t
	q.at[t.rank] = int32(i)
}
