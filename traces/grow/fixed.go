package grow

import (
	"spoor/traces/trace"
)

// small bounds the parameters of forms that name one rank: the root of a program is one of the first or last ranks.
const small = 4

// maxFan is the most children of a rank in a heap.
const maxFan = 4

// fixed lists the partners that explain e in every round, the most usual ones first.
func fixed(p *place, e *trace.Event) (all []partner) {
	to := int(e.Peer)
	if to == int(trace.None) {
		return []partner{{form: nobody}}
	}
	if !namesRank(e.Kind) {
		return []partner{{form: object, c: e.Peer}}
	}
	if to >= p.ranks {
		return nil
	}
	if e.Collective() {
		return []partner{{form: itself, c: e.Peer}, {form: itselfLast, c: int32(p.ranks - 1 - to)}}
	}
	q := *p
	q.locate(to)
	for a := range p.axes {
		if to == p.moved(a, q.coord[a]) {
			all = append(all, onAxis(p, a, q.coord[a])...)
		}
	}
	all = append(all, inGrid(p, &q)...)
	if p.axes == 3 && p.size[1] == p.size[2] && p.coord[1] == q.coord[2] && p.coord[2] == q.coord[1] {
		all = append(all, partner{form: transposed})
	}
	return all
}

// namesRank reports whether the peer of an event of kind k is a rank.
func namesRank(k trace.Kind) bool {
	switch k {
	case trace.Lock, trace.Unlock, trace.Barrier, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join, trace.Marker:
		return false
	}
	return true
}

// locate sets the coordinates to those of another rank.
func (p *place) locate(rank int) {
	p.rank = rank
	for a := range p.axes {
		p.coord[a] = rank / p.stride[a] % p.size[a]
	}
}

// onAxis lists the partners at coordinate x of the axis.
func onAxis(p *place, axis, x int) (all []partner) {
	from, n := p.coord[axis], p.size[axis]
	add := func(f form, c int, is bool) {
		if is {
			all = append(all, partner{form: f, axis: int8(axis), c: int32(c)})
		}
	}
	add(root, x, x < small && x != from)
	add(shift, x-from, true)
	for _, d := range wrapped(x-from, n) {
		add(cyclic, d, true)
	}
	add(last, n-1-x, n-1-x < small && x != from)
	add(exchange, from^x, true)
	add(folded, 0, x == from^1 && from < 2*foldOf(n).extra)
	add(mirror, 0, x == n-1-from)
	add(half, 0, n%2 == 0 && modulo(x-from, n) == n/2)
	for c := 2; c <= maxFan; c++ {
		add(heapParent, c, from > 0 && x == (from-1)/c)
	}
	for _, f := range []form{lowParent, highParent} {
		one := partner{form: f, axis: int8(axis)}
		y, ok := one.coordinate(from, n, 0)
		add(f, 0, ok && x == y)
	}
	return all
}

// wrapped returns the smallest steps that are d modulo n: two if they are equally long.
func wrapped(d, n int) []int {
	d = modulo(d, n)
	switch {
	case 2*d == n:
		return []int{d, -d}
	case 2*d > n:
		return []int{d - n}
	}
	return []int{d}
}

// inGrid lists the steps from p to q in several dimensions, periodic or not.
func inGrid(p, q *place) (all []partner) {
	dims := 0
	for d := 1; d < p.axes; d++ {
		dims += btoi(p.coord[d] != q.coord[d])
	}
	if dims < 2 {
		return nil
	}
	all = []partner{{form: offsets}}
	for d := 1; d < p.axes; d++ {
		step := q.coord[d] - p.coord[d]
		var more []partner
		for _, f := range all {
			plain := f
			plain.steps[d] = int16(step)
			more = append(more, plain)
			for _, s := range wrapped(step, p.size[d]) {
				if step != 0 {
					around := f
					around.steps[d] = int16(s)
					around.wraps |= 1 << d
					more = append(more, around)
				}
			}
		}
		all = more
	}
	return all
}
