package budget

import (
	"slices"
	"sort"
)

// leaveOut leaves out machines that another one beats.
func (p *Problem) leaveOut(r *Result) {
	switch {
	case p.Beaten:
	case p.Have != nil && p.Objective.needsCost:
		r.leaveOutWorse()
	default:
		r.leaveOutBeaten(p.Top)
	}
}

// leaveOutBeaten ranks the machines of the front alone: the best machine is on it, since no objective decreases when time or price
// increases.
func (r *Result) leaveOutBeaten(top int) {
	r.Ranked = slices.Clone(r.Front)
	slices.SortFunc(r.Ranked, func(a, b Candidate) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	r.Ranked = r.Ranked[:min(len(r.Ranked), top)]
}

// leaveOutWorse leaves out ranked machines that another one beats in time, price and value. The cost of a job on an upgraded
// machine depends on its whole worth, and not on the price of the upgrade.
func (r *Result) leaveOutWorse() {
	known := slices.Concat(r.Ranked, r.Front)
	r.Ranked = slices.DeleteFunc(slices.Clone(r.Ranked), func(c Candidate) bool {
		return slices.ContainsFunc(known, func(d Candidate) bool {
			return d.Time <= c.Time && d.Paid <= c.Paid && d.Value <= c.Value && (d.Time < c.Time || d.Paid < c.Paid || d.Value < c.Value)
		})
	})
}

// addToFront adds c to a front, unless another one is as fast and costs no more. It removes those that c makes
// superfluous.
func addToFront(front []Candidate, c Candidate) []Candidate {
	first := sort.Search(len(front), func(i int) bool { return front[i].Paid >= c.Paid })
	if first > 0 && front[first-1].Time <= c.Time {
		return front
	}
	last := first
	for ; last < len(front) && front[last].Time >= c.Time; last++ {
		if e := &front[last]; e.Paid == c.Paid && e.Time == c.Time && (e.at < c.at || e.at == c.at && e.Nodes < c.Nodes) {
			return front
		}
	}
	if last < len(front) && last == first && front[last].Paid == c.Paid {
		return front // it costs the same and is faster
	}
	return slices.Replace(front, first, last, c)
}
