package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/locality"
)

func localityKind() *kind {
	return &kind{name: "locality", doc: "alpha, beta and gamma of the power law [du2000]: locality.params.toml; models beside the exact curve: locality_curve.arrow",
		details: locality.Columns,
		build: func(r *request) (analysis.Analysis, error) {
			return &locality.Analysis{Reuse: r.reuse, Line: r.first, Source: r.source, Tool: tool, Meta: r.meta}, nil
		}}
}
