package weigh

// votes are evidence by region. They keep their order, so that ties always have the same winner.
type votes struct {
	regions []regionCopy
	firm    []evidence
	all     []evidence
}

func (v *votes) add(s regionCopy, e evidence) {
	for i := range v.regions {
		if v.regions[i] == s {
			v.all[i] += e
			v.firm[i] += e / firm
			return
		}
	}
	v.regions = append(v.regions, s)
	v.all = append(v.all, e)
	v.firm = append(v.firm, e/firm)
}

func (v *votes) best() int {
	best := -1
	for i := range v.regions {
		if best < 0 || v.all[i] > v.all[best] {
			best = i
		}
	}
	return best
}

// outermost returns the outermost region around region i that has firm evidence. Inner regions can be part of the
// same block, if the compiler has replaced a branch by a conditional move.
func (v *votes) outermost(i int) regionCopy {
	best := v.regions[i]
	for k, s := range v.regions {
		if v.firm[k] > 0 && s != best && best.within(s) {
			best = s
		}
	}
	return best
}
