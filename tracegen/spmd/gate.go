package spmd

import (
	"fmt"
	"slices"
	"strings"
)

// gate knows who waits for what. It decides nothing about when a rank runs: the
// backends do, and guard it.
type gate struct {
	state    []state
	wants    []int32 // the lock that a rank in waitsLock waits for
	arrived  []int   // ranks at the barrier, in the order they came
	locks    map[int32]*lock
	waiting  int
	finished int
}

type state uint8

const (
	runs state = 1 + iota
	waitsBarrier
	waitsLock
	hasFinished
)

// barrierID is the one barrier object there is: that of all ranks.
const barrierID = 0

type lock struct {
	holder int // or nobody
	queue  []int
	freeAt uint64 // the clock of the rank that gave it back last
}

const nobody = -1

func newGate(procs int) gate {
	return gate{state: slices.Repeat([]state{runs}, procs), wants: make([]int32, procs), locks: map[int32]*lock{}}
}

// arrive brings a rank to the barrier. The last one to come opens it: all ranks
// are returned and run again; before that nil is.
func (g *gate) arrive(rank int) (released []int) {
	g.arrived = append(g.arrived, rank)
	g.state[rank] = waitsBarrier
	g.waiting++
	if len(g.arrived) < len(g.state) {
		return nil
	}
	released, g.arrived = g.arrived, nil
	for _, r := range released {
		g.state[r] = runs
	}
	g.waiting = 0
	return released
}

// acquire takes a lock for a rank, or queues the rank for it and reports false.
func (g *gate) acquire(rank int, id int32) (*lock, bool) {
	l := g.locks[id]
	if l == nil {
		l = &lock{holder: nobody}
		g.locks[id] = l
	}
	if l.holder == nobody {
		l.holder = rank
		return l, true
	}
	l.queue = append(l.queue, rank)
	g.state[rank], g.wants[rank] = waitsLock, id
	g.waiting++
	return l, false
}

// release gives a lock back and passes it to the rank that has waited longest,
// or to nobody. It reports false if rank does not hold it.
func (g *gate) release(rank int, id int32) (l *lock, next int, ok bool) {
	l = g.locks[id]
	if l == nil || l.holder != rank {
		return nil, nobody, false
	}
	l.holder = nobody
	if len(l.queue) == 0 {
		return l, nobody, true
	}
	l.holder, l.queue = l.queue[0], l.queue[1:]
	g.state[l.holder] = runs
	g.waiting--
	return l, l.holder, true
}

// finish takes a rank out of the game. It must not hold a lock any more.
func (g *gate) finish(rank int) error {
	g.state[rank] = hasFinished
	g.finished++
	for _, id := range g.lockIDs() {
		if g.locks[id].holder == rank {
			return fmt.Errorf("finished holding lock %d", id)
		}
	}
	return nil
}

// deadlock is the error of ranks that wait with nobody left to free them, or nil.
func (g *gate) deadlock() error {
	if g.waiting == 0 || g.waiting+g.finished < len(g.state) {
		return nil
	}
	var parts []string
	if len(g.arrived) > 0 {
		parts = append(parts, g.barrierWait())
	}
	for _, id := range g.lockIDs() {
		if l := g.locks[id]; len(l.queue) > 0 {
			parts = append(parts, fmt.Sprintf("%s for lock %d, held by %s",
				waits(l.queue), id, g.describe([]int{l.holder})))
		}
	}
	return fmt.Errorf("deadlock: %s", strings.Join(limited(parts), "; "))
}

func (g *gate) barrierWait() string {
	var missing []int
	for rank, s := range g.state {
		if s != waitsBarrier {
			missing = append(missing, rank)
		}
	}
	return fmt.Sprintf("%s at barrier %d for %s", waits(slices.Sorted(slices.Values(g.arrived))), barrierID, g.describe(missing))
}

// describe names ranks with what keeps them: "rank 1 (finished), rank 3 (waits for lock 7)".
func (g *gate) describe(ranks []int) string {
	parts := make([]string, len(ranks))
	for i, r := range ranks {
		switch parts[i] = fmt.Sprintf("rank %d", r); g.state[r] {
		case hasFinished:
			parts[i] += " (finished)"
		case waitsBarrier:
			parts[i] += fmt.Sprintf(" (waits at barrier %d)", barrierID)
		case waitsLock:
			parts[i] += fmt.Sprintf(" (waits for lock %d)", g.wants[r])
		}
	}
	return strings.Join(limited(parts), ", ")
}

func waits(ranks []int) string {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = fmt.Sprint(r)
	}
	if len(names) == 1 {
		return "rank " + names[0] + " waits"
	}
	return "ranks " + strings.Join(limited(names), ", ") + " wait"
}

// limited keeps an error about thousands of ranks readable.
func limited(parts []string) []string {
	const most = 8
	if len(parts) <= most {
		return parts
	}
	return append(slices.Clone(parts[:most]), fmt.Sprintf("and %d more", len(parts)-most))
}

func (g *gate) lockIDs() []int32 {
	ids := make([]int32, 0, len(g.locks))
	for id := range g.locks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
