package engine

import "spoor/traces/unit"

// turn is when a rank acts next.
type rankEvent struct {
	at   unit.Picos
	rank int32
}

func (t rankEvent) before(u rankEvent) bool { return t.at < u.at || t.at == u.at && t.rank < u.rank }

// queue is the turns of all ranks, the first of which is first: a heap in which each turn has
// four behind it, so that it is half as deep as one with two.
type eventQueue struct {
	events []rankEvent
	at     []int32 // of each rank's turn in turns
}

const heapArity = 4

// add puts a new rank in. Ranks are added in order.
func (q *eventQueue) add(r *rank) {
	q.events = append(q.events, rankEvent{})
	q.at = append(q.at, 0)
	q.up(len(q.events)-1, rankEvent{r.next, r.id})
}

// second is the turn behind the first; without one, a turn that never comes.
func (q *eventQueue) second() rankEvent {
	s := rankEvent{at: never}
	for _, t := range q.events[1:min(len(q.events), heapArity+1)] {
		if t.before(s) {
			s = t
		}
	}
	return s
}

// sooner moves the turn of r, which is now earlier.
func (q *eventQueue) sooner(r *rank) { q.up(int(q.at[r.id]), rankEvent{r.next, r.id}) }

// put moves the turn of r, which is now later or the same.
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
