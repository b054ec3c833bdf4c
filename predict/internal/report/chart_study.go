package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
)

// The charts of the figures that every study of models and simulations has.

// The tags of curves that say what was fitted.
const (
	measuredTag = "measured"
	lawTag      = "power law"
	cappedTag   = "power law above cold misses"
)

// curveChart is the miss-ratio curves of one program and the laws at the same sizes.
func curveChart(traces []Trace, looks map[int]chart.Mark) *chart.Chart {
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "size of a fully associative LRU cache", Unit: "B", Scale: chart.Log},
		Y: chart.Axis{Name: "misses per reference", Unit: "%", Scale: chart.Log}}
	for _, t := range traces {
		who, m := numeral.Plural(t.Processors, "processor"), looks[t.Processors]
		measured := m.Series(who, "line", who, measuredTag)
		for _, at := range t.Curve {
			measured.Points = append(measured.Points, chart.At(at.Size, positive(at.Ratio)))
		}
		c.Series = append(c.Series, measured)
		for i, l := range []law{t.published(), t.capped()} {
			if !l.known() {
				continue
			}
			s := m.Series(who+", "+[]string{lawTag, cappedTag}[i], []string{"dashed", "dotted"}[i], who, []string{lawTag, cappedTag}[i])
			s.Shape = ""
			for _, at := range t.Curve {
				s.Points = append(s.Points, chart.At(at.Size, positive(l.miss(at.Size))))
			}
			c.Series = append(c.Series, s)
		}
	}
	return c
}

// positive is v, or nothing where a logarithmic scale has no place for it.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return math.NaN()
}

// caseChart is models and simulation of one program by machine and processors.
func caseChart(models []string, cases []paired.Case) *chart.Chart {
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "processors, by machine", Scale: chart.Category}, Y: chart.Axis{Name: "E(Instr)", Unit: "ns", Scale: chart.Log},
		Groups: caseGroups(cases)}
	simulated := chart.Mark{Ink: chart.TextInk}.Series("simulated", "band", "simulated")
	simulated.Within = paired.Claim
	predicted := make([]chart.Series, len(models))
	for i, m := range models {
		predicted[i] = chart.MarkOf(i).Series(m, "points", m)
	}
	for n, k := range cases {
		c.X.Categories = append(c.X.Categories, strconv.Itoa(k.Simulated.Processors))
		e := k.Simulated.EInstr
		simulated.Points = append(simulated.Points, chart.At(float64(n), e, e*(1-paired.Claim), e*(1+paired.Claim)))
		for i, r := range k.Predicted {
			off, ok := k.Error(i)
			if !ok {
				continue
			}
			x := float64(n) + (float64(i)-float64(len(models)-1)/2)*.7/float64(len(models))
			at := chart.At(x, r.EInstr)
			if r.HasInterval() {
				at = chart.At(x, r.EInstr, r.Lo, r.Hi)
			}
			predicted[i].Points, predicted[i].Notes = append(predicted[i].Points, at), append(predicted[i].Notes, numeral.SignedPercent(off))
		}
	}
	c.Series = append([]chart.Series{simulated}, predicted...)
	return c
}

// caseGroups are the machines of neighbouring cases.
func caseGroups(cases []paired.Case) []chart.Group {
	var groups []chart.Group
	for _, s := range machineNames(cases).spans {
		groups = append(groups, chart.Group{Name: s.machine, First: s.first, End: s.end})
	}
	return groups
}

// splitChart is where the time of one program goes: a group of bars for each case.
func splitChart(cases []paired.Case) *chart.Chart {
	c := &chart.Chart{Kind: chart.Stack, X: chart.Axis{Name: "time of an instruction", Unit: "ns", Scale: chart.Linear}, Y: chart.Axis{Scale: chart.Category}}
	for _, t := range terms {
		c.Series = append(c.Series, chart.Mark{Ink: t.ink}.Series(t.name, "bar", t.name))
	}
	for _, k := range cases {
		first := len(c.Y.Categories)
		for _, r := range k.All() {
			name := r.Model
			if name == "" {
				name = "simulated"
			}
			for i, v := range r.Split.Parts() {
				c.Series[i].Points = append(c.Series[i].Points, chart.At(float64(len(c.Y.Categories)), v))
			}
			c.Y.Categories = append(c.Y.Categories, name)
		}
		c.Groups = append(c.Groups, chart.Group{Name: fmt.Sprintf("%s, %s", numeral.Plural(k.Simulated.Processors, "processor"), k.Simulated.Machine), First: first, End: len(c.Y.Categories)})
	}
	return c
}

// overviewChart is the error of every case, a strip for each model.
func overviewChart(c *paired.Comparison) *chart.Chart {
	drawn := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "error of E(Instr) against the simulation", Unit: "%", Scale: chart.Arsinh, Bend: paired.Claim}, Y: chart.Axis{Scale: chart.Category}}
	reach := 2 * paired.Claim
	for i, model := range c.Models {
		s := chart.MarkOf(i).Series(model, "points", model)
		for n, k := range c.Cases {
			if e, ok := k.Error(i); ok {
				reach = max(reach, 1.1*math.Abs(e))
				s.Points = append(s.Points, chart.At(e, float64(i)-.34+.68*(float64(n)+.5)/float64(len(c.Cases))))
				s.Notes = append(s.Notes, k.Name())
			}
		}
		drawn.Y.Categories, drawn.Series = append(drawn.Y.Categories, model), append(drawn.Series, s)
	}
	drawn.X.Lo, drawn.X.Hi = chart.Number(-reach), chart.Number(reach)
	for _, t := range errorTicks(-reach, reach) {
		drawn.X.Ticks = append(drawn.X.Ticks, chart.Tick{At: chart.Number(t.Value), Label: t.Label})
	}
	return drawn
}

// abstractionChart is a quantity of a machine and its abstractions against processors.
func abstractionChart(what quantity, list []series) *chart.Chart {
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "processors", Scale: chart.Log, Whole: true}, Y: chart.Axis{Name: what.name, Unit: "ms", Scale: chart.Log}}
	for _, s := range slices.Backward(list) { // the machine on top
		drawn := s.look.Series(s.name, "line", s.name)
		for _, r := range s.rows {
			drawn.Points = append(drawn.Points, chart.At(float64(r.Processors), positive(what.of(r))))
		}
		c.Series = append(c.Series, drawn)
	}
	return c
}
