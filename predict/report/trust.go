package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// trust says in sentences what the numbers say about believing the predictions.
func trust(s *Study) []string {
	var list []string
	c := s.Comparison
	if len(c.Cases) == 0 {
		list = append(list, "Nothing here has been checked: there is no prediction with a simulation beside it.")
	}
	for i := range c.Models {
		if sum := c.Summary(i); sum.Cases > 0 {
			list = append(list, modelSentence(c, i, sum))
		}
	}
	list = append(list, c.intervalSentences()...)
	list = append(list, fitSentences(s.Traces)...)
	for _, u := range c.Unpaired {
		list = append(list, "Not compared: "+u+".")
	}
	return list
}

// mvaCaveat says what the mva model is told that others have to predict.
const mvaCaveat = "mva is told how often caches of the machine's own shape miss in the trace, and predicts what that costs: " +
	"its error is that of waiting for the bus and at barriers. curve and paper predict the misses too."

// modelSentence says where model i fails the claim, worst first.
func modelSentence(c *Comparison, i int, sum Summary) string {
	head := fmt.Sprintf("%s is within 5 %% of the simulation in %d of %s (mean absolute error %s)",
		sum.Model, sum.Within, plural(sum.Cases, "row"), percent(sum.Mean))
	if sum.Within == sum.Cases {
		return fmt.Sprintf("%s; its worst row is %s at %s.", head, sum.WorstCase.Name(), percent(sum.Worst))
	}
	type miss struct {
		text string
		size float64
	}
	var misses []miss
	for _, k := range c.Cases {
		if e, ok := k.Error(i); ok && math.Abs(e) > Claim {
			misses = append(misses, miss{k.Name() + " (" + signedPercent(e) + ")", math.Abs(e)})
		}
	}
	slices.SortStableFunc(misses, func(a, b miss) int { return cmp.Compare(b.size, a.size) })
	var worst []string
	for _, m := range misses[:min(3, len(misses))] {
		worst = append(worst, m.text)
	}
	return fmt.Sprintf("%s. Furthest off: %s.", head, strings.Join(worst, "; "))
}

// fitSentences names the traces that the power law describes best and worst.
func fitSentences(traces []Trace) []string {
	var fitted []Trace
	for _, t := range traces {
		if t.value(fitError) >= 0 {
			fitted = append(fitted, t)
		}
	}
	if len(fitted) == 0 {
		return nil
	}
	slices.SortStableFunc(fitted, func(a, b Trace) int { return cmp.Compare(a.value(fitError), b.value(fitError)) })
	best, worst := fitted[0], fitted[len(fitted)-1]
	return []string{fmt.Sprintf("The power law misses its measured curve by %s percentage points of miss ratio on average for %s, and by %s for %s: models that use it inherit that.",
		best.points(fitError), best.name(), worst.points(fitError), worst.name())}
}

// The parameters that say how well the power law fits.
const (
	fitError = "fit_mean_error"
	fitWorst = "fit_max_error"
)

// points prints a difference of miss ratios.
func (t Trace) points(name string) string { return number(100*t.value(name), 2) }

// name tells traces of one program apart.
func (t Trace) name() string {
	if t.Processors == 0 {
		return t.Program
	}
	return t.Program + ", " + plural(t.Processors, "processor")
}

// warning is one thing that predictions say against themselves.
type warning struct {
	Text string
	Of   []string // the predictions that say it
}

// warnings collects what the predictions say against themselves, most
// frequent first.
func warnings(c *Comparison) []warning {
	var list []warning
	for _, k := range c.Cases {
		for _, r := range k.Predicted {
			for _, text := range r.Warnings {
				i := slices.IndexFunc(list, func(v warning) bool { return v.Text == text })
				if i < 0 {
					i = len(list)
					list = append(list, warning{Text: text})
				}
				list[i].Of = append(list[i].Of, r.Model+" for "+k.Name())
			}
		}
	}
	slices.SortStableFunc(list, func(a, b warning) int { return cmp.Compare(len(b.Of), len(a.Of)) })
	return list
}
