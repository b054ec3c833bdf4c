package main

import (
	"fmt"
	"strings"
)

// quickstartErrors prints what predict compare has below its rows, from the rows that make golden holds, rounded as there.
func quickstartErrors(m *markdown, rows []row) {
	models, where := quickstartModels(rows)
	m.printf("%-5s  %-14s  %-15s  %-10s  %s\n", "model", "mean error [%]", "worst error [%]", "within 5 %", "worst row")
	for _, name := range models.names {
		e := models.get(name)
		m.printf("%-5s  %-14.1f  %-15.1f  %-10s  %s\n", name, e.mean(), e.worst, fmt.Sprintf("%d of %d", e.near, e.rows), where[name])
	}
}

// quickstartSentences prints what the project's page says of the models paper and mva.
func quickstartSentences(m *markdown, rows []row) {
	models, _ := quickstartModels(rows)
	for _, name := range models.names {
		if e := models.get(name); name != "curve" {
			m.printf("mean %.1f %%, worst %.1f %% (%d predictions)\n", e.mean(), e.worst, e.rows)
		}
	}
}

// quickstartModels returns the errors of each model, and its worst row.
func quickstartModels(rows []row) (models groups, where map[string]string) {
	where = map[string]string{}
	for _, r := range rows {
		model := r.text("model")
		if models.get(model).add(r.number("error")) {
			where[model] = fmt.Sprintf("%s, %s processors, %s", strings.TrimSuffix(r.text("program"), " line=64"), r.text("processors"), r.text("machine"))
		}
	}
	return models, where
}
