package locality

import (
	"errors"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/reusetime"
	"spoor/traces/trace"
)

// hotl and aet have no parameters. They compute the curve from the reuse times of each processor. The
// analysis has them only if it also measures reuse times, which is most of their cost.
var (
	hotl = timesModel("hotl", (*reusetime.Profile).HOTL)
	aet  = timesModel("aet", (*reusetime.Profile).AET)
)

func timesModel(name string, miss func(p *reusetime.Profile, lines float64) float64) missModel {
	return missModel{Name: name, Suffix: "_" + name,
		Enabled: func(a *Analysis) bool { return a.Times != nil },
		Needs:   func(a *Analysis, h trace.Header, p trace.Proc) analysis.Shard { return a.Times.NewShard(h, p) },
		Fit: func(m *measured) (*fittedModel, error) {
			var profiles []*reusetime.Profile
			uses := 0.0
			for _, s := range m.Needs {
				p := s.(*reusetime.Shard).At(m.Line).Profile()
				profiles = append(profiles, p)
				uses += p.Uses
			}
			if uses == 0 {
				return nil, errors.New("no line is used")
			}
			return &fittedModel{Miss: func(lines float64) (ratio float64) {
				for _, p := range profiles {
					ratio += p.Uses / uses * miss(p, lines)
				}
				return ratio
			}}, nil
		}}
}
