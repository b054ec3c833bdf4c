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

// windows prints the events in windows for each F, by how far the engine looks ahead.
func windows(m *markdown, rows []row) {
	rows = having(rows, "ahead")
	name := func(r row) string {
		return timed.ReplaceAllString(stations.ReplaceAllString(r.text("program"), ""), "")
	}
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
