package grow

import (
	"spoor/traces/trace"
)

// writer collects the events of one rank of a test program.
type writer struct {
	rank, ranks int
	rows        []trace.Event
	next        int32 // number of the next request
	open        []int32
}

// instr are the instructions before each event.
const instr = 100

func (w *writer) add(k trace.Kind, peer, tag int, bytes int64) *trace.Event {
	e := trace.NewEvent(k)
	e.Instr, e.Peer, e.Tag, e.Bytes = instr, int32(peer), int32(tag), bytes
	w.rows = append(w.rows, e)
	return &w.rows[len(w.rows)-1]
}

func (w *writer) send(to int, bytes int64)   { w.add(trace.Send, to, 1, bytes) }
func (w *writer) recv(from int, bytes int64) { w.add(trace.Recv, from, 1, bytes) }

func (w *writer) start(k trace.Kind, peer int, bytes int64) {
	w.add(k, peer, 1, bytes).Request = w.next
	w.open = append(w.open, w.next)
	w.next++
}

func (w *writer) wait(number int32) {
	w.add(trace.Wait, -1, -1, 0).Request = number
	for i, n := range w.open {
		if n == number {
			w.open = append(w.open[:i:i], w.open[i+1:]...)
			return
		}
	}
}

func (w *writer) waitAll() {
	for len(w.open) > 0 {
		w.wait(w.open[0])
	}
}

func (w *writer) exchange(to, from int, bytes int64) {
	w.start(trace.Irecv, from, bytes)
	w.start(trace.Isend, to, bytes)
	w.waitAll()
}

func (w *writer) compute(n int64) {
	e := w.add(trace.Compute, -1, -1, 0)
	e.Work = n
}

// program is a test program: what one rank does.
type program func(w *writer)

// record returns the recordings of a program.
func (p program) record(counts ...int) (all []Recording) {
	for _, n := range counts {
		r := Recording{Name: "recording"}
		for rank := range n {
			w := &writer{rank: rank, ranks: n}
			p(w)
			r.Rows = append(r.Rows, w.rows)
		}
		all = append(all, r)
	}
	return all
}

// stencil exchanges with the neighbours in each dimension. The bytes are those of the faces.
func stencil(g grid, periodic, nonblocking bool, bytes func(w *writer, p *place, dim int) int64) program {
	return func(w *writer) {
		p := placeOf(g, w.rank, w.ranks)
		for range 3 {
			each := func(do func(peer int, n int64)) {
				for d := 1; d < p.axes; d++ {
					for _, step := range []int{-1, 1} {
						x := p.coord[d] + step
						if periodic {
							x = modulo(x, p.size[d])
						}
						if x >= 0 && x < p.size[d] {
							do(p.moved(d, x), bytes(w, &p, d))
						}
					}
				}
			}
			if nonblocking {
				each(func(peer int, n int64) { w.start(trace.Irecv, peer, n) })
				each(func(peer int, n int64) { w.start(trace.Isend, peer, n) })
				w.waitAll()
			} else {
				each(w.send)
				each(w.recv)
			}
			w.compute(1000)
		}
		w.add(trace.AllReduce, -1, -1, 8)
	}
}

func same(*writer, *place, int) int64 { return 800 }

// faces are those of an array of doubles whose sides are divided among the dimensions.
func faces(side int64) func(*writer, *place, int) int64 {
	return func(_ *writer, p *place, dim int) int64 {
		n := int64(8)
		for d := 1; d < p.axes; d++ {
			if d != dim {
				n *= side/int64(p.size[d]) + int64(btoi(int64(p.coord[d]) < side%int64(p.size[d])))
			}
		}
		return n
	}
}

func butterfly(w *writer) {
	for range 2 {
		for k := 1; k < w.ranks; k *= 2 {
			w.exchange(w.rank^k, w.rank^k, 64)
			w.compute(50)
		}
		w.add(trace.Barrier, -1, -1, 0)
	}
}

// foldedButterfly is an allreduce by recursive doubling for any number of ranks.
func foldedButterfly(w *writer) {
	f := foldOf(w.ranks)
	inPair := w.rank < 2*f.extra
	if inPair && w.rank%2 == 0 {
		w.send(w.rank+1, 64)
		w.recv(w.rank+1, 64)
		return
	}
	if inPair {
		w.recv(w.rank-1, 64)
		w.compute(5)
	}
	for k := 1; k < f.active; k *= 2 {
		to, _ := f.partner(w.rank, k)
		w.exchange(to, to, 64)
		w.compute(5)
	}
	if inPair {
		w.send(w.rank-1, 64)
	}
}

// halving is a reduce-scatter by recursive halving and an allgather by recursive doubling.
func halving(w *writer) {
	n := int64(1 << 16)
	for k := w.ranks / 2; k >= 1; k /= 2 {
		n /= 2
		w.exchange(w.rank^k, w.rank^k, n)
	}
	for k := 1; k < w.ranks; k *= 2 {
		w.exchange(w.rank^k, w.rank^k, n)
		n *= 2
	}
}

// ring is an allreduce of 1000 doubles in a ring.
func ring(w *writer) {
	part := func(i int) int64 {
		i = modulo(i, w.ranks)
		return 8 * (1000/int64(w.ranks) + int64(btoi(i < 1000%w.ranks)))
	}
	for k := range w.ranks - 1 {
		w.start(trace.Irecv, modulo(w.rank-1, w.ranks), part(w.rank-k-1))
		w.start(trace.Isend, modulo(w.rank+1, w.ranks), part(w.rank-k))
		w.waitAll()
	}
}

// shiftRing passes a message around.
func shiftRing(w *writer) {
	for range 4 {
		w.compute(10)
		w.send(modulo(w.rank+1, w.ranks), 100)
		w.recv(modulo(w.rank-1, w.ranks), 100)
	}
}
