package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// The charts of the figures that every study of models and simulations has.

// The tags of curves that say what was fitted.
const (
	measuredTag = "measured"
	lawTag      = "power law"
	cappedTag   = "power law above cold misses"
)

// curveChart is the miss-ratio curves of one program and the laws at the same sizes.
func curveChart(traces []Trace, looks map[int]mark) *Chart {
	c := &Chart{Kind: linesChart, X: Axis{Name: "size of a fully associative LRU cache", Unit: "B", Scale: logScale},
		Y: Axis{Name: "misses per reference", Unit: "%", Scale: logScale}}
	for _, t := range traces {
		who, m := plural(t.Processors, "processor"), looks[t.Processors]
		measured := m.series(who, "line", who, measuredTag)
		for _, at := range t.Curve {
			measured.Points = append(measured.Points, point(at.Size, positive(at.Ratio)))
		}
		c.Series = append(c.Series, measured)
		for i, l := range []law{t.published(), t.capped()} {
			if !l.known() {
				continue
			}
			s := m.series(who+", "+[]string{lawTag, cappedTag}[i], []string{"dashed", "dotted"}[i], who, []string{lawTag, cappedTag}[i])
			s.Shape = ""
			for _, at := range t.Curve {
				s.Points = append(s.Points, point(at.Size, positive(l.miss(at.Size))))
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
func caseChart(models []string, cases []Case) *Chart {
	c := &Chart{Kind: linesChart, X: Axis{Name: "processors, by machine", Scale: categoryScale}, Y: Axis{Name: "E(Instr)", Unit: "ns", Scale: logScale},
		Groups: caseGroups(cases)}
	simulated := mark{ink: textInk}.series("simulated", "band", "simulated")
	predicted := make([]Series, len(models))
	for i, m := range models {
		predicted[i] = markOf(i).series(m, "points", m)
	}
	for n, k := range cases {
		c.X.Categories = append(c.X.Categories, strconv.Itoa(k.Simulated.Processors))
		e := k.Simulated.EInstr
		simulated.Points = append(simulated.Points, point(float64(n), e, e*(1-Claim), e*(1+Claim)))
		for i, r := range k.Predicted {
			off, ok := k.Error(i)
			if !ok {
				continue
			}
			x := float64(n) + (float64(i)-float64(len(models)-1)/2)*.7/float64(len(models))
			at := point(x, r.EInstr)
			if r.hasInterval() {
				at = point(x, r.EInstr, r.Lo, r.Hi)
			}
			predicted[i].Points, predicted[i].Notes = append(predicted[i].Points, at), append(predicted[i].Notes, signedPercent(off))
		}
	}
	c.Series = append([]Series{simulated}, predicted...)
	return c
}

// caseGroups are the machines of neighbouring cases.
func caseGroups(cases []Case) []Group {
	var groups []Group
	for _, s := range machineNames(cases).spans {
		groups = append(groups, Group{s.machine, s.first, s.end})
	}
	return groups
}

// splitChart is where the time of one program goes: a group of bars for each case.
func splitChart(cases []Case) *Chart {
	c := &Chart{Kind: stackChart, X: Axis{Name: "time of an instruction", Unit: "ns", Scale: linearScale}, Y: Axis{Scale: categoryScale}}
	for _, t := range terms {
		c.Series = append(c.Series, mark{ink: t.ink}.series(t.name, "bar", t.name))
	}
	for _, k := range cases {
		first := len(c.Y.Categories)
		for _, r := range k.all() {
			name := r.Model
			if name == "" {
				name = "simulated"
			}
			for i, v := range r.Split.parts() {
				c.Series[i].Points = append(c.Series[i].Points, point(float64(len(c.Y.Categories)), v))
			}
			c.Y.Categories = append(c.Y.Categories, name)
		}
		c.Groups = append(c.Groups, Group{fmt.Sprintf("%s, %s", plural(k.Simulated.Processors, "processor"), k.Simulated.Machine), first, len(c.Y.Categories)})
	}
	return c
}

// overviewChart is the error of every case, a strip for each model.
func overviewChart(c *Comparison) *Chart {
	chart := &Chart{Kind: linesChart, X: Axis{Name: "error of E(Instr) against the simulation", Unit: "%", Scale: bentScale, Bend: Claim}, Y: Axis{Scale: categoryScale}}
	reach := 2 * Claim
	for i, model := range c.Models {
		s := markOf(i).series(model, "points", model)
		for n, k := range c.Cases {
			if e, ok := k.Error(i); ok {
				reach = max(reach, 1.1*math.Abs(e))
				s.Points = append(s.Points, point(e, float64(i)-.34+.68*(float64(n)+.5)/float64(len(c.Cases))))
				s.Notes = append(s.Notes, k.Name())
			}
		}
		chart.Y.Categories, chart.Series = append(chart.Y.Categories, model), append(chart.Series, s)
	}
	chart.X.Lo, chart.X.Hi = Number(-reach), Number(reach)
	for _, t := range errorTicks(-reach, reach) {
		chart.X.Ticks = append(chart.X.Ticks, Tick{Number(t.Value), t.Label})
	}
	return chart
}

// abstractionChart is a quantity of a machine and its abstractions against processors.
func abstractionChart(what quantity, list []series) *Chart {
	c := &Chart{Kind: linesChart, X: Axis{Name: "processors", Scale: logScale, Whole: true}, Y: Axis{Name: what.name, Unit: "ms", Scale: logScale}}
	for _, s := range slices.Backward(list) { // the machine on top
		drawn := s.look.series(s.name, "line", s.name)
		for _, r := range s.rows {
			drawn.Points = append(drawn.Points, point(float64(r.Processors), positive(what.of(r))))
		}
		c.Series = append(c.Series, drawn)
	}
	return c
}
