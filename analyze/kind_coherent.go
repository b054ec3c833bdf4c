package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/coherent"
)

func coherentKind() *kind {
	return &kind{name: "coherent", doc: "exact stack distances of private caches that stores of others invalidate: coherent.arrow, coherent_curve.arrow",
		details: coherent.Columns,
		build: func(r *request) (analysis.Analysis, error) {
			return &coherent.Analysis{Lines: r.lines, Line: r.first, Reuse: r.reuse, Source: r.source, Tool: tool, Meta: r.meta}, nil
		}}
}
