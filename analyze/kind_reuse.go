package main

import (
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// sampleFlags say which lines have their distances found, for all analyses of distances.
type sampleFlags struct{ reuse.Sampling }

// apply makes the distances those of the sample.
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
	return &kind{name: "reuse", doc: "LRU stack distances of data references: reuse.arrow, and the miss-ratio curve: curve.arrow; exact, or of a sample",
		details: reuse.Columns,
		flags: func(f *pflag.FlagSet) {
			f.Float64Var(&s.Rate, "sample", 1, "reuse, locality: look at this share of all lines only, chosen by a hash; a `rate` from 1e-06 to 1, which is exact")
			f.IntVar(&s.Least, "sample-least", reuse.EnoughLines, "reuse, locality: look at so many lines at least, whatever the rate, or at all if there are fewer; a `number` from 64, or 0, no limit")
			f.IntVar(&s.Lines, "sample-lines", 0, "reuse, locality: look at so many lines at most, so that memory is bounded whatever the trace; a `number` from 64, or 0, no limit")
			f.Uint64Var(&s.Seed, "sample-seed", 1, "reuse, locality: of the choice of lines, a `number` that is recorded")
		},
		build: func(r *request) (analysis.Analysis, error) { return r.reuse, s.apply(r) }}
}

// sampled adds what there is to say of the sample to facts and source, for others than reuse.
func (s *sampleFlags) sampled(r *request) (meta []trace.Arg, source string) {
	if !s.On() {
		return r.meta, r.source
	}
	return slices.Concat(r.meta, s.Meta()), r.source + ", " + s.String()
}
