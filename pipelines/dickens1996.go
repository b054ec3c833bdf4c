package main

import (
	"fmt"
	"regexp"
)

// What names of programs have that the tables of their study do without.
var (
	stations = regexp.MustCompile(` stations=[0-9]*`)
	details  = regexp.MustCompile(` (check|window|size)=.*`)
	timed    = regexp.MustCompile(` time=.*`)
)

// timesOn prints the times of programs on so many processors.
func timesOn(m *markdown, rows []row, processors string) {
	for _, r := range rows {
		if _, windows := r.at["ahead"]; windows || r.text("processors") != processors {
			continue
		}
		if m.Len() == 0 {
			m.heads("on "+processors+" processors", "time [ms]", "share of computation [%]")
		}
		time := r.number("time")
		m.row(details.ReplaceAllString(stations.ReplaceAllString(r.text("program"), ""), ""),
			fmt.Sprintf("%.3g", 1e3*time), fmt.Sprintf("%.0f", 100*r.number("ideal")/time))
	}
}

// shortName is the name of a program without what all runs of the study have.
func shortName(r row) string {
	return timed.ReplaceAllString(stations.ReplaceAllString(details.ReplaceAllString(r.text("program"), ""), ""), "")
}

// windowsOver prints the events in windows for each number of processors.
func windowsOver(m *markdown, rows []row) {
	var all []row
	for _, r := range having(rows, "ahead") {
		if r.text("processors") != "8" {
			all = append(all, r)
		}
	}
	processors := distinct(all, func(r row) string { return r.text("processors") })
	cells := map[[2]string]row{}
	for _, r := range all {
		cells[[2]string{shortName(r), r.text("processors")}] = r
	}
	m.heads(append([]string{"events per window and processor, F = 16"}, processors...)...)
	for _, n := range distinct(all, shortName) {
		m.each(n, processors, func(p string) string {
			return fmt.Sprintf("%.2f", cells[[2]string{n, p}].number("events_window_processor"))
		})
	}
}

// windows prints the events in windows of 8 processors for each F, by how far ranks run ahead.
func windows(m *markdown, rows []row) {
	var of8 []row
	for _, r := range having(rows, "ahead") {
		if r.text("processors") == "8" {
			of8 = append(of8, r)
		}
	}
	rows = of8
	name := shortName
	f := distinct(rows, func(r row) string { return r.text("ahead") })
	cells := map[[2]string]row{}
	for _, r := range rows {
		cells[[2]string{name(r), r.text("ahead")}] = r
	}
	m.heads(append([]string{"F"}, f...)...)
	for _, n := range distinct(rows, name) {
		m.each(n+", events per window and processor", f, func(f string) string {
			return fmt.Sprintf("%.1f", cells[[2]string{n, f}].number("events_window_processor"))
		})
		m.each(n+", appointments", f, func(f string) string { return cells[[2]string{n, f}].text("appointments") })
	}
}
