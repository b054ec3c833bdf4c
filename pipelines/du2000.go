package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// unequal are the clusters half of whose nodes are of another kind, by the ends of their names.
var unequal = []struct{ end, name string }{{"-slow", "half the clock"}, {"-fast", "twice the clock"}, {"-more", "twice the cache"}}

// machine returns the name of a machine without the study's, its kind, and for clusters of unequal nodes what half of them have.
func machine(r row) (name, kind, half string) {
	name = strings.TrimPrefix(r.text("machine"), "du2000-")
	for _, u := range unequal {
		if strings.HasSuffix(name, u.end) {
			return name, "unequal", u.name
		}
	}
	pages := ", interleaved pages"
	if strings.HasSuffix(name, "-first-touch") {
		pages = ", first touch"
	}
	switch {
	case strings.HasPrefix(name, "smp-"):
		return name, "SMPs", ""
	case strings.HasPrefix(name, "cow-"):
		return name, "workstations" + pages, ""
	}
	return name, "clusters of SMPs" + pages, ""
}

// modelErrors sums up the errors of models in groups, whose names join what they have in common.
func modelErrors(rows []row) (g groups, kinds, programs []string) {
	all := having(rows, "error")
	for _, r := range all {
		_, kind, half := machine(r)
		model, program, e := r.text("model"), r.program(), r.number("error")
		add := func(name string) { g.get(name).add(e) }
		if half != "" {
			add("unequal" + half + program)
			add("unequal")
			continue
		}
		add(kind + model)
		if model != "mva" {
			continue
		}
		add(kind + program)
		if _, pages, cluster := strings.Cut(kind, ", "); cluster {
			add("clusters, " + pages)
			if program != "radix" {
				add("without Radix, " + pages)
				add("without Radix")
			}
		}
	}
	kinds = distinct(all, func(r row) string { _, kind, _ := machine(r); return kind })
	return g, without(kinds, []string{"unequal"}), distinct(append(all, having(rows, "coherence_share")...), row.program)
}

// mean prints a mean error.
func (g *groups) mean(name string) string {
	if g.of[name] == nil {
		return "-"
	}
	return short(g.of[name].mean())
}

// both prints a mean error, and the worst beside it.
func (g *groups) both(name string) string {
	if g.of[name] == nil {
		return "-"
	}
	return g.mean(name) + " / " + short(g.of[name].worst)
}

// clusterErrors prints the errors of all models by kind of machine, and those of mva by program.
func clusterErrors(m *markdown, rows []row) {
	g, kinds, programs := modelErrors(rows)
	m.heads(append([]string{"machines", "rows", "paper", "curve", "mva", "within 5 %"}, programs...)...)
	for _, kind := range kinds {
		mva := g.get(kind + "mva")
		label := strings.Join([]string{kind, fmt.Sprint(mva.rows), g.both(kind + "paper"), g.both(kind + "curve"), g.both(kind + "mva"), fmt.Sprint(mva.near)}, " | ")
		m.each(label, programs, func(p string) string { return g.mean(kind + p) })
	}
}

// clusterSentence says how far off mva is on all clusters.
func clusterSentence(m *markdown, rows []row) {
	g, _, _ := modelErrors(rows)
	m.printf("On all clusters the mean error of `mva` is %s %% with interleaved pages and %s %% with first touch. Without Radix it is %s and %s %%. ",
		g.mean("clusters, interleaved pages"), g.mean("clusters, first touch"), g.mean("without Radix, interleaved pages"), g.mean("without Radix, first touch"))
	rest := g.get("without Radix")
	m.printf("The worst of the %d rows without Radix is %s %%.\n", rest.rows, short(rest.worst))
}

// unequalNodes prints the errors of mva on clusters of unequal nodes, and how fast these are.
func unequalNodes(m *markdown, rows []row) {
	g, _, programs := modelErrors(rows)
	if g.of["unequal"] == nil {
		return
	}
	m.heads(append([]string{"half of the nodes"}, programs...)...)
	for _, u := range unequal {
		m.each(u.name, programs, func(p string) string { return g.both("unequal" + u.name + p) })
	}
	simulated := map[string]float64{}
	for _, r := range having(rows, "simulated") {
		name, _, _ := machine(r)
		simulated[name+r.program()] = r.number("simulated")
	}
	const four = "cow-4-256k-100m"
	for _, u := range unequal[:2] {
		m.each("four workstations, "+u.name+": simulated time / that of equal nodes", programs, func(p string) string {
			return fmt.Sprintf("%.2f", simulated[four+u.end+p]/simulated[four+p])
		})
	}
}

// unequalSentence says how far off mva is on all of these.
func unequalSentence(m *markdown, rows []row) {
	g, _, _ := modelErrors(rows)
	if e := g.of["unequal"]; e != nil {
		m.printf("The mean error of `mva` on these %d rows is %s %%, the worst %s %%, and %d rows are within 5 %%.\n", e.rows, short(e.mean()), short(e.worst), e.near)
	}
}

// coherence prints the share of coherence in the traffic of the bus, beside that of the paper if it is among the rows.
func coherence(m *markdown, rows []row) {
	published, share, missed := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, r := range rows {
		if r.text("quantity") == "coherence_share" {
			published[r.program()] = r.number("value")
		}
	}
	ours := having(rows, "coherence_share")
	for _, r := range ours {
		share[r.program()], missed[r.program()] = r.number("coherence_share"), r.number("coherence_misses")
	}
	if len(ours) == 0 {
		return
	}
	_, _, programs := modelErrors(rows)
	line := func(label string, of map[string]float64) {
		m.each(label, programs, func(p string) string { return fmt.Sprintf("%.1f", of[p]) })
	}
	m.heads(append([]string{"uses of the bus, in %"}, programs...)...)
	if len(published) > 0 {
		line("paper, sec. 4.3.1", published)
	}
	line("`coherence_share`", share)
	line("of these, misses", missed)
}

// otherPrograms prints the errors of mva for each program of another study.
func otherPrograms(m *markdown, rows []row) {
	g, kinds, programs := modelErrors(rows)
	m.heads(append([]string{""}, kinds...)...)
	for _, p := range programs {
		m.each(p, kinds, func(kind string) string { return g.both(kind + p) })
	}
}

// deepCaches prints the errors of mva on machines with more levels of caches.
func deepCaches(m *markdown, rows []row) {
	var machines groups
	hardest := map[string]string{}
	for _, r := range rows {
		name := r.text("machine")
		e := machines.get(name)
		if e.add(r.number("error")) || e.worst == max(r.number("error"), -r.number("error")) {
			hardest[name] = r.program()
		}
	}
	m.heads("machine", "mean", "worst", "worst program", "within 5 %, of 14")
	for _, name := range machines.names {
		e := machines.of[name]
		m.row("`"+name+"`", short(e.mean()), short(e.worst), hardest[name], fmt.Sprint(e.near))
	}
}

// fetched prints how many blocks nodes fetch from each other. Its rows are those of a table of traffic or of a simulation.
func fetched(m *markdown, rows []row) {
	counts := map[string]float64{}
	for _, r := range rows {
		if r.text("kind") == "fetch" {
			counts[fmt.Sprintf("%.0f processors a node, %-12s %6.0f", r.number("per_node"), r.text("placement"), r.number("delay"))] += r.number("count")
		} else if r.text("machine") != "" && !strings.Contains(r.text("machine"), "-smp-") {
			m.printf("%-46s %7.0f\n", r.text("machine"), r.number("remote_fetches"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		m.printf("%-46s %7.0f\n", name, counts[name])
	}
}
