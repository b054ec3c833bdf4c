package locality

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/analyze/internal/paramfile"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// curve returns the table of the measured curve and all models.
func curve(m *measured, models []result, meta []trace.Arg) *store.Table {
	sizes := slices.Concat(reuse.QuarterOctaves(m.Footprint), octaves(m.Footprint))
	slices.Sort(sizes)
	points := m.Points(slices.Compact(sizes))
	lines, exact := make([]int64, len(points)), make([]float64, len(points))
	for i, p := range points {
		lines[i], exact[i] = int64(p.X), p.Ratio
	}
	t := &store.Table{Name: "locality_curve", Meta: meta, Columns: []store.Column{
		{Name: "lines", Unit: "lines", Data: lines}, {Name: "exact", Data: exact}}}
	for _, r := range models {
		ratio := make([]float64, len(points))
		for i, p := range points {
			ratio[i] = r.Miss(p.X)
		}
		t.Columns = append(t.Columns, store.Column{Name: r.Name, Data: ratio})
	}
	return t
}

// summary returns the models with their errors, and the counted parameters, for printing.
func summary(models []result, counted []paramfile.Param, meta []trace.Arg) *store.Table {
	var names, values, means, worsts []string
	for _, r := range models {
		var params []string
		for _, p := range r.Params[:len(r.Params)-2] { // the last two are the errors
			params = append(params, strings.TrimSuffix(p.Name, r.Suffix)+" "+text(p))
		}
		names, values = append(names, r.Name), append(values, strings.Join(params, ", "))
		means, worsts = append(means, digits(r.mean)), append(worsts, digits(r.max))
	}
	for _, p := range counted {
		names, values = append(names, p.Name), append(values, text(p))
		means, worsts = append(means, ""), append(worsts, "")
	}
	return &store.Table{Name: "locality summary", Meta: meta, Columns: []store.Column{
		{Name: "name", Data: names}, {Name: "value and 95 % interval", Data: values},
		{Name: "mean error", Data: means}, {Name: "max error", Data: worsts},
	}}
}

// text formats a parameter for printing.
func text(p paramfile.Param) string {
	s := digits(p.Value)
	if p.Unit != "1" {
		s += " " + p.Unit
	}
	if p.Lo < p.Hi {
		s += fmt.Sprintf(" (%s to %s)", digits(p.Lo), digits(p.Hi))
	}
	return s
}

func digits(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
