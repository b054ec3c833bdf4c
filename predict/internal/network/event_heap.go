package network

// eventHeap is a heap of the numbers of flows. It is ordered by when they begin or end, ties by order, and its arity
// is heapArity. Each flow stores its index.
type eventHeap []int32

const heapArity = 4

func (f *Fluid) before(a, b int32) bool {
	x, y := &f.flows[a], &f.flows[b]
	switch {
	case x.event != y.event:
		return x.event < y.event
	case x.order.Major != y.order.Major:
		return x.order.Major < y.order.Major
	}
	return int32(x.order.Minor-y.order.Minor) < 0 // numbers wrap around
}

func (a *eventHeap) add(f *Fluid, id int32) {
	*a = append(*a, id)
	a.up(f, int32(len(*a)-1), id)
}

func (a *eventHeap) pop(f *Fluid) int32 {
	q := *a
	first, last := q[0], q[len(q)-1]
	*a = q[:len(q)-1]
	if len(*a) > 0 {
		a.down(f, 0, last)
	}
	return first
}

// update moves a flow whose event has changed.
func (a *eventHeap) update(f *Fluid, id int32) {
	a.up(f, f.flows[id].heapIndex, id)
	a.down(f, f.flows[id].heapIndex, id)
}

func (a *eventHeap) put(f *Fluid, i, id int32) {
	(*a)[i] = id
	f.flows[id].heapIndex = i
}

func (a *eventHeap) up(f *Fluid, i, id int32) {
	for i > 0 {
		parent := (i - 1) / heapArity
		if !f.before(id, (*a)[parent]) {
			break
		}
		a.put(f, i, (*a)[parent])
		i = parent
	}
	a.put(f, i, id)
}

func (a *eventHeap) down(f *Fluid, i, id int32) {
	q := *a
	for {
		first := heapArity*i + 1
		if int(first) >= len(q) {
			break
		}
		least := first
		for k := first + 1; k < min(first+heapArity, int32(len(q))); k++ {
			if f.before(q[k], q[least]) {
				least = k
			}
		}
		if !f.before(q[least], id) {
			break
		}
		a.put(f, i, q[least])
		i = least
	}
	a.put(f, i, id)
}
