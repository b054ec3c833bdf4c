package main

import (
	"fmt"
	"math"
	"slices"
)

// paperModels are those of [hur1999, Table 1].
var paperModels = []string{"S1", "S2", "S3", "M1", "M2", "M3"}

// machineErrors prints SSE/SST of the paper's models by transport, of the means of launches: a table for each experiment.
func machineErrors(m *markdown, rows []row) {
	rows = having(rows, "transport")
	of := map[[4]string]row{}
	for _, r := range rows {
		of[[4]string{r.text("experiment"), r.text("transport"), r.text("take"), r.text("model")}] = r
	}
	transports := distinct(rows, func(r row) string { return r.text("transport") })
	if len(transports) == 0 {
		return
	}
	m.heads(append(append([]string{"experiment", "transport", "noise"}, paperModels...), "S1/M1", "S1/M3")...)
	for _, experiment := range []string{"transfer", "scan", "array"} {
		for _, t := range transports {
			at := func(model string) row { return of[[4]string{experiment, t, "mean", model}] }
			if at("S1").text("error_ratio") == "" {
				continue
			}
			cells := []string{experiment, t, thousandth(at("S1").number("noise"))}
			for _, model := range paperModels {
				cells = append(cells, thousandth(at(model).number("error_ratio")))
			}
			m.row(append(cells, ratio(at("M1").number("gain")), ratio(at("M3").number("gain")))...)
		}
	}
}

// thousandth prints a number in units of 10^-3, with two digits at least; - for 0, which stands for a number that is not there.
func thousandth(x float64) string {
	switch {
	case x == 0:
		return "-"
	case 1000*x < 9.95:
		return fmt.Sprintf("%.2f", 1000*x)
	}
	return fmt.Sprintf("%.0f", 1000*x)
}

// ratio prints a ratio; - for 0.
func ratio(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", x)
}

// machineTakes prints what M1 gains over S1 by what is taken of the launches.
func machineTakes(m *markdown, rows []row) {
	rows = slices.DeleteFunc(having(rows, "transport"), func(r row) bool { return r.text("experiment") != "transfer" })
	if len(rows) == 0 {
		return
	}
	m.heads("gain of M1, M3 in transfers", "mean", "median", "minimum", "noise of each")
	for _, t := range distinct(rows, func(r row) string { return r.text("transport") }) {
		cells, noise := []string{t}, ""
		for i, take := range []string{"mean", "median", "minimum"} {
			at := func(model string) row {
				i := slices.IndexFunc(rows, func(r row) bool {
					return r.text("transport") == t && r.text("take") == take && r.text("model") == model
				})
				if i < 0 {
					return row{}
				}
				return rows[i]
			}
			cells = append(cells, ratio(at("M1").number("gain"))+", "+ratio(at("M3").number("gain")))
			if i > 0 {
				noise += ", "
			}
			noise += thousandth(at("S1").number("noise"))
		}
		m.row(append(cells, noise)...)
	}
}

// learning prints SSE/SST at all test points by number of training points: median of the draws, and their range.
func learning(m *markdown, rows []row) {
	rows = having(rows, "train")
	if len(rows) == 0 {
		return
	}
	numbers := distinct(rows, func(r row) string { return r.text("train") })
	m.heads(append([]string{"experiment", "training points"}, numbers...)...)
	for _, experiment := range distinct(rows, func(r row) string { return r.text("experiment") }) {
		for _, model := range paperModels {
			cells := []string{experiment, model}
			for _, n := range numbers {
				cells = append(cells, learnt(rows, experiment, model, n))
			}
			m.row(cells...)
		}
	}
}

// learnt is the error of a model that was fitted to n training points, with its range.
func learnt(rows []row, experiment, model, n string) string {
	i := slices.IndexFunc(rows, func(r row) bool {
		return r.text("experiment") == experiment && r.text("train") == n && r.text("model") == model
	})
	if i < 0 {
		return "-"
	}
	r := rows[i]
	if r.text("least") == r.text("largest") {
		return thousandth(r.number("error_ratio"))
	}
	return fmt.Sprintf("%s (%s to %s)", thousandth(r.number("error_ratio")), thousandth(r.number("least")), thousandth(r.number("largest")))
}

// squareErrors prints SSE/SST of models for square matrices.
func squareErrors(m *markdown, rows []row) {
	rows = having(rows, "sides")
	if len(rows) == 0 {
		return
	}
	models := distinct(rows, func(r row) string { return r.text("model") })
	m.heads(append([]string{"square matrices", "noise"}, models...)...)
	for _, experiment := range distinct(rows, func(r row) string { return r.text("experiment") }) {
		cells := []string{experiment}
		for _, model := range models {
			i := slices.IndexFunc(rows, func(r row) bool { return r.text("experiment") == experiment && r.text("model") == model })
			if i < 0 {
				cells = append(cells, "-")
				continue
			}
			if len(cells) == 1 {
				cells = append(cells, thousandth(rows[i].number("noise")))
			}
			cells = append(cells, thousandth(rows[i].number("error_ratio")))
		}
		m.row(cells...)
	}
}

