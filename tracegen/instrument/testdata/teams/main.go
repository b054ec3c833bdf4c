// Teams computes how heat spreads in a square plate, as programs of messages and threads do: ranks in teams, which share a part of the plate. A
// team takes its rows one by one under a lock, waits for its ranks by flags, and its first rank sends the outermost rows to the teams beside it.
package main

import (
	"flag"
	"fmt"

	"spoor/tracegen/spmd"
)

// Tags of the rows that go to the team above, and below.
const up, down = 1, 2

// team is what a rank knows of its own.
type team struct {
	number, teams, ranks int
	first                bool // of its ranks
	rows, size           int
	now, next            []float64 // rows and one more on each side
	row                  []int64   // to be taken next, under a lock
}

func main() {
	size := flag.Int("size", 64, "rows and columns of the plate")
	steps := flag.Int("steps", 10, "steps in time")
	ranks := flag.Int("team", 2, "ranks of a team")
	flag.Parse()
	total := 0.0
	spmd.Main(func(r *spmd.Rank) error {
		if r.Procs()%*ranks != 0 {
			return fmt.Errorf("%d ranks are no teams of %d", r.Procs(), *ranks)
		}
		t := join(r, *size, *ranks)
		for step := range *steps {
			t.step(r, step+1)
		}
		if sum := t.sum(r); r.ID() == 0 {
			total = sum
		}
		return nil
	})
	fmt.Printf("heat after %d steps: %.6f\n", *steps, total)
}

// join is the team of a rank, whose upper edge is hot if it is that of the plate.
func join(r *spmd.Rank, size, ranks int) *team {
	t := &team{number: r.ID() / ranks, teams: r.Procs() / ranks, ranks: ranks, first: r.ID()%ranks == 0, size: size}
	lo, hi := spmd.Share(size, t.teams, t.number)
	t.rows = hi - lo
	t.now = spmd.Alloc[float64](r, fmt.Sprint("now", t.number), (t.rows+2)*size)
	t.next = spmd.Alloc[float64](r, fmt.Sprint("next", t.number), (t.rows+2)*size)
	t.row = spmd.Alloc[int64](r, fmt.Sprint("row", t.number), 1)
	if t.first && t.number == 0 {
		for i := range size {
			t.now[i], t.next[i] = 100, 100
		}
	}
	return t
}

// step is a step in time: the first rank exchanges rows, all compute, and it waits for all.
func (t *team) step(r *spmd.Rank, step int) {
	begin, end := int32(2*t.number), int32(2*t.number+1)
	if t.first {
		t.exchange(r)
		t.row[0] = 0
		r.Signal(begin)
	}
	r.WaitFlag(begin, step)
	for row := t.take(r); row < t.rows; row = t.take(r) {
		t.compute(row + 1)
	}
	r.Signal(end)
	r.WaitFlag(end, step*t.ranks)
	t.now, t.next = t.next, t.now
}

// take is the next row that nobody has.
func (t *team) take(r *spmd.Rank) int {
	r.Lock(int32(t.number))
	row := t.row[0]
	t.row[0]++
	r.Unlock(int32(t.number))
	return int(row)
}

func (t *team) compute(row int) {
	n := t.size
	for i := row*n + 1; i < (row+1)*n-1; i++ {
		t.next[i] = 0.25 * (t.now[i-n] + t.now[i+n] + t.now[i-1] + t.now[i+1])
	}
}

// exchange copies the outermost rows into the halos of the teams beside.
func (t *team) exchange(r *spmd.Rank) {
	n, above, below := t.size, r.ID()-t.ranks, r.ID()+t.ranks
	if t.number > 0 {
		spmd.Send(r, above, up, t.now[n:2*n])
	}
	if t.number < t.teams-1 {
		spmd.Send(r, below, down, t.now[t.rows*n:(t.rows+1)*n])
		spmd.Recv(r, below, up, t.now[(t.rows+1)*n:])
	}
	if t.number > 0 {
		spmd.Recv(r, above, down, t.now[:n])
	}
}

// sum is the heat of the whole plate.
func (t *team) sum(r *spmd.Rank) float64 {
	sum := []float64{0}
	if t.first {
		for _, v := range t.now[t.size : (t.rows+1)*t.size] {
			sum[0] += v
		}
	}
	spmd.AllReduce(r, sum, func(a, b float64) float64 { return a + b })
	return sum[0]
}
