package main

import (
	"fmt"
	"slices"
)

// realRuns prints simulations of recordings beside real runs, from the file that summary.awk writes.
func realRuns(m *markdown, rows []row) {
	m.heads("program", "native [s]", "recorded [s]", "predicted [s]", "error [%]", "same run [%]", "cost [%]", "of least times [%]")
	for _, r := range having(rows, "error_same_run") {
		cells := []string{r.text("program")}
		for _, column := range []string{"native", "recorded", "predicted"} {
			cells = append(cells, fmt.Sprintf("%.3g", r.number(column)))
		}
		for _, column := range []string{"error", "error_same_run", "cost", "cost_least"} {
			cells = append(cells, fmt.Sprintf("%+.1f", r.number(column)))
		}
		m.row(cells...)
	}
}

// recordedReferences prints recordings with references, from the file that references.sh writes.
func recordedReferences(m *markdown, rows []row) {
	m.heads("program", "instructions [M]", "references [M]", "bytes a reference", "native [s]", "recorded [s]")
	for _, r := range slices.DeleteFunc(having(rows, "references"), func(r row) bool { return r.text("bytes") == "" }) {
		million := func(column string) string { return fmt.Sprintf("%.0f", r.number(column)/1e6) }
		m.row(r.text("program"), million("instructions"), million("references"), fmt.Sprintf("%.2f", r.number("bytes")/r.number("references")),
			fmt.Sprintf("%.2f", r.number("native_command")), fmt.Sprintf("%.1f", r.number("recorded_command")))
	}
}
