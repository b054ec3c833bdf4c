package main

import (
	"fmt"
	"math"
)

// messageModels returns the rows of models by model and method, the models, and the least error that noise allows, by method.
func messageModels(rows []row) (of map[[2]string]row, models []string, noise map[string]float64) {
	of, noise = map[[2]string]row{}, map[string]float64{}
	rows = having(having(rows, "gain"), "method")
	for _, r := range rows {
		of[[2]string{r.text("model"), r.text("method")}] = r
		noise[r.text("method")] = r.number("error_ratio") / r.number("noise") * r.number("gain")
	}
	return of, distinct(rows, func(r row) string { return r.text("model") }), noise
}

// gains prints the errors of S1 divided by those of each model.
func gains(m *markdown, rows []row) {
	of, models, noise := messageModels(rows)
	m.heads(append(append([]string{"error of S1 / error of the model"}, models...), "no error but noise")...)
	for _, method := range []string{"least squares", "relative non-negative"} {
		line := func(kind, best string, ratio func(s1, r row) float64) {
			cells := []string{method + ", " + kind}
			for _, model := range models {
				cells = append(cells, fmt.Sprintf("%.1f", ratio(of[[2]string{"S1", method}], of[[2]string{model, method}])))
			}
			m.row(append(cells, best)...)
		}
		line("squared", fmt.Sprintf("%.0f", noise[method]), func(_, r row) float64 { return r.number("gain") })
		line("RMS", fmt.Sprintf("%.1f", math.Sqrt(noise[method])), func(_, r row) float64 { return math.Sqrt(r.number("gain")) })
		line("median", "", func(s1, r row) float64 { return s1.number("median") / r.number("median") })
		line("90th percentile", "", func(s1, r row) float64 { return s1.number("percentile") / r.number("percentile") })
	}
}

// gainSentences says what the models of messages gain.
func gainSentences(m *markdown, rows []row) {
	of, _, _ := messageModels(rows)
	squares := func(model string) row { return of[[2]string{model, "least squares"}] }
	e := func(model string) float64 { return squares(model).number("error_ratio") }
	gain, relative := squares("level").number("gain"), of[[2]string{"level", "relative non-negative"}].number("gain")
	noise := e("S1") / squares("S1").number("noise")
	m.printf("S1 has %.4f, M1 %.5f, page %.5f, level %.5f.\n", e("S1"), e("M1"), e("page"), e("level"))
	m.printf("S1/level is %.1f, and %.1f by relative errors.\n", gain, relative)
	m.printf("As RMS these are %.1f and %.1f times. Noise limits any model to %.0f times (RMS: %.1f).\n", math.Sqrt(gain), math.Sqrt(relative), noise, math.Sqrt(noise))
}

// messageIntervals prints how many measured times are inside the intervals that the errors of all other times give: 95 % of them, as
// predict message has it. Its rows are those of the table that calibrate fit leaves.
func messageIntervals(m *markdown, rows []row) {
	ratios := map[string][]float64{}
	var predicted []row
	kind := func(r row) string { return fmt.Sprintf("%-6s %s", r.text("model"), r.text("method")) }
	for _, r := range rows {
		if r.number("predicted") > 0 {
			predicted = append(predicted, r)
			ratios[kind(r)] = append(ratios[kind(r)], r.number("measured")/r.number("predicted")-1)
		}
	}
	all, held := 0, 0
	for _, k := range distinct(predicted, kind) {
		inside := 0
		for _, e := range ratios[k] {
			below, above := 0.0, 0.0
			for _, other := range ratios[k] {
				if other < e {
					below++
				} else if other > e {
					above++
				}
			}
			// The interval is from the value of rank floor(0.025 (n-1)) of the others to that of rank ceil(0.975 (n-1)) - 1.
			last := float64(len(ratios[k]) - 1)
			if below > math.Floor(0.025*last) && above > last-math.Ceil(0.975*last) {
				inside++
			}
		}
		m.printf("%-32s %d of %d inside\n", k, inside, len(ratios[k]))
		all += len(ratios[k])
		held += inside
	}
	m.printf("%-32s %d of %d inside, %.1f %%\n", "all", held, all, 100*float64(held)/float64(all))
}

// exposed says how much of what instructions wait for memory does not pass behind others, of the calibrations that are stored.
func exposed(m *markdown, rows []row) {
	for _, r := range rows {
		if r.text("parameter") == "exposed" {
			m.printf("The share is %.2f (%.2f to %.2f) of seven kernels together.\n", r.number("value"), r.number("lo"), r.number("hi"))
		}
	}
}
