package main

import (
	"fmt"
	"slices"
	"strings"
)

// kindsOfUnseen are the kinds of machines of the study unseen, by their names in machines.tsv.
var kindsOfUnseen = []kindOfUnseen{
	{"smp", "SMPs in order"},
	{"overlap", "SMPs, misses overlap"},
	{"cluster", "clusters to 155 Mb/s"},
	{"fast", "clusters from 10 Gb/s"},
	{"message programs", "message programs"},
	{"message programs, memory in blocks", "message programs, memory in blocks"},
	{"all", "all"},
}

// kindOfUnseen is a kind of machines.
type kindOfUnseen struct{ name, label string }

// setsOfUnseen are its sets of programs.
var setsOfUnseen = []string{"learn", "measure", "random"}

// sums are the rows of a table of summary.awk by their first cell, kind of machine, and model if there is one.
func sums(rows []row, first string) map[[3]string]row {
	by := map[[3]string]row{}
	for _, r := range having(having(rows, first), "mean") {
		by[[3]string{r.text(first), r.text("kind"), r.text("model")}] = r
	}
	return by
}

// unseenErrors prints mean and worst errors by kind of machine, for each set of programs and model.
func unseenErrors(m *markdown, rows []row) {
	by := sums(rows, "quantity")
	if len(by) == 0 {
		return
	}
	m.heads("machines", "programs", "predictions", "paper", "curve", "mva")
	for _, kind := range kindsOfUnseen {
		for _, set := range setsOfUnseen {
			mva, found := by[[3]string{set, kind.name, "mva"}]
			if !found {
				continue
			}
			cells := []string{kind.label, set, mva.text("rows")}
			for _, model := range []string{"paper", "curve", "mva"} {
				cells = append(cells, meanAndWorst(by[[3]string{set, kind.name, model}]))
			}
			m.row(cells...)
		}
	}
}

// meanAndWorst prints both errors of a row, and - if there is none.
func meanAndWorst(r row) string {
	if r.at == nil {
		return "-"
	}
	return short(r.number("mean")) + " / " + short(r.number("worst"))
}

// unseenIntervals prints how many predictions have an interval, how many of these hold, and the median of hi / lo.
func unseenIntervals(m *markdown, rows []row) {
	by := sums(rows, "quantity")
	if len(by) == 0 {
		return
	}
	m.heads("machines", "programs", "paper", "curve", "mva", "mva without interval")
	for _, kind := range kindsOfUnseen {
		for _, set := range setsOfUnseen {
			mva, found := by[[3]string{set, kind.name, "mva"}]
			if !found {
				continue
			}
			cells := []string{kind.label, set}
			for _, model := range []string{"paper", "curve", "mva"} {
				cells = append(cells, coverage(by[[3]string{set, kind.name, model}]))
			}
			m.row(append(cells, share(mva.number("none"), mva.number("rows")))...)
		}
	}
}

// coverage prints the share of intervals that hold, and their median width.
func coverage(r row) string {
	if with := r.number("rows") - r.number("none"); with > 0 {
		return share(r.number("inside"), with) + ", x " + r.text("width")
	}
	return "-"
}

func share(part, of float64) string { return fmt.Sprintf("%.0f %%", 100*part/of) }

// unseenPrograms prints the errors of mva by program.
func unseenPrograms(m *markdown, rows []row) {
	by := sums(rows, "program")
	programs := distinct(having(having(rows, "program"), "mean"), func(r row) string { return r.text("program") })
	if len(programs) == 0 {
		return
	}
	slices.Sort(programs)
	heads := []string{"program"}
	for _, kind := range kindsOfUnseen {
		heads = append(heads, kind.label)
	}
	m.heads(append(heads, "intervals that hold")...)
	for _, p := range programs {
		cells := []string{"`" + p + "`"}
		for _, kind := range kindsOfUnseen {
			cells = append(cells, meanAndWorst(by[[3]string{p, kind.name, ""}]))
		}
		m.row(append(cells, strings.Split(coverage(by[[3]string{p, "all", ""}]), ",")[0])...)
	}
}

// unseenList prints the programs, from programs.tsv.
func unseenList(m *markdown, rows []row) {
	list := having(rows, "shape")
	m.heads("shape", "learn", "measure")
	for _, shape := range distinct(list, func(r row) string { return r.text("shape") }) {
		cells := []string{shape}
		for _, set := range []string{"learn", "measure"} {
			var names []string
			for _, r := range list {
				if r.text("shape") == shape && r.text("set") == set {
					names = append(names, fmt.Sprintf("`%s` (%s)", r.text("program"), r.text("language")))
				}
			}
			cells = append(cells, strings.Join(names, ", "))
		}
		m.row(cells...)
	}
}
