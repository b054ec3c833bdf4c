package main

import (
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/locality"
)

func localityKind() *kind {
	var seed uint64
	return &kind{name: "locality", doc: "alpha, beta and gamma of the power law [du2000]: locality.params.toml; models beside the exact curve: locality_curve.arrow",
		details: locality.Columns,
		flags: func(f *pflag.FlagSet) {
			f.Uint64Var(&seed, "locality-seed", 1, "locality: of what is drawn at random for intervals, a `number` that is recorded")
		},
		build: func(r *request) (analysis.Analysis, error) {
			return &locality.Analysis{Reuse: r.reuse, Times: r.times, Line: r.first, Seed: seed, Source: r.source, Tool: tool, Meta: r.meta}, nil
		}}
}
