package comm

import (
	"math/rand/v2"
	"slices"

	"spoor/traces/trace"
)

// world makes a random trace that can be carried out, event by event in an order in which it
// could have happened, and finds the longest path to each event as it goes: what the replay must
// find without knowing that order.
type world struct {
	*rand.Rand
	Costs
	how      Algorithm
	m        *trace.Memory
	ends     []path              // of each processor's latest event
	mail     map[[3]int32][]path // unclaimed, by from, to, tag
	requests []map[int32]path    // when they end
	next     []int32             // request numbers
	longest  path
	sent     map[pair]uint64 // messages, those of collectives too
}

func memory(procs int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "test", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr},
		RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}
	for p := range procs {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
	}
	return m
}

func newWorld(seed uint64, procs, steps int, how Algorithm, costs Costs) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 9)), Costs: costs, how: how, m: memory(procs), ends: make([]path, procs),
		mail: map[[3]int32][]path{}, next: make([]int32, procs), sent: map[pair]uint64{}}
	for range procs {
		w.requests = append(w.requests, map[int32]path{})
	}
	for range steps {
		w.step(int32(w.IntN(procs)))
	}
	for to := range int32(procs) {
		for from := range int32(procs) {
			for tag := range int32(2) {
				for len(w.mail[[3]int32{from, to, tag}]) > 0 {
					w.receive(to, from, tag, false)
				}
			}
		}
	}
	return w
}

// event adds e to p, after some instructions, and is the path to its begin.
func (w *world) event(p int32, e trace.Event) path {
	e.Instr = uint32(w.IntN(5))
	w.m.EventsOf[p].Rows = append(w.m.EventsOf[p].Rows, e)
	at := w.ends[p]
	at.length += uint64(e.Instr) + uint64(e.Work)
	at.work += uint64(e.Instr) + uint64(e.Work)
	return at
}

func (w *world) end(p int32, at path) {
	w.ends[p] = at
	w.longest = later(w.longest, at)
}

func (w *world) step(p int32) {
	procs := int32(len(w.ends))
	switch w.IntN(8) {
	case 0:
		e := trace.NewEvent(trace.Compute)
		e.Work = w.Int64N(50)
		w.end(p, w.event(p, e))
	case 1, 2:
		e := trace.NewEvent([]trace.Kind{trace.Send, trace.Isend}[w.IntN(2)])
		e.Peer, e.Tag, e.Bytes = w.Int32N(procs), w.Int32N(2), w.Int64N(40)
		at := w.event(p, e)
		w.end(p, at)
		key := [3]int32{p, e.Peer, e.Tag}
		w.mail[key] = append(w.mail[key], w.arrive(at, e.Bytes))
		w.sent[pair{trace.Proc(p), trace.Proc(e.Peer), e.Kind}]++
	case 3, 4:
		w.receive(p, w.Int32N(procs), w.Int32N(2), w.IntN(2) == 0)
	case 5:
		w.wait(p)
	case 6:
		if w.IntN(3) == 0 {
			w.meet(trace.None, procs)
		}
	case 7:
		if procs > 2 && w.IntN(2) == 0 {
			w.meet(4, 1+procs/2)
		}
	}
}

func (w *world) arrive(at path, bytes int64) path {
	at.length += w.Message + uint64(w.Byte*float64(bytes)+0.5)
	at.messages++
	at.bytes += uint64(bytes)
	return at
}

func (w *world) request(p int32, at path) int32 {
	w.next[p]++
	w.requests[p][w.next[p]] = at
	return w.next[p]
}

// receive takes the first message of a channel, if there is one.
func (w *world) receive(p, from, tag int32, asRequest bool) {
	key := [3]int32{from, p, tag}
	if len(w.mail[key]) == 0 {
		return
	}
	came := w.mail[key][0]
	w.mail[key] = w.mail[key][1:]
	e := trace.NewEvent(trace.Recv)
	e.Peer, e.Tag = from, tag
	if asRequest {
		e.Kind, e.Request = trace.Irecv, w.request(p, came)
		w.end(p, w.event(p, e))
		return
	}
	w.end(p, later(w.event(p, e), came))
}

func (w *world) wait(p int32) {
	for id := int32(1); id <= w.next[p]; id++ {
		if came, open := w.requests[p][id]; open {
			delete(w.requests[p], id)
			e := trace.NewEvent(trace.Wait)
			e.Request = id
			w.end(p, later(w.event(p, e), came))
			return
		}
	}
}

var collectiveKinds = []trace.Kind{trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan,
	trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll}

// meet has processors 0 to n-1 do a collective.
func (w *world) meet(group, n int32) {
	c := call{kind: collectiveKinds[w.IntN(len(collectiveKinds))], bytes: make([]int64, n)}
	root := w.Int32N(n)
	if rooted(c.kind) {
		c.root = int(root)
	}
	begins, requests := make([]path, n), make([]int32, n)
	asRequest := w.IntN(4) == 0
	for p := range n {
		e := trace.NewEvent(c.kind)
		e.Group, e.Bytes = group, w.Int64N(100)
		if rooted(c.kind) {
			e.Peer = root
		}
		if requests[p] = trace.None; asRequest {
			requests[p] = w.request(p, path{})
			e.Request = requests[p]
		}
		c.bytes[p] = e.Bytes
		begins[p] = w.event(p, e)
	}
	for p, end := range w.exits(&c, begins) {
		if asRequest {
			w.requests[p][requests[p]] = end
			w.end(int32(p), begins[p])
		} else {
			w.end(int32(p), end)
		}
	}
}

// needs says whether member i needs something of j, by the meaning of a collective.
func (c *call) needs(i, j int) bool {
	switch c.kind {
	case trace.Bcast, trace.Scatter:
		return j == c.root
	case trace.Reduce, trace.Gather:
		return i == c.root
	case trace.Scan:
		return j < i
	}
	return true
}

func (w *world) exits(c *call, begins []path) []path {
	ends := slices.Clone(begins)
	if w.how == Apart {
		for i := range ends {
			for j, n := range c.bytes {
				switch c.kind {
				case trace.Scatter:
					n = c.bytes[i]
				case trace.AllToAll:
					n /= int64(len(ends))
				}
				if i != j && c.needs(i, j) {
					ends[i] = later(ends[i], w.arrive(begins[j], n))
				}
			}
		}
		return ends
	}
	states := [][]path{begins} // before each round
	c.send = func(round, from, to int, bytes int64) {
		for len(states) < round+2 {
			states = append(states, slices.Clone(states[len(states)-1]))
		}
		states[round+1][to] = later(states[round+1][to], w.arrive(states[round][from], bytes))
		w.sent[pair{trace.Proc(from), trace.Proc(to), c.kind}]++
	}
	c.messages(w.how)
	return states[len(states)-1]
}
