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

// findings has a sentence for each simulated program: what limits it, and what other machines gain.
func findings(s *Study) []string {
	var list []string
	simulated := s.simulated()
	for _, program := range programsOf(simulated) {
		rows := selected(simulated, func(r paired.Row) bool { return r.Program == program })
		if text := limitSentence(rows); text != "" {
			list = append(list, strings.Join(append([]string{text}, speedups(rows)...), "; ")+".")
		}
	}
	return list
}

// simulated returns the simulations of machines. Simplified machines that stand for another one are left out.
func (s *Study) simulated() []paired.Row {
	abstract := map[string]bool{}
	if s.Simplified != nil {
		for _, pair := range s.Simplified.Pairs {
			abstract[pair.Abstract.Machine] = true
		}
	}
	return selected(s.rows, func(r paired.Row) bool { return r.Model == "" && !abstract[r.Machine] })
}

func programsOf(rows []paired.Row) (names []string) {
	for _, r := range rows {
		names = appendNew(names, r.Program)
	}
	return names
}

// losses names the parts of the time that a machine can change, in the order of Split.parts after ideal.
var losses = []string{"waiting for memory", "contention", "synchronization"}

// limitSentence names the largest loss of a program on the first machine, with the largest number of processors
// there.
func limitSentence(rows []paired.Row) string {
	r := widestRun(rows, rows[0].Machine)
	total := r.Split.Total()
	if !(total > 0) {
		return ""
	}
	all := r.Split.Parts()
	parts := all[1:]
	worst := slices.Index(parts, slices.Max(parts))
	where := fmt.Sprintf("%s on %s of %s", r.Program, numeral.Plural(r.Processors, "processor"), r.Machine)
	if parts[worst] < .01*total {
		return where + " loses less than 1\u00a0% of its time to each of memory, contention and synchronization"
	}
	return fmt.Sprintf("%s loses %s of its time to %s", where, numeral.Percent(parts[worst]/total), losses[worst])
}

// speedups compares each further machine with the first one, on the same number of processors.
func speedups(rows []paired.Row) (list []string) {
	first := rows[0].Machine
	for _, machine := range machinesOf(rows)[1:] {
		a, b, found := sameProcessors(rows, first, machine)
		if !found || !(a.EInstr > 0 && b.EInstr > 0) {
			continue
		}
		text := machine + " " + speedup(a.EInstr/b.EInstr)
		if a.Processors != widestRun(rows, first).Processors {
			text += " on " + numeral.Plural(a.Processors, "processor")
		}
		list = append(list, text)
	}
	return list
}

// speedup says what a machine gains that is ratio times as fast.
func speedup(ratio float64) string {
	switch {
	case math.Abs(ratio-1) < .005:
		return "gains nothing (less than 0.5\u00a0%)"
	case ratio >= 1.5 || ratio <= 1/1.5:
		return "is " + numeral.Digits(ratio, 2) + " times as fast"
	case ratio > 1:
		return "gains " + numeral.Percent(ratio-1)
	default:
		return "loses " + numeral.Percent(1-ratio)
	}
}

func machinesOf(rows []paired.Row) (names []string) {
	for _, r := range rows {
		names = appendNew(names, r.Machine)
	}
	return names
}

// widestRun returns the row of machine with the most processors.
func widestRun(rows []paired.Row, machine string) paired.Row {
	return slices.MaxFunc(selected(rows, func(r paired.Row) bool { return r.Machine == machine }), func(a, b paired.Row) int { return cmp.Compare(a.Processors, b.Processors) })
}

// sameProcessors returns the rows of two machines with the most processors that both have.
func sameProcessors(rows []paired.Row, first, other string) (a, b paired.Row, found bool) {
	for _, r := range rows {
		for _, q := range rows {
			if r.Machine == first && q.Machine == other && r.Processors == q.Processors && (!found || r.Processors > a.Processors) {
				a, b, found = r, q, true
			}
		}
	}
	return a, b, found
}
