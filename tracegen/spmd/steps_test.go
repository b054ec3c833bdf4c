package spmd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"spoor/traces/trace"
)

// step is one operation of a random program.
type step struct {
	kind     trace.Kind
	peer     int // rank, or lock or flag
	tag      int // or count of signals
	work     int // instructions before it
	requests []int
}

// actor makes the steps of a rank through the interface.
type actor struct {
	*Rank
	requests []*Request // nil for a Recv
}

// perform makes all steps, and logs them as naive does.
func perform(r *Rank, program []step, log *[]string, clock func() uint64) {
	a := actor{Rank: r}
	for i, s := range program {
		work(r, s.work)
		text := a.message(s)
		if text == "" {
			text = a.object(s)
		}
		*log = append(*log, fmt.Sprintf("%d at %d: %s", i, clock(), text))
	}
}

// message makes a step of messages, and says what came of it.
func (a *actor) message(s step) string {
	x := make([]byte, 1)
	switch s.kind {
	case trace.Send:
		Send(a, s.peer, s.tag, x)
		return "sent"
	case trace.Isend:
		a.requests = append(a.requests, Isend(a, s.peer, s.tag, x))
		return "sent"
	case trace.Irecv:
		a.requests = append(a.requests, Irecv(a, s.peer, s.tag, x))
		return "posted"
	case trace.Recv:
		a.requests = append(a.requests, nil)
		return fmt.Sprintf("%d: %s", len(a.requests)-1, cameFrom(nil, Recv(a, s.peer, s.tag, x)))
	case trace.Wait, trace.Test:
		return a.wait(s)
	case trace.Probe:
		return "found " + cameFrom(nil, Probe(a, s.peer, s.tag))
	case trace.Iprobe:
		if st, ok := Iprobe(a, s.peer, s.tag); ok {
			return "found " + cameFrom(nil, st)
		}
		return "false"
	}
	return ""
}

func (a *actor) wait(s step) string {
	var qs []*Request
	for _, n := range s.requests {
		qs = append(qs, a.requests[n])
	}
	if s.kind == trace.Wait {
		if n, st := WaitAny(qs...); n >= 0 {
			return fmt.Sprintf("%d: %s", s.requests[n], cameFrom(qs[n], st))
		}
		return "retired"
	}
	if qs[0].waited {
		return "retired"
	}
	if st, ok := qs[0].Test(); ok {
		return "true: " + cameFrom(qs[0], st)
	}
	return "false"
}

func cameFrom(q *Request, s Status) string {
	if q != nil && q.Kind == trace.Isend {
		return "send"
	}
	return fmt.Sprintf("from %d tag %d", s.Source, s.Tag)
}

// object makes a step of anything but messages.
func (a *actor) object(s step) string {
	switch s.kind {
	case trace.Clock:
		return fmt.Sprint(a.Clock().Nanoseconds())
	case trace.Barrier:
		a.Barrier()
		return "barrier"
	case trace.Lock:
		a.Lock(int32(s.peer))
		return "locked"
	case trace.Unlock:
		a.Unlock(int32(s.peer))
		return "unlocked"
	case trace.Signal:
		a.Signal(int32(s.peer))
		return "signalled"
	case trace.WaitFlag:
		a.WaitFlag(int32(s.peer), s.tag)
		return "flag"
	}
	return "?"
}

// randomSteps is a program of messages with all kinds of receives, barriers, locks
// and flags, whose ranks may well wait forever.
func randomSteps(rng *rand.Rand, procs int) [][]step {
	w := writer{rng: rng, program: make([][]step, procs), pending: make([][]int, procs), started: make([]int, procs),
		tags: 1 + rng.IntN(2), wild: []int{2, 8, math.MaxInt}[rng.IntN(3)], even: rng.IntN(2) == 0}
	for range rng.IntN(30) {
		if len(w.postponed) > 0 && rng.IntN(2) == 0 {
			w.postponed[0]()
			w.postponed = w.postponed[1:]
		}
		w.exchange(rng.IntN(procs), rng.IntN(procs), rng.IntN(w.tags))
		if rng.IntN(8) == 0 {
			w.add(rng.IntN(procs), step{kind: trace.Clock})
		}
		for range rng.IntN(4) {
			w.wait(rng.IntN(procs), []trace.Kind{trace.Test, trace.Test, trace.Wait}[rng.IntN(3)])
		}
	}
	for _, send := range w.postponed {
		send()
	}
	for rank, requests := range w.pending {
		for _, q := range requests {
			w.add(rank, step{kind: trace.Wait, requests: []int{q}})
		}
	}
	return w.program
}

// writer writes a random program.
type writer struct {
	rng       *rand.Rand
	program   [][]step
	pending   [][]int // requests of each rank
	started   []int   // how many it has started
	tags      int
	wild      int  // one receive in so many is from any source
	even      bool // much happens at the same clock
	signals   int
	postponed []func() // sends that come later in the sender's program
}

func (w *writer) add(rank int, s step) {
	if s.work = w.rng.IntN(4) * 20; !w.even {
		s.work = w.rng.IntN(4) * w.rng.IntN(1+w.rng.IntN(60))
	}
	w.program[rank] = append(w.program[rank], s)
}

// exchange adds a message and what receives it, or a signal and what waits for it.
func (w *writer) exchange(from, to, tag int) {
	send := step{kind: trace.Send, peer: to, tag: tag}
	switch w.rng.IntN(9) {
	case 0:
		w.start(from, step{kind: trace.Isend, peer: to, tag: tag})
	case 1:
		for rank := range w.program {
			w.add(rank, step{kind: trace.Barrier})
		}
		w.add(from, send)
	case 2:
		w.add(from, step{kind: trace.Lock})
		w.add(from, send)
		w.add(from, step{kind: trace.Unlock})
	case 3:
		w.signals++
		w.add(from, step{kind: trace.Signal})
		w.add(to, step{kind: trace.WaitFlag, tag: w.rng.IntN(w.signals + 1)})
		return
	case 4, 5:
		w.postponed = append(w.postponed, func() { w.add(from, send) })
	default:
		w.add(from, send)
	}
	w.receive(to, w.anyOr(from, w.wild), w.anyOr(tag, 3))
}

func (w *writer) receive(rank, source, tag int) {
	switch w.rng.IntN(5) {
	case 0, 1:
		w.start(rank, step{kind: trace.Irecv, peer: source, tag: tag})
		return
	case 2:
		w.add(rank, step{kind: trace.Probe, peer: source, tag: tag})
	case 3:
		w.add(rank, step{kind: trace.Iprobe, peer: source, tag: tag})
	}
	w.started[rank]++
	w.add(rank, step{kind: trace.Recv, peer: source, tag: tag})
}

func (w *writer) start(rank int, s step) {
	w.pending[rank] = append(w.pending[rank], w.started[rank])
	w.started[rank]++
	w.add(rank, s)
}

// wait adds a test of one pending request, or a wait for one of up to four.
func (w *writer) wait(rank int, kind trace.Kind) {
	chosen := slices.Clone(w.pending[rank])
	if len(chosen) == 0 {
		return
	}
	w.rng.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	n := 1
	if kind == trace.Wait {
		n += w.rng.IntN(min(4, len(chosen)))
	}
	w.add(rank, step{kind: kind, requests: chosen[:n]})
}

// anyOr is v, or now and then Any.
func (w *writer) anyOr(v, chance int) int {
	if w.rng.IntN(chance) == 0 {
		return Any
	}
	return v
}
