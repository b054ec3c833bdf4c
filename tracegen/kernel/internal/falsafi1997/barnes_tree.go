package falsafi1997

import (
	"fmt"
	"sync/atomic"

	"spoor/tracegen/spmd"
)

// octant returns the number of the child that holds p, for a cell with this centre.
func octant(p, centre vector) int {
	o := 0
	if p.x >= centre.x {
		o = 4
	}
	if p.y >= centre.y {
		o += 2
	}
	if p.z >= centre.z {
		o++
	}
	return o
}

// centreOf returns the centre of an octant of the cube around centre; half is half the side of the octant.
func centreOf(centre vector, o int, half float64) vector {
	c := vector{centre.x - half, centre.y - half, centre.z - half}
	if o&4 != 0 {
		c.x = centre.x + half
	}
	if o&2 != 0 {
		c.y = centre.y + half
	}
	if o&1 != 0 {
		c.z = centre.z + half
	}
	return c
}

// insert puts body b into the tree. Values that it reads without a lock may be out of date, so it reads them again
// with the lock of the cell.
func insert(r *spmd.Rank, bodies []body, cells []cell, used []int32, half float64, b int32) error {
	var at int32
	var centre vector
	p := bodies[b].pos
	for range barnesLevels {
		o := octant(p, centre)
		next := atomic.LoadInt32(&cells[at].child[o])
		half /= 2
		centre = centreOf(centre, o, half)
		if next <= 0 {
			r.Lock(1 + at)
			next = cells[at].child[o]
			switch {
			case next == 0:
				atomic.StoreInt32(&cells[at].child[o], ^b)
			case next < 0: // a body, which moves down into a new cell
				other := ^next
				if next = newCell(r, cells, used, centre, half, at); next < 0 {
					return fmt.Errorf("the tree needs more than %d cells for %d bodies", len(cells), len(bodies))
				}
				cells[next].child[octant(bodies[other].pos, centre)] = ^other
				cells[at].inner++
				atomic.StoreInt32(&cells[at].child[o], next)
			}
			r.Unlock(1 + at)
			if next == 0 {
				return nil
			}
		}
		at = next
	}
	return fmt.Errorf("body %d is too close to another: they cannot be told apart by %d halvings of the cube", b, barnesLevels)
}

// newCell makes an empty cell and returns its number, or -1 if there is no room.
func newCell(r *spmd.Rank, cells []cell, used []int32, centre vector, half float64, parent int32) int32 {
	r.Lock(0)
	c := used[0]
	if int(c) == len(cells) {
		c = -1
	} else {
		used[0]++
	}
	r.Unlock(0)
	if c >= 0 {
		cells[c] = cell{centre: centre, half: half, parent: parent}
	}
	return c
}

// sumUp finds mass, centre of mass and cost of this rank's share of the lowest cells, and of their ancestors where
// it is the last to arrive.
func sumUp(r *spmd.Rank, bodies []body, cells []cell, used int) {
	lo, hi := r.Share(used)
	for c := lo; c < hi; c++ {
		if cells[c].inner > 0 {
			continue
		}
		for at := int32(c); ; {
			sumChildren(bodies, cells, at)
			if at == 0 {
				break
			}
			at = cells[at].parent
			r.Lock(1 + at)
			cells[at].arrived++
			last := cells[at].arrived == cells[at].inner
			r.Unlock(1 + at)
			if !last {
				break
			}
		}
	}
}

// sumChildren sets mass, centre of mass and cost of a cell. Here and below, conversions keep multiplication and
// addition separate, which some machines could fuse. So the result has the same bits on all machines.
func sumChildren(bodies []body, cells []cell, c int32) {
	var mass float64
	var pos vector
	var cost int
	for o := range 8 {
		child := cells[c].child[o]
		if child == 0 {
			continue
		}
		var m float64
		var p vector
		if child < 0 {
			m, p = bodies[^child].mass, bodies[^child].pos
			cost += bodies[^child].cost
		} else {
			m, p = cells[child].mass, cells[child].pos
			cost += cells[child].cost
		}
		mass += m
		pos.x += float64(m * p.x)
		pos.y += float64(m * p.y)
		pos.z += float64(m * p.z)
	}
	cells[c].mass, cells[c].cost = mass, cost
	cells[c].pos = vector{pos.x / mass, pos.y / mass, pos.z / mass}
}

// zone sets mine to the bodies of this rank and returns their number. In the order of the tree, these are the
// bodies at which the running sum of costs is in the rank's share of the total.
func zone(r *spmd.Rank, bodies []body, cells []cell, stack, mine []int32) int {
	from, to := r.Share(cells[0].cost)
	count, top, before := 0, 1, 0
	stack[0] = 0
	for top > 0 && before < to {
		top--
		node := stack[top]
		if node < 0 {
			if before >= from {
				mine[count] = ^node
				count++
			}
			before += bodies[^node].cost
		} else if cost := cells[node].cost; before+cost <= from {
			before += cost
		} else {
			top = push(cells, stack, top, node)
		}
	}
	return count
}

// push puts the children of a cell on the stack, the first one on top, and returns the new top.
//
// It is not inlined, so that its instructions are the same for all callers.
//
//go:noinline
func push(cells []cell, stack []int32, top int, c int32) int {
	for o := 7; o >= 0; o-- {
		if child := cells[c].child[o]; child != 0 {
			stack[top] = child
			top++
		}
	}
	return top
}
