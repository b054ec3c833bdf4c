package grow

import (
	"maps"
	"slices"
)

// meanOf accumulates a mean.
type meanOf struct{ sum, n float64 }

// scaling gives the growth of computation with the number of ranks, for each step.
type scaling map[stepField]curve

// scalings compares the means of ranks of the same role in all recordings with the largest one. It looks only at numbers
// without a formula.
func scalings(p *parser, r *roles, all [][]amounts) scaling {
	means := map[stepField]map[role][]meanOf{}
	for i := range p.program {
		s := &p.program[i]
		for j := range s.body {
			for _, f := range []field{fieldInstr, fieldWork} {
				if all[i][j][f] == nil && len(s.seen[j]) > 0 {
					at := stepField{s.id, j, f}
					if means[at] == nil {
						means[at] = map[role][]meanOf{}
					}
					p.addMeans(s, j, f, r, means[at])
				}
			}
		}
	}
	growth := scaling{}
	for at, of := range means {
		growth[at] = p.curveOf(of)
	}
	return growth
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
// the roles that the largest one has, too.
func (p *parser) curveOf(of map[role][]meanOf) curve {
	last := len(p.names) - 1
	var x []*place
	var y []float64
	all := sortedRoles(of)
	for i := range p.names {
		small, large := 0., 0.
		for _, own := range all {
			if m := of[own]; m[i].n > 0 && m[last].n > 0 {
				small += m[i].sum / m[i].n
				large += m[last].sum / m[last].n
			}
		}
		if large > 0 {
			x, y = append(x, p.placeIn(i)), append(y, small/large)
		}
	}
	return fitCurve(x, y)
}

// placeIn returns the first rank of a recording.
func (p *parser) placeIn(recording int) *place {
	i := slices.IndexFunc(p.tracks, func(t *track) bool { return t.recording == recording })
	return &p.tracks[i].place
}

// sortedRoles returns the roles in a fixed order, so that sums do not depend on the order of a map.
func sortedRoles(of map[role][]meanOf) []role { return slices.Sorted(maps.Keys(of)) }
