package weigh

// votes are evidence by spot. They keep their order, so that ties always fall the
// same way.
type votes struct {
	spots []spot
	firm  []evidence
	all   []evidence
}

func (v *votes) add(s spot, e evidence) {
	for i := range v.spots {
		if v.spots[i] == s {
			v.all[i] += e
			v.firm[i] += e / firm
			return
		}
	}
	v.spots = append(v.spots, s)
	v.all = append(v.all, e)
	v.firm = append(v.firm, e/firm)
}

func (v *votes) best() int {
	best := -1
	for i := range v.spots {
		if best < 0 || v.all[i] > v.all[best] {
			best = i
		}
	}
	return best
}

// outermost returns the outermost region around spot i that has firm evidence:
// inner regions can be part of the same block when the compiler has replaced a
// branch by a conditional move.
func (v *votes) outermost(i int) spot {
	best := v.spots[i]
	for k, s := range v.spots {
		if v.firm[k] > 0 && s != best && best.within(s) {
			best = s
		}
	}
	return best
}
