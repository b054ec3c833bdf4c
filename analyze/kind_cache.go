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
	return &kind{name: "cache", short: "hits and misses of given caches and TLBs, with the causes of the misses",
		about: `Simulates the caches and TLBs that --cache describes (see 'analyze help levels'), for each processor and for
the interleaved order of all processors. Caches of different processors are not kept coherent: see phases.
Causes of misses: compulsory, capacity and conflict. The misses of the optimal policy (OPT) can be counted
too.`,
		columns: cache.Columns,
		perProc: 71 << 10,
		cost: `with --causes, the speed is a half to two thirds of that without, and less if most uses miss. OPT writes
16 bytes for each use of a line to a temporary file.`,
		example: `  $ tracegen fft --set points=1024 --procs 2 -o fft
  $ analyze --run cache --cache L1d=32KiB/8/64B,L2=1MiB/16/64B -o fft.cache fft`,
		shares: []string{"interleaved", "refs"},
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
