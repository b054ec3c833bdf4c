package dumpi

import (
	"cmp"
	"slices"
)

// resolve reads the calls in all files that make communicators, and finds the ranks of
// each.
func (d *dumpiImport) resolve() error {
	size := len(d.fileOf)
	made := make([][]dumpiCreation, size)
	d.created = make([][]*dumpiComm, size)
	lists := map[string][]int64{}
	for rank, file := range d.fileOf {
		if file < 0 {
			continue
		}
		var err error
		if made[rank], err = d.scan(file, lists); err != nil {
			return err
		}
		d.created[rank] = make([]*dumpiComm, 0, len(made[rank]))
	}
	v := &dumpiResolver{d: d, made: made, world: &dumpiComm{group: -1}, groups: 1}
	for rank := range int32(d.worldSize()) {
		v.world.ranks = append(v.world.ranks, rank)
	}
	for rank := range int32(size) {
		v.ready = append(v.ready, rank)
	}
	for len(v.ready) > 0 {
		rank := v.ready[len(v.ready)-1]
		v.ready = v.ready[:len(v.ready)-1]
		v.advance(rank)
	}
	return nil
}

// dumpiResolver matches the calls of all ranks that make communicators.
type dumpiResolver struct {
	d      *dumpiImport
	made   [][]dumpiCreation
	world  *dumpiComm // with all its ranks
	ready  []int32    // ranks that can advance
	groups int32      // number of communicators so far
}

// parent returns the communicator of a number in a creation of rank.
func (v *dumpiResolver) parent(rank, i int32) *dumpiComm {
	switch {
	case i == dumpiParentWorld:
		return v.world
	case i == dumpiParentSelf:
		return &dumpiComm{ranks: []int32{rank}}
	case i >= 0 && int(i) < len(v.d.created[rank]) && v.d.created[rank][i] != nil:
		return v.d.created[rank][i]
	}
	return &dumpiComm{why: "it is made from one with unknown ranks"}
}

// next returns the current creation of rank.
func (v *dumpiResolver) next(rank int32) *dumpiCreation {
	return &v.made[rank][len(v.d.created[rank])]
}

// advance moves a rank to its next creation. When all ranks of the parent are there,
// the communicators are made.
func (v *dumpiResolver) advance(rank int32) {
	for int(rank) < len(v.made) && len(v.d.created[rank]) < len(v.made[rank]) {
		m := v.next(rank)
		parent := v.parent(rank, m.parent)
		if m.kind == "MPI_Intercomm_create" || m.kind == "MPI_Intercomm_merge" {
			parent.why = "it is made by " + m.kind + ", which joins two groups"
		}
		if parent.why != "" {
			v.d.created[rank] = append(v.d.created[rank], &dumpiComm{why: parent.why})
			continue
		}
		if parent.waiting = append(parent.waiting, rank); len(parent.waiting) == len(parent.ranks) {
			v.meet(parent)
		}
		return
	}
}

// meet makes the communicators of a call by all ranks of parent.
func (v *dumpiResolver) meet(parent *dumpiComm) {
	parent.waiting = parent.waiting[:0]
	kind := v.next(parent.ranks[0]).kind
	made := make([]*dumpiComm, len(parent.ranks))
	same := !slices.ContainsFunc(parent.ranks, func(rank int32) bool { return v.next(rank).kind != kind })
	switch {
	case !same:
		for i := range made {
			made[i] = &dumpiComm{why: "its ranks make different calls"}
		}
	case kind == "MPI_Comm_create":
		v.create(parent, made)
	case kind == "MPI_Cart_sub":
		v.cartSub(parent, made)
	case kind == "MPI_Comm_split":
		v.split(parent, made, func(i int, m *dumpiCreation) (int64, int64) { return m.color, m.key })
	default: // a duplicate, or a grid or graph of the first ranks
		v.split(parent, made, func(i int, m *dumpiCreation) (int64, int64) { return 0, 0 })
		if kind == "MPI_Cart_create" {
			for i, rank := range parent.ranks {
				if made[i] != nil {
					made[i].dims = v.next(rank).dims
				}
			}
		}
	}
	for i, rank := range parent.ranks {
		v.d.created[rank] = append(v.d.created[rank], made[i])
	}
	v.ready = append(v.ready, parent.ranks...)
}

// newComm numbers a communicator.
func (v *dumpiResolver) newComm(ranks []int32) *dumpiComm {
	v.groups++
	return &dumpiComm{group: v.groups - 1, ranks: ranks}
}

// split makes a communicator of the ranks of each color, in the order of their keys.
func (v *dumpiResolver) split(parent *dumpiComm, made []*dumpiComm, by func(i int, m *dumpiCreation) (color, key int64)) {
	type entry struct {
		color, key int64
		i          int
	}
	var entries []entry
	for i, rank := range parent.ranks {
		if m := v.next(rank); !m.none {
			color, key := by(i, m)
			entries = append(entries, entry{color, key, i})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.color, b.color), cmp.Compare(a.key, b.key)) })
	var comm *dumpiComm
	for k, e := range entries {
		if k == 0 || entries[k-1].color != e.color {
			comm = v.newComm(nil)
		}
		comm.ranks = append(comm.ranks, parent.ranks[e.i])
		made[e.i] = comm
	}
}

// create makes the communicators of groups.
func (v *dumpiResolver) create(parent *dumpiComm, made []*dumpiComm) {
	byFirst := map[int32]*dumpiComm{} // the groups of one call are disjoint
	for i, rank := range parent.ranks {
		m := v.next(rank)
		if m.none {
			continue
		}
		ranks, ok := v.members(rank, m.group)
		if !ok || len(ranks) == 0 || !slices.Contains(ranks, rank) {
			made[i] = &dumpiComm{why: "its group is unknown"}
			continue
		}
		if byFirst[ranks[0]] == nil {
			byFirst[ranks[0]] = v.newComm(ranks)
		}
		made[i] = byFirst[ranks[0]]
	}
}

// cartSub splits a grid. Ranks that differ only in the remaining dimensions stay
// together.
func (v *dumpiResolver) cartSub(parent *dumpiComm, made []*dumpiComm) {
	remain := v.next(parent.ranks[0]).dims
	if len(parent.dims) == 0 || len(remain) != len(parent.dims) || !isGrid(parent.dims, len(parent.ranks)) {
		for i := range made {
			made[i] = &dumpiComm{why: "it is a part of a grid with unknown dimensions"}
		}
		return
	}
	var dims []int64
	for i, n := range parent.dims {
		if remain[i] != 0 {
			dims = append(dims, n)
		}
	}
	v.split(parent, made, func(rank int, _ *dumpiCreation) (color, key int64) {
		cell, place, below := int64(rank), int64(1), int64(1)
		for i := len(remain) - 1; i >= 0; i-- { // the last dimension varies fastest
			at := cell % parent.dims[i]
			cell /= parent.dims[i]
			if remain[i] != 0 {
				key, below = key+at*below, below*parent.dims[i]
			} else {
				color, place = color+at*place, place*parent.dims[i]
			}
		}
		return color, key
	})
	for _, c := range made {
		if c != nil {
			c.dims = dims
		}
	}
}

// isGrid reports whether a grid of these dimensions has n cells.
func isGrid(dims []int64, n int) bool {
	volume := int64(1)
	for _, d := range dims {
		if d <= 0 || volume > int64(n)/d {
			return false
		}
		volume *= d
	}
	return volume == int64(n)
}
