package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
)

// trust says in sentences how accurate the predictions are.
func trust(s *Study) []string {
	var list []string
	c := s.Comparison
	if len(c.Cases) == 0 {
		list = append(list, "Limitation: nothing here was validated, because no prediction has a simulation to compare it with.")
	}
	for i := range c.Models {
		if sum := c.Summary(i); sum.Cases > 0 {
			list = append(list, modelSentence(c, i, sum))
		}
	}
	list = append(list, c.IntervalSentences()...)
	list = append(list, fitSentences(s.Traces)...)
	for _, u := range c.Unpaired {
		list = append(list, "Not compared: "+u+".")
	}
	return list
}

// mvaCaveat says which input mva has that other models must predict.
const mvaCaveat = "The input of mva includes the exact miss counts of the machine's caches. Its error is that of waiting for the bus and at barriers. " +
	"The models curve and paper predict the misses, too."

// modelSentence says how often model i meets the claim of the paper, and lists its largest errors.
func modelSentence(c *paired.Comparison, i int, sum paired.Summary) string {
	head := fmt.Sprintf("%s is within 5 %% of the simulation in %d of %s (mean absolute error %s)",
		sum.Model, sum.Within, numeral.Plural(sum.Cases, "row"), numeral.Percent(sum.Mean))
	if sum.Within == sum.Cases {
		return fmt.Sprintf("%s; its worst row is %s at %s.", head, sum.WorstCase.Name(), numeral.Percent(sum.Worst))
	}
	type miss struct {
		text string
		size float64
	}
	var misses []miss
	for _, k := range c.Cases {
		if e, ok := k.Error(i); ok && math.Abs(e) > paired.Claim {
			misses = append(misses, miss{k.Name() + " (" + numeral.SignedPercent(e) + ")", math.Abs(e)})
		}
	}
	slices.SortStableFunc(misses, func(a, b miss) int { return cmp.Compare(b.size, a.size) })
	var worst []string
	for _, m := range misses[:min(3, len(misses))] {
		worst = append(worst, m.text)
	}
	return fmt.Sprintf("%s. Largest errors: %s.", head, strings.Join(worst, "; "))
}

// fitSentences names the traces with the best and the worst fit of the power law.
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
	return []string{fmt.Sprintf("The power law differs from the measured miss ratio by %s percentage points on average for %s, and by %s for %s. Model paper uses the power law.",
		best.points(fitError), best.name(), worst.points(fitError), worst.name())}
}

// Parameters that give the error of the power law's fit.
const (
	fitError = "fit_mean_error"
	fitWorst = "fit_max_error"
)

// points prints a difference of miss ratios in percentage points.
func (t Trace) points(name string) string { return numeral.Digits(100*t.value(name), 2) }

// name names the trace by program and processors.
func (t Trace) name() string {
	if t.Processors == 0 {
		return t.Program
	}
	return t.Program + ", " + numeral.Plural(t.Processors, "processor")
}
