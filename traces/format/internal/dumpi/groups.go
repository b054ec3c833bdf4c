package dumpi

import (
	"slices"
)

// members returns the world ranks of a group of one rank.
func (v *dumpiResolver) members(rank int32, g *dumpiGroup) (ranks []int32, ok bool) {
	if g == nil {
		return nil, false
	}
	if !g.done {
		g.done = true
		g.members, g.known = v.evaluate(rank, g)
	}
	return g.members, g.known
}

func (v *dumpiResolver) evaluate(rank int32, g *dumpiGroup) (ranks []int32, ok bool) {
	if g.a == nil {
		c := v.parent(rank, g.comm)
		return c.ranks, g.kind == "MPI_Comm_group" && c.why == ""
	}
	a, ok := v.members(rank, g.a)
	if !ok {
		return nil, false
	}
	if g.kind == "MPI_Group_union" || g.kind == "MPI_Group_intersection" || g.kind == "MPI_Group_difference" {
		b, ok := v.members(rank, g.b)
		return combineGroups(g.kind, a, b), ok
	}
	picked, ok := g.pick(len(a))
	if !ok {
		return nil, false
	}
	for _, i := range picked {
		ranks = append(ranks, a[i])
	}
	if g.kind == "MPI_Group_excl" || g.kind == "MPI_Group_range_excl" {
		ranks = combineGroups("MPI_Group_difference", a, ranks)
	}
	return ranks, true
}

// combineGroups orders members as MPI does: first those of a.
func combineGroups(kind string, a, b []int32) (ranks []int32) {
	in := map[int32]bool{}
	for _, r := range b {
		in[r] = true
	}
	for _, r := range a {
		if kind == "MPI_Group_union" || in[r] == (kind == "MPI_Group_intersection") {
			ranks = append(ranks, r)
		}
	}
	if kind == "MPI_Group_union" {
		for _, r := range b {
			if !slices.Contains(a, r) {
				ranks = append(ranks, r)
			}
		}
	}
	return ranks
}

// pick lists the ranks that the call selects, of n ranks.
func (g *dumpiGroup) pick(n int) (picked []int, ok bool) {
	if g.kind == "MPI_Group_incl" || g.kind == "MPI_Group_excl" {
		for _, r := range g.ranks {
			if r < 0 || r >= int64(n) {
				return nil, false
			}
			picked = append(picked, int(r))
		}
		return picked, true
	}
	for i := 0; i+2 < len(g.ranks); i += 3 { // first, last, stride
		first, last, stride := g.ranks[i], g.ranks[i+1], g.ranks[i+2]
		if stride == 0 || min(first, last) < 0 || max(first, last) >= int64(n) || (last-first)/stride < 0 {
			return nil, false
		}
		for k := range (last-first)/stride + 1 {
			picked = append(picked, int(first+k*stride))
		}
	}
	return picked, true
}
