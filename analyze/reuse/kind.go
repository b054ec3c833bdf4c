package reuse

import (
	"cmp"
	_ "embed"
	"fmt"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
)

//go:embed help.txt
var helpText string

//go:embed sampling.txt
var samplingHelp string

//go:embed tables.txt
var tablesText string

// SampleFlags are the names of the flags that choose a sample of lines.
func SampleFlags() []string { return []string{"sample", "sample-least", "sample-lines", "sample-seed"} }

// Kind describes the analysis.
func Kind() *kind.Kind {
	return &kind.Kind{Name: "reuse", Help: helpText, Tables: tablesText,
		Topics: []kind.Topic{{Name: "sampling", Help: samplingHelp, Flags: SampleFlags(),
			Title: "Sample of lines for reuse and locality", Main: []string{"sample", "sample-lines"}}},
		PerProc:  23 << 10,
		Shares:   []string{"interleaved", "refs", "line"},
		Needs:    map[string]string{"sample-least": "sample", "sample-seed": "sample sample-lines"},
		Flags:    addFlags,
		Build:    func(r *kind.Request) (analysis.Analysis, error) { return Sampled(r) },
		Variants: []kind.Variant{{Name: "sampled", Flag: "sample", Value: "0.1"}}}
}

func addFlags(f *pflag.FlagSet) {
	f.Float64("sample", 1, "measure this share of all lines only; a `rate` from 1e-06 to 1 (exact)")
	f.Int("sample-least", enoughLines, "measure at least this `number` of lines, or all if there are fewer; from 64, or 0 for no limit")
	f.Int("sample-lines", 0, "measure at most this `number` of lines, which bounds memory; from 64, or 0 for no limit")
	f.Uint64("sample-seed", 1, "`seed` of the choice of lines")
}

// For returns the analysis of stack distances that all analyses of the request use.
func For(r *kind.Request) *Analysis {
	return kind.Shared(r, func() *Analysis {
		return &Analysis{Lines: r.Lines, Refs: r.Refs, Interleaved: r.Interleaved, Meta: r.Meta}
	})
}

// Sampled returns the analysis of [For], with the sample that the flags of the request choose.
func Sampled(r *kind.Request) (*Analysis, error) {
	s, err := samplingOf(r.Flags)
	if err != nil {
		return nil, err
	}
	a := For(r)
	a.Sampling = s
	return a, nil
}

func samplingOf(f *pflag.FlagSet) (s Sampling, err error) {
	rate, err1 := f.GetFloat64("sample")
	least, err2 := f.GetInt("sample-least")
	lines, err3 := f.GetInt("sample-lines")
	seed, err4 := f.GetUint64("sample-seed")
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return s, err
	}
	if rate == 0 {
		return s, fmt.Errorf("--sample: 0 is not a rate from %v to 1", minRate)
	}
	s = Sampling{Rate: rate, Least: least, Lines: lines, Seed: seed}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("--sample, --sample-least, --sample-lines: %w", err)
	}
	return s, nil
}