// figurePoint has the times of one block or scan: measured, and by model.
type figurePoint struct {
	measured  float64
	predicted map[string]float64
}

// figurePoints returns the points by experiment, side, and rows and columns.
func figurePoints(rows []row) (of map[string]*figurePoint, sides map[string][]string) {
	of, sides = map[string]*figurePoint{}, map[string][]string{}
	for _, r := range having(rows, "side") {
		key := figureKey(r.text("experiment"), r.text("side"), r.text("height"), r.text("width"))
		if of[key] == nil {
			of[key] = &figurePoint{r.number("measured"), map[string]float64{}}
		}
		of[key].predicted[r.text("model")] = r.number("predicted")
		if e := r.text("experiment"); !slices.Contains(sides[e], r.text("side")) {
			sides[e] = append(sides[e], r.text("side"))
		}
	}
	for _, list := range sides {
		slices.SortFunc(list, func(a, b string) int { return len(a)*1e6 + int(whole(a)) - len(b)*1e6 - int(whole(b)) })
	}
	return of, sides
}

func whole(text string) (n int64) {
	fmt.Sscan(text, &n)
	return n
}

func figureKey(experiment, side, height, width string) string {
	return experiment + " " + side + " " + height + " " + width
}

// columnsOverRows prints the time of d columns over that of d rows, measured and by model [hur1999, fig. 2].
func columnsOverRows(m *markdown, rows []row) {
	of, sides := figurePoints(rows)
	if len(sides["transfer"]) == 0 {
		return
	}
	m.heads("side", "rows, d = 1, 2, 5 [us]", "columns [us]", "measured ratios", "M1", "M3", "S1")
	for _, side := range sides["transfer"] {
		var down, across, measured string
		by := map[string]string{}
		for i, d := range []string{"1", "2", "5"} {
			r, c := of[figureKey("transfer", side, d, side)], of[figureKey("transfer", side, side, d)]
			if r == nil || c == nil {
				continue
			}
			comma := ", "
			if i == 0 {
				comma = ""
			}
			down += fmt.Sprintf("%s%.3g", comma, 1e6*r.measured)
			across += fmt.Sprintf("%s%.3g", comma, 1e6*c.measured)
			measured += fmt.Sprintf("%s%.1f", comma, c.measured/r.measured)
			for _, model := range []string{"M1", "M3", "S1"} {
				if c.predicted[model] <= 0 || r.predicted[model] <= 0 {
					by[model] += comma + "below 0"
				} else {
					by[model] += fmt.Sprintf("%s%.1f", comma, c.predicted[model]/r.predicted[model])
				}
			}
		}
		m.row(side, down, across, measured, by["M1"], by["M3"], by["S1"])
	}
}

// scanErrors prints the errors of S1 and M1 for vertical and horizontal scans, and what one takes over the other [hur1999, fig. 11].
func scanErrors(m *markdown, rows []row) {
	of, sides := figurePoints(rows)
	if len(sides["scan"]) == 0 {
		return
	}
	m.heads("side", "vertical [us]", "horizontal [us]", "vertical/horizontal", "error of S1: vertical, horizontal", "error of M1")
	for _, side := range sides["scan"] {
		v, h := of[figureKey("scan", side, "1", side)], of[figureKey("scan", side, side, "1")]
		if v == nil || h == nil {
			continue
		}
		errors := func(model string) string {
			return fmt.Sprintf("%+.0f %%, %+.0f %%", 100*(v.predicted[model]/v.measured-1), 100*(h.predicted[model]/h.measured-1))
		}
		m.row(side, fmt.Sprintf("%.3g", 1e6*v.measured), fmt.Sprintf("%.3g", 1e6*h.measured), fmt.Sprintf("%.2f", v.measured/h.measured), errors("S1"), errors("M1"))
	}
}

// figureSentences says how far S1, M1 and M3 are off in the messages of d = 1 [hur1999, figs. 5 to 9].
func figureSentences(m *markdown, rows []row) {
	of, sides := figurePoints(rows)
	for _, kind := range []string{"rows", "columns"} {
		m.printf("%s, d = 1:", kind)
		for _, model := range []string{"S1", "M1", "M3"} {
			var off []float64
			for _, side := range sides["transfer"] {
				p := of[figureKey("transfer", side, "1", side)]
				if kind == "columns" {
					p = of[figureKey("transfer", side, side, "1")]
				}
				if p != nil {
					off = append(off, 100*math.Abs(p.predicted[model]/p.measured-1))
				}
			}
			slices.Sort(off)
			if len(off) > 0 {
				m.printf(" %s %.0f %%", model, off[len(off)/2])
			}
		}
		m.printf(" (median error)\n")
	}
}
