package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// curves finds the values of a study over 2 processors and more.
type curves []row

// of returns a column of an abstraction of a network, or of the machine itself, by the number of processors.
func (c curves) of(program, network, what, column string) (values []float64) {
	seen := map[string]bool{}
	for _, r := range parallel(c) {
		if r.program() != program || r.text("machine") != "spasm-"+network || seen[r.text("processors")] {
			continue
		}
		switch {
		case what == "machine":
			seen[r.text("processors")] = true
			values = append(values, r.number(column))
		case r.text("abstraction") == what:
			values = append(values, r.number("abstract_"+column))
		}
	}
	return values
}

// flat is the change from one number of processors to the next, in relation to the larger value, that is none.
const flat = 0.05

// direction returns 1 if a curve rises, -1 if it falls, and 0 if the change is less than flat.
func direction(from, to float64) int {
	switch change := to - from; {
	case math.Abs(change) <= flat*max(math.Abs(from), math.Abs(to)):
		return 0
	case change > 0:
		return 1
	}
	return -1
}

// steps returns how many steps of two curves have the same direction, and how many there are.
func steps(a, b []float64) (same, all int) {
	for i := 1; i < len(a); i++ {
		if all++; direction(a[i-1], a[i]) == direction(b[i-1], b[i]) {
			same++
		}
	}
	return same, all
}

// turns returns how often a curve changes between rising and falling.
func turns(a []float64) (n int) {
	last := 0
	for i := 1; i < len(a); i++ {
		if d := direction(a[i-1], a[i]); d != 0 {
			if last != 0 && d != last {
				n++
			}
			last = d
		}
	}
	return n
}

