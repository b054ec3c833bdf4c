package locality

import (
	"fmt"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
)

// powerLaw is the law of the paper, fitted to cold uses too, as misses of every size.
var powerLaw = Model{Name: "power", Fit: func(m *Measured) (*Fitted, error) {
	fit, err := FitLaw(m.Points(reuse.QuarterOctaves(m.Footprint)))
	if err != nil {
		return nil, err
	}
	return &Fitted{Miss: fit.Law().Miss, Params: fit.params("", "the miss ratio", m.Source), Warnings: fit.Warnings}, nil
}}

// cappedLaw is the same law between the cold misses, which every
// size has, and the footprint, from which on there are no others:
//
//	1 - P(x) = cold + (1 - cold) (x/beta + 1)^-(alpha-1) for x < footprint, else cold
var cappedLaw = Model{Name: "capped", Suffix: "_capped", Fit: func(m *Measured) (*Fitted, error) {
	points := m.Points(reuse.QuarterOctaves(m.Footprint))
	points = points[:len(points)-1] // the last is the footprint
	cold := m.ColdRatio()
	for i, q := range points {
		points[i].Ratio = min(max(0, (q.Ratio-cold)/(1-cold)), 1)
	}
	fit, err := FitLaw(points)
	if err != nil {
		return nil, fmt.Errorf("above the cold misses: %w", err)
	}
	law, footprint := fit.Law(), float64(m.Footprint)
	return &Fitted{Params: fit.params("_capped", "the miss ratio above cold", m.Source), Miss: func(x float64) float64 {
		if x >= footprint {
			return cold
		}
		return cold + (1-cold)*law.Miss(x)
	}}, nil
}}

// params is alpha and beta, fitted to what; suffix tells them from others.
func (f Fit) params(suffix, what, source string) []analysis.Param {
	method := fmt.Sprintf("least squares of %s at %d sizes, quarter octaves up to the footprint, equal weights; interval from the covariance of the linearised problem", what, f.N)
	return []analysis.Param{
		{Name: "alpha" + suffix, Estimate: f.Alpha, Unit: "1", N: uint64(f.N), Method: method, Source: source},
		{Name: "beta" + suffix, Estimate: f.Beta, Unit: "lines", N: uint64(f.N), Method: method, Source: source},
	}
}
