package main

import (
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/phases"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

func phasesKind() *kind {
	var sets []int64
	var window uint64
	return &kind{name: "phases", doc: "misses and bus operations of coherent caches of 1 to 16 ways between barriers: phases.arrow",
		flags: func(f *pflag.FlagSet) {
			f.Int64SliceVar(&sets, "sets", []int64{2048, 4096}, "phases: numbers of sets of the caches, as a `list` of powers of two")
			f.Uint64Var(&window, "window", uint64(phases.DefaultWindow), "phases: `instructions` that are counted together; doubled while there are too many windows")
		},
		build: func(r *request) (analysis.Analysis, error) {
			sets, err := checkSets(sets)
			if err != nil {
				return nil, err
			}
			if window < 1 || window > 1<<40 {
				return nil, stage.Usage("--window: %d is not a number of instructions from 1 to %d", window, 1<<40)
			}
			return &phases.Analysis{Lines: r.lines, Sets: sets, Window: unit.Instructions(window), Meta: r.meta}, nil
		}}
}

func checkSets(sets []int64) ([]int64, error) {
	if len(sets) == 0 {
		return nil, stage.Usage("--sets: no number of sets")
	}
	for _, n := range sets {
		if n < 1 || n > phases.MaxSets || n&(n-1) != 0 {
			return nil, stage.Usage("--sets: %d is not a power of two from 1 to %d", n, phases.MaxSets)
		}
	}
	return sorted(sets), nil
}
