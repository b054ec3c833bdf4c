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
	return &kind{name: localityName,
		needs:   map[string]string{"assoc-simulate": "assoc", "sample-least": "sample", "sample-seed": "sample sample-lines"},
		columns: locality.Columns,
		shares:  append([]string{"refs"}, sampleNames...),
		flags: func(f *pflag.FlagSet) {
			f.Uint64Var(&seed, "locality-seed", 1, "`seed` of the random numbers for intervals")
			f.StringSliceVar(&caches, "assoc", nil, "set-associative caches to predict, as a `list` of sets x ways such as 64x8,512x2, with lines of the first --line")
			f.BoolVar(&simulate, "assoc-simulate", true, "also simulate the caches of --assoc, for comparison")
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
				return nil, stage.Usage("--line: caches need lines of 2B or more")
			}
			if err := sampling.apply(r); err != nil {
				return nil, err
			}
			meta, source := sampling.sampled(r)
			return &locality.Analysis{Assoc: assoc, Reuse: r.reuse, Times: r.times, Line: r.first, Seed: seed, Messages: r.messages, Source: source, Tool: tool, Meta: meta}, nil
		}}
}
