package engine

import "spoor/traces/unit"

// turn is when a rank acts next.
type turn struct {
	at   unit.Picos
	rank int32
}

func (t turn) before(u turn) bool { return t.at < u.at || t.at == u.at && t.rank < u.rank }

// queue is the turns of all ranks, the first of which is first: a heap in which each turn has
// four behind it, so that it is half as deep as one with two.
type queue struct {
	turns []turn
	at    []int32 // of each rank's turn in turns
}

const behind = 4

// add puts a new rank in. Ranks are added in order.
func (q *queue) add(r *rank) {
	q.turns = append(q.turns, turn{})
	q.at = append(q.at, 0)
	q.up(len(q.turns)-1, turn{r.next, r.id})
}

// second is the turn behind the first; without one, a turn that never comes.
func (q *queue) second() turn {
	s := turn{at: never}
	for _, t := range q.turns[1:min(len(q.turns), behind+1)] {
		if t.before(s) {
			s = t
		}
	}
	return s
}

// sooner moves the turn of r, which is now earlier.
func (q *queue) sooner(r *rank) { q.up(int(q.at[r.id]), turn{r.next, r.id}) }

// put moves the turn of r, which is now later or the same.
func (q *queue) put(r *rank) { q.down(int(q.at[r.id]), turn{r.next, r.id}) }

func (q *queue) up(i int, t turn) {
	for i > 0 {
		parent := (i - 1) / behind
		if !t.before(q.turns[parent]) {
			break
		}
		q.turns[i] = q.turns[parent]
		q.at[q.turns[i].rank] = int32(i)
		i = parent
	}
	q.turns[i] = t
	q.at[t.rank] = int32(i)
}

func (q *queue) down(i int, t turn) {
	for {
		first := behind*i + 1
		if first >= len(q.turns) {
			break
		}
		least := first
		for k := first + 1; k < min(first+behind, len(q.turns)); k++ {
			if q.turns[k].before(q.turns[least]) {
				least = k
			}
		}
		if !q.turns[least].before(t) {
			break
		}
		q.turns[i] = q.turns[least]
		q.at[q.turns[i].rank] = int32(i)
		i = least
	}
	q.turns[i] = t
	q.at[t.rank] = int32(i)
}
