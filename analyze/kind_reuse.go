package main

import (
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// sampleNames are the names of the flags that choose a sample of lines.
var sampleNames = []string{"sample", "sample-least", "sample-lines", "sample-seed"}

// sampleFlags are the flags that choose a sample of lines, for all analyses of stack distances.
type sampleFlags struct{ reuse.Sampling }

// apply sets the sample for all analyses of stack distances.
func (s *sampleFlags) apply(r *request) error {
	if s.Rate == 0 {
		return stage.Usage("--sample: 0 is not a rate from %v to 1", reuse.MinRate)
	}
	if err := s.Check(); err != nil {
		return stage.Usage("--sample, --sample-least, --sample-lines: %w", err)
	}
	r.reuse.Sampling = s.Sampling
	return nil
}

func reuseKind(s *sampleFlags) *kind {
	return &kind{name: "reuse",
		columns: reuse.Columns,
		perProc: 23 << 10,
		shares:  []string{"interleaved", "refs"},
		needs:   map[string]string{"sample-least": "sample", "sample-seed": "sample sample-lines"},
		flags: func(f *pflag.FlagSet) {
			f.Float64Var(&s.Rate, "sample", 1, "measure this share of all lines only; a `rate` from 1e-06 to 1 (exact)")
			f.IntVar(&s.Least, "sample-least", reuse.EnoughLines, "measure at least this `number` of lines, or all if there are fewer; from 64, or 0 for no limit")
			f.IntVar(&s.Lines, "sample-lines", 0, "measure at most this `number` of lines, which bounds memory; from 64, or 0 for no limit")
			f.Uint64Var(&s.Seed, "sample-seed", 1, "`seed` of the choice of lines")
		},
		build: func(r *request) (analysis.Analysis, error) { return r.reuse, s.apply(r) }}
}

// sampled returns the metadata and source with a description of the sample, for analyses other than reuse.
func (s *sampleFlags) sampled(r *request) (meta []trace.Arg, source string) {
	if !s.On() {
		return r.meta, r.source
	}
	return slices.Concat(r.meta, s.Meta()), r.source + ", " + s.String()
}
