package grow

import "spoor/traces/trace"

// binomial is a broadcast and a reduction as MPICH does them.
func binomial(w *writer) {
	mask := 1
	for ; mask < w.ranks; mask *= 2 {
		if w.rank&mask != 0 {
			w.recv(w.rank-mask, 512)
			break
		}
	}
	for mask /= 2; mask > 0; mask /= 2 {
		if w.rank+mask < w.ranks {
			w.send(w.rank+mask, 512)
		}
	}
	w.compute(30)
	for mask = 1; mask < w.ranks; mask *= 2 {
		if w.rank&mask != 0 {
			w.send(w.rank-mask, 512)
			break
		}
		if w.rank+mask < w.ranks {
			w.recv(w.rank+mask, 512)
			w.compute(5)
		}
	}
}

// highTree broadcasts in rounds of doubling distance.
func highTree(w *writer) {
	for mask := 1; mask < w.ranks; mask *= 2 {
		switch {
		case w.rank < mask && w.rank+mask < w.ranks:
			w.send(w.rank+mask, 64)
		case w.rank >= mask && w.rank < 2*mask:
			w.recv(w.rank-mask, 64)
		}
	}
}

// heap broadcasts in a binary tree.
func heap(w *writer) {
	if w.rank > 0 {
		w.recv((w.rank-1)/2, 24)
	}
	for c := 2*w.rank + 1; c <= 2*w.rank+2 && c < w.ranks; c++ {
		w.send(c, 24)
	}
}

// masterWorker gives each worker one task at a time, in a fixed order, 100 tasks in all.
func masterWorker(w *writer) {
	const tasks = 100
	workers := w.ranks - 1
	if w.rank > 0 {
		for k := range tasks {
			if 1+k%workers == w.rank {
				w.recv(0, 1000)
				w.compute(5000)
				w.send(0, 8)
			}
		}
		w.recv(0, 0)
		return
	}
	for k := range workers {
		w.send(1+k, 1000)
	}
	for k := range tasks - workers {
		w.recv(-1, 8)
		w.send(1+k%workers, 1000)
	}
	for range workers {
		w.recv(-1, 8)
	}
	for k := range workers {
		w.send(1+k, 0)
	}
}

// gatherWildcard has one task for each worker, and results from any of them.
func gatherWildcard(w *writer) {
	if w.rank > 0 {
		w.recv(0, 16)
		w.compute(77)
		w.send(0, 8)
		return
	}
	for k := 1; k < w.ranks; k++ {
		w.send(k, 16)
	}
	for k := 1; k < w.ranks; k++ {
		w.recv(-1, 8)
	}
}

func pairwise(w *writer) {
	for k := 1; k < w.ranks; k++ {
		w.exchange(modulo(w.rank+k, w.ranks), modulo(w.rank-k, w.ranks), int64(8*(4096/w.ranks)))
	}
}

// scatterAll posts all receives and sends of an alltoall, then waits.
func scatterAll(w *writer) {
	for k := range w.ranks {
		if k != w.rank {
			w.start(trace.Irecv, k, 40)
		}
	}
	for k := range w.ranks {
		if k != w.rank {
			w.start(trace.Isend, k, 40)
		}
	}
	w.waitAll()
}

func dissemination(w *writer) {
	for k := 1; k < w.ranks; k *= 2 {
		w.exchange(modulo(w.rank+k, w.ranks), modulo(w.rank-k, w.ranks), 0)
	}
}

// prefix is a scan in rounds of doubling distance.
func prefix(w *writer) {
	for k := 1; k < w.ranks; k *= 2 {
		if w.rank+k < w.ranks {
			w.send(w.rank+k, 8)
		}
		if w.rank >= k {
			w.recv(w.rank-k, 8)
			w.compute(3)
		}
	}
}

// oddEven exchanges with neighbours; even ranks send first.
func oddEven(w *writer) {
	for range 3 {
		for _, step := range []int{1, -1} {
			to := w.rank + step
			if to < 0 || to >= w.ranks {
				continue
			}
			if w.rank%2 == 0 {
				w.send(to, 8)
				w.recv(to, 8)
			} else {
				w.recv(to, 8)
				w.send(to, 8)
			}
		}
	}
}

func collectives(w *writer) {
	w.add(trace.Bcast, 0, -1, 100)
	w.add(trace.Reduce, 0, -1, 8).Work = 7
	w.add(trace.AllToAll, -1, -1, int64(64*w.ranks))
	e := w.add(trace.AllReduce, -1, -1, 8)
	e.Request = 0
	w.compute(int64(1<<20) / int64(w.ranks))
	w.add(trace.Wait, -1, -1, 0).Request = 0
	w.add(trace.Gather, w.ranks-1, -1, 8)
	for k := range w.ranks {
		w.add(trace.Bcast, k, -1, 8)
	}
}

// rowsAndColumns exchanges in the rows and columns of a square, each by a butterfly or a ring.
func rowsAndColumns(w *writer) {
	p := placeOf(grid{dims: 2, rule: falling}, w.rank, w.ranks)
	for k := 1; k < p.size[2]; k *= 2 {
		q := p.moved(2, p.coord[2]^k)
		w.exchange(q, q, 8)
	}
	for range p.size[1] - 1 {
		w.exchange(p.moved(1, modulo(p.coord[1]+1, p.size[1])), p.moved(1, modulo(p.coord[1]-1, p.size[1])), 16)
	}
}

// wavefront sweeps a plane from the first corner.
func wavefront(w *writer) {
	p := placeOf(grid{dims: 2, rule: falling}, w.rank, w.ranks)
	for range 5 {
		for d := 1; d <= 2; d++ {
			if p.coord[d] > 0 {
				w.recv(p.moved(d, p.coord[d]-1), 32)
			}
		}
		w.compute(400)
		for d := 1; d <= 2; d++ {
			if p.coord[d] < p.size[d]-1 {
				w.send(p.moved(d, p.coord[d]+1), 32)
			}
		}
	}
}

// randomPartners has no pattern.
func randomPartners(w *writer) {
	for i := range 10 {
		to := int(mix(int32(w.rank), int32(i), int32(w.ranks)) % uint64(w.ranks))
		w.start(trace.Isend, to, 8)
	}
	w.waitAll()
}

// converging has a number of iterations that no formula of the number of ranks gives.
func converging(w *writer) {
	for range 10 + w.ranks*w.ranks%7 {
		w.send(modulo(w.rank+1, w.ranks), 8)
		w.recv(modulo(w.rank-1, w.ranks), 8)
	}
}

func oddSizes(w *writer) {
	w.add(trace.AllReduce, -1, -1, int64(w.ranks*w.ranks*w.ranks%11)+1)
}

func needing(w *writer) { w.add(trace.Compute, -1, -1, 0).Needs = []int64{} }
