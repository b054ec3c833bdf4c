package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// onSimulated reports whether quanta are those of the simulated target, not those of the trace.
func onSimulated(r row) bool { return strings.HasSuffix(r.text("program"), "dir1sw") }

// hosts prints for each model the worst error in % of the speedup on 2 to 32 hosts; the speedup itself on 32 hosts, on the critical
// path; and what is best to buy. It does so for quanta of the trace, or for those of the simulated target.
func hosts(m *markdown, rows []row, simulated bool) {
	programs := distinct(rows, row.program)
	models := distinct(having(rows, "model"), func(r row) string { return r.text("model") })
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return onSimulated(r) != simulated || r.text("parameter") != "" })
	worst, bought, on32 := worstSpeedups(rows), map[string]row{}, map[string]row{}
	for _, r := range rows {
		if r.text("host") != "" {
			bought[r.text("host")+r.program()] = r
		} else if r.text("hosts") == "32" {
			on32[r.program()] = r
		}
	}
	m.heads(append([]string{""}, programs...)...)
	for _, c := range []struct{ label, model, placement string }{
		{"`paper`", "paper", "block"}, {"`bounded`", "bounded", "block"}, {"`kinds`", "kinds", "block"}, {"`placed`", "placed", "block"},
		{"`bounded`, cyclic placement", "bounded", "cyclic"}, {"`kinds`, cyclic placement", "kinds", "cyclic"}, {"`placed`, cyclic placement", "placed", "cyclic"},
	} {
		if !slices.Contains(models, c.model) {
			continue
		}
		m.each(c.label, programs, func(p string) string {
			if e, ok := worst[c.model+c.placement+p]; ok {
				return short(e)
			}
			return "no speedup"
		})
	}
	speedup := func(column string) func(string) string {
		return func(p string) string { return fmt.Sprintf("%.1f", on32[p].number(column)) }
	}
	m.each("speedup of processing alone, on 32 hosts", programs, speedup("processing_measured"))
	m.each("speedup with overhead, on 32 hosts", programs, speedup("measured"))
	best := func(host, column string) func(string) string {
		return func(p string) string { return fmt.Sprintf("%.0f", bought[host+p].number(column)) }
	}
	m.each("break-even of a bus [targets]", programs, best("bus", "break_even"))
	m.each("break-even of a supercomputer [targets]", programs, best("mpp", "break_even"))
	m.each("best targets per host of a supercomputer", programs, best("mpp", "best_per_host"))
}

// worstSpeedups returns the worst errors of speedups by model, placement and program.
func worstSpeedups(rows []row) map[string]float64 {
	worst := map[string]float64{}
	for _, r := range rows {
		if r.text("error") == "" {
			continue
		}
		k := r.text("model") + r.text("placement") + r.program()
		if e, old := r.number("error"), worst[k]; math.Abs(e) > math.Abs(old) {
			worst[k] = e
		} else {
			worst[k] = old
		}
	}
	return worst
}

// heldSpeedups are speedups within their intervals and others: of which programs, and how wide the intervals are.
type heldSpeedups struct {
	errorsOf
	inside                int
	programs, missed, far []string // far: beyond 10 %
	width                 float64
}

func (h *heldSpeedups) count(r row) {
	once := func(names []string) []string {
		if slices.Contains(names, r.program()) {
			return names
		}
		return append(names, r.program())
	}
	h.programs = once(h.programs)
	if r.number("lo") <= r.number("measured") && r.number("measured") <= r.number("hi") {
		h.inside++
	} else {
		h.missed = once(h.missed)
	}
	if h.add(r.number("error")); math.Abs(r.number("error")) > 10 {
		h.far = once(h.far)
	}
	h.width += (r.number("hi") - r.number("lo")) / r.number("predicted")
}

// hostIntervals prints for each model how many measured speedups lie within its intervals, and for how many programs all do; mean and
// worst error; and programs in which one is more than 10 % off. Its rows are those of predict windtunnel --measured --halves.
func hostIntervals(m *markdown, rows []row) {
	of := map[string]*heldSpeedups{}
	for _, r := range rows {
		if r.text("lo") == "" {
			continue
		}
		time := "time of the trace"
		if onSimulated(r) {
			time = "simulated time"
		}
		k := fmt.Sprintf("%-18s %-8s", time, r.text("model"))
		if of[k] == nil {
			of[k] = &heldSpeedups{}
		}
		of[k].count(r)
	}
	m.printf("%-27s %5s %8s %9s %8s %7s %7s  %s\n", "", "rows", "inside %", "programs", "width %", "error %", "worst %", "worst over 10 %")
	for _, k := range slices.Sorted(maps.Keys(of)) {
		h := of[k]
		m.printf("%s %5d %8.1f %4d of %2d %8.1f %7.1f %7.1f %s\n", k, h.rows, 100*float64(h.inside)/float64(h.rows), len(h.programs)-len(h.missed),
			len(h.programs), 100*h.width/float64(h.rows), h.mean(), h.worst, strings.TrimSuffix(" "+strings.Join(h.far, " "), " "))
	}
}

// together prints which targets execute at the same time: the correlation of times within quanta between targets that are so many
// apart. Its rows are those of a table of quanta.
func together(m *markdown, rows []row) {
	quanta := map[int]map[int]float64{} // times by target
	procs := 0
	for _, r := range rows {
		q, p := int(r.number("quantum")), int(r.number("proc"))
		if quanta[q] == nil {
			quanta[q] = map[int]float64{}
		}
		quanta[q][p] = r.number("time")
		procs = max(procs, p+1)
	}
	var all float64
	with := map[int]float64{}
	for _, q := range slices.Sorted(maps.Keys(quanta)) {
		time, mean := quanta[q], 0.0
		for p := range procs {
			mean += time[p] / float64(procs)
		}
		for p := range procs {
			all += (time[p] - mean) * (time[p] - mean)
			for s := 1; s < procs; s *= 2 {
				with[s] += (time[p] - mean) * (time[(p+s)%procs] - mean)
			}
		}
	}
	for s := 1; s < procs; s *= 2 {
		m.printf("%2d apart: %5.2f\n", s, with[s]/all)
	}
}

// hostClaims prints a row for each number about a host that the paper makes a claim about, in the order of the first program.
func hostClaims(m *markdown, rows []row) {
	rows = having(rows, "parameter")
	programs := distinct(rows, row.program)
	heads := []string{"", ""}
	m.heads(append(heads, programs...)...)
	value := map[string]string{}
	for _, r := range rows {
		value[r.text("host")+r.text("parameter")+r.program()] = fmt.Sprintf("%.3g", r.number("value"))
	}
	for _, of := range distinct(rows, func(r row) string { return r.text("host") + "|" + r.text("parameter") }) {
		host, parameter, _ := strings.Cut(of, "|")
		m.each(parameter+" | "+host, programs, func(p string) string {
			if v, ok := value[host+parameter+p]; ok {
				return v
			}
			return "-"
		})
	}
}
