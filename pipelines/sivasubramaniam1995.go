package main

import (
	"fmt"
	"math"
	"strings"
)

// abstraction names the network and the abstraction of a row.
func abstraction(r row) string {
	return strings.Replace(r.text("machine"), "spasm-", "", 1) + " " + r.text("abstraction")
}

// parallel returns the rows on two processors or more.
func parallel(rows []row) (kept []row) {
	for _, r := range rows {
		if r.text("processors") != "1" {
			kept = append(kept, r)
		}
	}
	return kept
}

func apart(r row, column string) float64 {
	return math.Abs(r.number("abstract_"+column) - r.number(column))
}

// differences prints mean differences between abstractions and machines.
func differences(m *markdown, rows []row) {
	rows = parallel(rows)
	m.heads("network", "abstraction", "time [%]", "latency [ns]", "contention [ns]")
	for _, name := range distinct(rows, abstraction) {
		var n, time, latency, contention float64
		for _, r := range rows {
			if abstraction(r) == name {
				n++
				time += math.Abs(r.number("error"))
				latency += apart(r, "latency")
				contention += apart(r, "contention")
			}
		}
		network, what, _ := strings.Cut(name, " ")
		m.row(network, what, twoDigits(time/n), twoDigits(latency/n), twoDigits(contention/n))
	}
}

func twoDigits(x float64) string {
	if x < 99.5 {
		return fmt.Sprintf("%.2g", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// missed returns the errors of contention by abstraction and program.
func missed(rows []row) map[string]float64 {
	sums := map[string]float64{}
	for _, r := range parallel(rows) {
		sums[abstraction(r)+r.program()] += apart(r, "contention")
	}
	return sums
}

// programs32 prints each program on 32 processors.
func programs32(m *markdown, rows []row) {
	programs := distinct(parallel(rows), row.program)
	time, latency, contention := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, r := range rows {
		if r.text("processors") != "32" {
			continue
		}
		name := abstraction(r)
		network, _, _ := strings.Cut(name, " ")
		for of, column := range map[*map[string]float64]string{&time: "e_instr", &latency: "latency", &contention: "contention"} {
			(*of)[network+" machine"+r.program()] = r.number(column)
			(*of)[name+r.program()] = r.number("abstract_" + column)
		}
	}
	beside := func(label string, of map[string]float64, one, other string) {
		m.each(label, programs, func(p string) string { return fmt.Sprintf("%.2f", of[one+p]/of[other+p]) })
	}
	m.heads(append([]string{"on 32 processors"}, programs...)...)
	beside("latency, full: clogp / machine", latency, "full clogp", "full machine")
	beside("latency, full: logp / machine", latency, "full logp", "full machine")
	beside("latency, full: logp / clogp", latency, "full logp", "full clogp")
	beside("time, cube: logp / machine", time, "cube logp", "cube machine")
	beside("time, mesh: logp / machine", time, "mesh logp", "mesh machine")
	beside("time, mesh: clogp-traffic / machine", time, "mesh clogp-traffic", "mesh machine")
	for _, name := range []string{"cube machine", "cube clogp", "cube clogp-same", "mesh machine", "mesh clogp", "mesh clogp-traffic"} {
		m.each("contention, "+strings.Replace(name, " ", " [ns]: ", 1), programs, func(p string) string { return fmt.Sprintf("%.3f", contention[name+p]) })
	}
	beside("error of contention on 2 to 32 processors, mesh: clogp / clogp-traffic", missed(rows), "mesh clogp", "mesh clogp-traffic")
}

// contentionSentence says what it is worth to know the traffic.
func contentionSentence(m *markdown, rows []row) {
	of := missed(rows)
	ratio := func(but string) float64 {
		var clogp, traffic float64
		for _, p := range distinct(parallel(rows), row.program) {
			if p != but {
				clogp += of["mesh clogp"+p]
				traffic += of["mesh clogp-traffic"+p]
			}
		}
		return clogp / traffic
	}
	m.printf("Over all programs together, the error of `clogp` on the mesh is %.1f times that of `clogp-traffic`; without IS it is %.0f times.\n", ratio(""), ratio("is"))
}
