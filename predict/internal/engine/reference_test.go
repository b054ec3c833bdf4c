package engine

import "spoor/predict/internal/engine/program"

// The engines of this file are references for speed: they take a message trace in their own form, prepared before
// the clock runs, and do what LogGOPSim does and no more: no tags, no any-source, no rendezvous, no parts of time.

// refCost is L, o, g and G, in nanoseconds.
type refCost struct{ L, o, g, G uint64 }

// The kinds of operations of a refTrace: nonblocking sends and receives, a wait for all of them, and computation.
const (
	refCalc uint8 = iota
	refSend
	refRecv
	refWait
)

type refOp struct {
	Size, Peer, Tag uint32
	Kind            uint8
}

type refTrace struct {
	P     int
	Ranks [][]refOp
}

// reference is the workload in nanoseconds.
func (w *workload) reference() *refTrace {
	t := &refTrace{P: len(w.ranks), Ranks: make([][]refOp, len(w.ranks))}
	for r, ops := range w.ranks {
		waits := false
		for _, op := range ops {
			one := refOp{Size: uint32(op.Bytes), Peer: uint32(op.Peer), Tag: uint32(op.Tag)}
			switch op.Kind {
			case program.Isend:
				one.Kind = refSend
			case program.Irecv:
				one.Kind = refRecv
			case program.Wait:
				one.Kind = refWait
				if waits {
					continue
				}
			case program.Compute:
				one = refOp{Size: uint32(op.Work / 1000), Kind: refCalc}
			}
			waits = op.Kind == program.Wait
			t.Ranks[r] = append(t.Ranks[r], one)
		}
	}
	return t
}

// 4-ary refHeap, 16-byte entries ordered by (time, ts)
type refEntry struct {
	t   uint64
	ts  uint32
	idx uint32
}

func refLess(a, b refEntry) bool { return a.t < b.t || (a.t == b.t && a.ts < b.ts) }

type refHeap struct{ a []refEntry }

func (h *refHeap) push(e refEntry) {
	h.a = append(h.a, e)
	a := h.a
	i := len(a) - 1
	for i > 0 {
		p := (i - 1) >> 2
		if !refLess(e, a[p]) {
			break
		}
		a[i] = a[p]
		i = p
	}
	a[i] = e
}
func (h *refHeap) siftdown(e refEntry) { // place e at root
	a := h.a
	n := len(a)
	i := 0
	for {
		c := i<<2 + 1
		if c >= n {
			break
		}
		m := c
		me := a[c]
		end := min(c+4, n)
		for k := c + 1; k < end; k++ {
			if refLess(a[k], me) {
				m, me = k, a[k]
			}
		}
		if !refLess(me, e) {
			break
		}
		a[i] = me
		i = m
	}
	a[i] = e
}
func (h *refHeap) popRoot() {
	n := len(h.a) - 1
	e := h.a[n]
	h.a = h.a[:n]
	if n > 0 {
		h.siftdown(e)
	}
}

const (
	refSends = iota + 1
	refReceives
	refWorks
	refComes
)

type refEvent struct {
	host uint32
	ch   uint32
	size uint32
	dst  uint32
	kind uint8
}

type refHost struct {
	nexto, nextgr, nextgs uint64
	pc                    int32
	left                  int32
}

// refChannels: dense id per (src,dst,tag); stored in Tag.
func refChannels(t *refTrace) int {
	n := 0
	m := make([]map[uint64]uint32, t.P) // by dst
	for i := range m {
		m[i] = map[uint64]uint32{}
	}
	get := func(dst uint32, src uint32, tag uint32) uint32 {
		k := uint64(src)<<32 | uint64(tag)
		c, ok := m[dst][k]
		if !ok {
			c = uint32(n)
			n++
			m[dst][k] = c
		}
		return c
	}
	for r, ops := range t.Ranks {
		for i := range ops {
			switch ops[i].Kind {
			case refSend:
				ops[i].Tag = get(ops[i].Peer, uint32(r), ops[i].Tag)
			case refRecv:
				ops[i].Tag = get(uint32(r), ops[i].Peer, ops[i].Tag)
			}
		}
	}
	return n
}
