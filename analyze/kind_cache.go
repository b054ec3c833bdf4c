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
	return &kind{name: "cache", doc: "hits and misses of the caches and TLBs of --cache, and why: cache.arrow", details: cache.Grammar + "\n" + cache.Columns,
		flags: func(f *pflag.FlagSet) {
			f.StringArrayVar(&caches, "cache", []string{"L1d=32KiB/8/64B,LL=8MiB/16/64B"}, "cache: description of `levels` that are simulated together, see above; may be given again")
			f.BoolVar(&causes, "causes", true, "cache: tell compulsory, capacity and conflict misses apart, at a half to two thirds of the speed, less where most uses miss")
			f.Uint64Var(&seed, "cache-seed", 1, "cache: `seed` of random replacement")
		},
		build: func(r *request) (analysis.Analysis, error) {
			a := &cache.Analysis{Classify: causes, Seed: seed, Interleaved: r.reuse.Interleaved, Meta: r.meta}
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
