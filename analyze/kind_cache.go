package main

import (
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/traces/stage"
)

func cacheKind() *kind {
	var caches []string
	var causes bool
	var seed uint64
	return &kind{name: "cache",
		columns: cache.Columns,
		perProc: 71 << 10,
		shares:  []string{"interleaved", "refs"},
		flags: func(f *pflag.FlagSet) {
			f.StringArrayVar(&caches, "cache", []string{cache.Usual}, "description of `levels` that are simulated together (see 'analyze help levels'); may be repeated")
			f.BoolVar(&causes, "causes", true, "count compulsory, capacity and conflict misses")
			f.Uint64Var(&seed, "cache-seed", 1, "`seed` of random replacement")
		},
		build: func(r *request) (analysis.Analysis, error) {
			a := &cache.Analysis{Refs: r.refs, Classify: causes, Seed: seed, Interleaved: r.reuse.Interleaved, Meta: r.meta}
			for _, text := range caches {
				s, err := cache.Parse(text)
				if err != nil {
					return nil, stage.Usage("--cache: %w", err)
				}
				a.Specs = append(a.Specs, s)
			}
			return a, nil
		}}
}
