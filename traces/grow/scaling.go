package grow

import (
	"maps"
	"slices"
)

// meanOf accumulates a mean.
type meanOf struct{ sum, n float64 }

func (m meanOf) mean() float64 {
	if m.n == 0 {
		return 0
	}
	return m.sum / m.n
}

// computation is the fields that say how much a rank computes.
var computation = []field{fieldInstr, fieldWork}

// scaling gives the growth of computation with the number of ranks.
type scaling struct {
	steps map[stepField]stepGrowth
	whole map[field]curve // of all computation together
}

// stepGrowth is the growth of a step.
type stepGrowth struct {
	curve
	most float64 // the largest mean of the roles that it is known from, in the largest recording
}

// comparable is how many times larger than known computation the computation of other roles may be, to grow like it.
const comparable = 4

// of returns the growth of a step from a value on. The role of a rank inside a grid may be in no recording but the largest one. If its step
// takes little time in all other roles, that step says nothing of this one, and all computation together is the better guide.
func (g *scaling) of(at stepField, value int64) curve {
	if step, known := g.steps[at]; known && float64(value) <= comparable*step.most {
		return step.curve
	}
	return g.whole[at.field]
}

// scalings compares the means of ranks of the same role in all recordings with the largest one.
func scalings(p *parser, r *roles) scaling {
	means := map[stepField]map[role][]meanOf{}
	for i := range p.program {
		s := &p.program[i]
		for j := range s.body {
			for _, f := range computation {
				if at := (stepField{s.id, j, f}); len(s.seen[j]) > 0 {
					if means[at] == nil {
						means[at] = map[role][]meanOf{}
					}
					p.addMeans(s, j, f, r, means[at])
				}
			}
		}
	}
	g := scaling{steps: map[stepField]stepGrowth{}, whole: map[field]curve{}}
	for _, f := range computation {
		g.whole[f] = p.wholeCurve(means, f)
	}
	for at, of := range means {
		if c, most := p.curveOf(of); most > 0 {
			g.steps[at] = stepGrowth{c, most}
		}
	}
	return g
}

// wholeCurve returns the growth of all numbers of a field together.
func (p *parser) wholeCurve(means map[stepField]map[role][]meanOf, f field) curve {
	all := map[role][]meanOf{}
	for at, of := range means {
		if at.field != f {
			continue
		}
		for own, m := range of {
			all[(own^role(at.id))*roundFactor^role(at.step)] = m
		}
	}
	c, _ := p.curveOf(all)
	return c
}

// roundFactor mixes rounds into roles: only equal rounds are compared.
const roundFactor = 1099511628211

// addMeans adds the values of a step to the means of each role and recording.
func (p *parser) addMeans(s *statement, j int, f field, r *roles, to map[role][]meanOf) {
	for _, e := range s.seen[j] {
		t := p.tracks[e.track]
		own := (r.of[e.track] ^ role(e.round)) * roundFactor
		if to[own] == nil {
			to[own] = make([]meanOf, len(p.names))
		}
		m := &to[own][t.recording]
		m.sum += float64(f.of(&t.rows[e.row]))
		m.n++
	}
}

// curveOf returns the growth of the means relative to that of the largest recording. Of each recording it compares only
// the roles that the largest one has, too. It leaves out recordings in which these do little of the work, as their growth
// is not that of the rest. It also returns the largest mean of roles in several recordings, or 0.
func (p *parser) curveOf(of map[role][]meanOf) (c curve, most float64) {
	last := len(p.names) - 1
	var x []*place
	var y []float64
	all, total := sortedRoles(of), 0.
	for _, own := range all {
		total += of[own][last].mean()
	}
	for i := range p.names {
		small, large, one := 0., 0., 0.
		for _, own := range all {
			if m := of[own]; m[i].n > 0 && m[last].n > 0 {
				small += m[i].mean()
				large += m[last].mean()
				one = max(one, m[last].mean())
			}
		}
		if large > 0 && large*comparable >= total {
			if x, y = append(x, p.placeIn(i)), append(y, small/large); i < last {
				most = max(most, one)
			}
		}
	}
	return fitCurve(x, y), most
}

// placeIn returns the first rank of a recording.
func (p *parser) placeIn(recording int) *place {
	i := slices.IndexFunc(p.tracks, func(t *track) bool { return t.recording == recording })
	return &p.tracks[i].place
}

// sortedRoles returns the roles in a fixed order, so that sums do not depend on the order of a map.
func sortedRoles(of map[role][]meanOf) []role { return slices.Sorted(maps.Keys(of)) }
