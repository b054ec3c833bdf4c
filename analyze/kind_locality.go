package main

import (
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/locality"
	"spoor/traces/stage"
)

func localityKind(sampling *sampleFlags) *kind {
	var seed uint64
	var caches []string
	var simulate bool
	return &kind{name: "locality", doc: "alpha, beta and gamma of the power law [du2000]: locality.params.toml; models beside the exact curve: locality_curve.arrow, and with --assoc set-associative caches: locality_assoc.arrow",
		needs:   map[string]string{"assoc-simulate": "assoc"},
		details: locality.Columns,
		flags: func(f *pflag.FlagSet) {
			f.Uint64Var(&seed, "locality-seed", 1, "locality: of what is drawn at random for intervals, a `number` that is recorded")
			f.StringSliceVar(&caches, "assoc", nil, "locality: caches whose miss ratio is corrected for their sets, as a `list` of sets x ways, such as 64x8,512x2, of lines of the first --line")
			f.BoolVar(&simulate, "assoc-simulate", true, "locality: simulate the caches of --assoc too")
		},
		build: func(r *request) (analysis.Analysis, error) {
			shapes, err := shapesOf("--assoc", caches)
			if err != nil {
				return nil, err
			}
			assoc := locality.Associativity{Simulate: simulate}
			for _, s := range shapes {
				assoc.Shapes = append(assoc.Shapes, locality.Shape{Sets: int64(s.Sets), Ways: int64(s.Ways)})
			}
			if len(shapes) > 0 && simulate && r.first < 2 {
				return nil, stage.Usage("--line: caches are of lines of 2B or more")
			}
			if err := sampling.apply(r); err != nil {
				return nil, err
			}
			meta, source := sampling.sampled(r)
			return &locality.Analysis{Assoc: assoc, Reuse: r.reuse, Times: r.times, Line: r.first, Seed: seed, Source: source, Tool: tool, Meta: meta}, nil
		}}
}