// rankCorrelation returns Spearman's rank correlation of two curves. Equal values have their mean rank. It is 1 if both are
// constant, and 0 if one is.
func rankCorrelation(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	mean := float64(len(a)-1) / 2
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mean) * (y[i] - mean)
		xx += (x[i] - mean) * (x[i] - mean)
		yy += (y[i] - mean) * (y[i] - mean)
	}
	switch {
	case xx == 0 && yy == 0:
		return 1
	case xx == 0 || yy == 0:
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(a []float64) []float64 {
	rank := make([]float64, len(a))
	for i := range a {
		for j := range a {
			if a[j] < a[i] {
				rank[i]++
			} else if a[j] == a[i] && j != i {
				rank[i] += 0.5
			}
		}
	}
	return rank
}

// similar is the rank correlation from which two curves have the same shape.
const similar = 0.8

func sameShape(a, b []float64) bool { return rankCorrelation(a, b) >= similar }

// figure is one figure of [sivasubramaniam1995] with what the paper says of it.
type figure struct {
	number                   int
	program, network, column string
	claim                    string
}

var figures = []figure{
	{1, "fftblocked", "full", "latency", "same"}, {2, "cg", "full", "latency", "same"}, {3, "ep", "full", "latency", "same"},
	{4, "is", "full", "latency", "same"}, {5, "cholesky", "full", "latency", "same"},
	{6, "is", "full", "contention", "same"}, {7, "is", "cube", "contention", "same"}, {8, "is", "mesh", "contention", "same"},
	{9, "fftblocked", "cube", "contention", "same"}, {10, "cholesky", "full", "contention", "same"},
	{11, "ep", "full", "contention", "other"}, {12, "ep", "cube", "contention", "other"}, {13, "ep", "mesh", "contention", "other"},
	{14, "fftblocked", "mesh", "contention", "jagged"},
	{15, "cg", "cube", "contention", "above"}, {16, "cg", "mesh", "contention", "above"},
	{17, "cholesky", "cube", "contention", "above"}, {18, "cholesky", "mesh", "contention", "above"},
	{19, "fftblocked", "cube", "contention", "closer"},
	{20, "ep", "full", "e_instr", "agree"}, {21, "fftblocked", "mesh", "e_instr", "apart"}, {22, "is", "full", "e_instr", "apart"},
	{23, "cg", "full", "e_instr", "apart"}, {24, "cholesky", "full", "e_instr", "apart"},
	{25, "cg", "cube", "e_instr", "logp other"}, {26, "cholesky", "cube", "e_instr", "logp other"},
	{27, "cg", "mesh", "e_instr", "logp other"}, {28, "cholesky", "mesh", "e_instr", "logp other"},
}

// claims are the claims about figures, and whether three curves (and that of clogp-same) have them.
var claims = map[string]struct {
	says string
	is   func(machine, clogp, logp, same []float64) bool
}{
	"same":       {"cLogP has the machine's shape", func(m, c, _, _ []float64) bool { return sameShape(m, c) }},
	"other":      {"cLogP has another shape than the machine", func(m, c, _, _ []float64) bool { return !sameShape(m, c) }},
	"jagged":     {"cLogP is jagged", func(_, c, _, _ []float64) bool { return turns(c) >= 2 }},
	"above":      {"LogP is far above cLogP, and cLogP above the machine", func(m, c, l, _ []float64) bool { return last(l) >= 2*last(c) && last(c) > last(m) }},
	"closer":     {"cLogP with a gap for each kind is much closer", func(m, c, _, s []float64) bool { return 2*meanApart(s, m) <= meanApart(c, m) }},
	"agree":      {"all three agree", func(m, c, l, _ []float64) bool { return near(m, c) && near(m, l) }},
	"apart":      {"LogP differs from cLogP", func(_, c, l, _ []float64) bool { return !near(c, l) }},
	"logp other": {"LogP has another shape than cLogP", func(_, c, l, _ []float64) bool { return !sameShape(c, l) }},
}

func last(a []float64) float64 { return a[len(a)-1] }

func meanApart(a, b []float64) (sum float64) {
	for i := range a {
		sum += math.Abs(a[i]-b[i]) / float64(len(a))
	}
	return sum
}

// close is the relative difference up to which two times agree.
const close = 0.1

// near reports whether two curves agree everywhere.
func near(a, b []float64) bool {
	return !slices.ContainsFunc(ratios(b, a), func(r float64) bool { return math.Abs(r-1) > close })
}

func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

// everyFigure prints a row for each figure.
func everyFigure(m *markdown, rows []row) {
	c := curves(rows)
	m.heads("figure", "curves", "the paper", "steps alike", "rank correlation", "cLogP / machine", "LogP / cLogP", "verdict")
	for _, f := range figures {
		machine, clogp, logp, same := c.of(f.program, f.network, "machine", f.column), c.of(f.program, f.network, "clogp", f.column),
			c.of(f.program, f.network, "logp", f.column), c.of(f.program, f.network, "clogp-same", f.column)
		if len(machine) < 2 {
			return
		}
		one, other, names := machine, clogp, "cLogP, machine"
		if f.claim == "logp other" || f.claim == "apart" {
			one, other, names = clogp, logp, "LogP, cLogP"
		}
		alike, all := steps(one, other)
		verdict := "does not hold"
		if claims[f.claim].is(machine, clogp, logp, same) {
			verdict = "**holds**"
		}
		what := strings.Replace(f.column, "e_instr", "time", 1)
		m.row(fmt.Sprint(f.number), f.program+", "+f.network+": "+what, claims[f.claim].says, fmt.Sprintf("%d of %d (%s)", alike, all, names),
			fmt.Sprintf("%.2f", rankCorrelation(one, other)), quotient(last(clogp), last(machine)), quotient(last(logp), last(clogp)), verdict)
	}
}

// quotient prints a ratio, or that there is none.
func quotient(a, b float64) string {
	if b == 0 {
		return "of 0"
	}
	return twoDigits(a / b)
}

// agreement prints the errors of time of the abstractions with caches for each program and network.
func agreement(m *markdown, rows []row) {
	c := curves(rows)
	kinds := []string{"clogp", "clogp-same", "clogp-traffic", "clogp-history"}
	m.heads("program, network", "cLogP on 32 [%]", "cLogP, mean [%]", "worst [%]", "`clogp-same`, worst [%]", "`clogp-traffic`, worst [%]", "`clogp-history`, worst [%]", "cLogP within 10 %")
	programs := distinct(parallel(rows), row.program)
	for _, p := range programs {
		for _, n := range []string{"full", "cube", "mesh"} {
			machine := c.of(p, n, "machine", "e_instr")
			cells := []string{p + ", " + n}
			for _, kind := range kinds {
				errors := ratios(c.of(p, n, kind, "e_instr"), machine)
				mean, worst := 0.0, 0.0
				for i := range errors {
					errors[i] = 100 * (errors[i] - 1)
					mean += math.Abs(errors[i]) / float64(len(errors))
					worst = max(worst, math.Abs(errors[i]))
				}
				if kind == "clogp" {
					cells = append(cells, fmt.Sprintf("%+.1f", last(errors)), fmt.Sprintf("%.1f", mean))
				}
				cells = append(cells, fmt.Sprintf("%.1f", worst))
			}
			verdict := "no"
			if near(machine, c.of(p, n, "clogp", "e_instr")) {
				verdict = "yes"
			}
			m.row(append(cells, verdict)...)
		}
	}
}

// idealTimes prints the time on a PRAM beside that of the machines on 32 processors.
func idealTimes(m *markdown, rows []row) {
	programs := distinct(parallel(rows), row.program)
	at := func(program, network, column string) float64 {
		for _, r := range rows {
			if r.program() == program && r.text("machine") == "spasm-"+network && r.text("processors") == "32" {
				return r.number(column)
			}
		}
		return math.NaN()
	}
	m.heads(append([]string{"on 32 processors [ns per instruction]"}, programs...)...)
	m.each("ideal (PRAM)", programs, func(p string) string { return fmt.Sprintf("%.3f", at(p, "full", "ideal")) })
	for _, n := range []string{"full", "cube", "mesh"} {
		m.each("machine, "+n, programs, func(p string) string { return fmt.Sprintf("%.3f", at(p, n, "e_instr")) })
	}
	m.each("speedup on the PRAM", programs, func(p string) string {
		for _, r := range rows {
			if r.program() == p && r.text("processors") == "1" {
				return fmt.Sprintf("%.1f", r.number("ideal")/at(p, "full", "ideal"))
			}
		}
		return ""
	})
}
