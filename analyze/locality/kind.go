package locality

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/internal/reusetime"
	"spoor/analyze/reuse"
)

//go:embed help.txt
var helpText string

//go:embed tables.txt
var tablesText string

// Kind describes the analysis.
func Kind() *kind.Kind {
	var o options
	return &kind.Kind{Name: "locality", Help: helpText, Tables: tablesText,
		AsksMessages: true,
		Needs:        map[string]string{"assoc-simulate": "assoc", "sample-least": "sample", "sample-seed": "sample sample-lines"},
		Shares:       append([]string{"refs", "line"}, reuse.SampleFlags()...),
		Flags:        o.add,
		Build:        o.build}
}

// options are the flags.
type options struct {
	seed     uint64
	caches   []string
	simulate bool
}

func (o *options) add(f *pflag.FlagSet) {
	f.Uint64Var(&o.seed, "locality-seed", 1, "`seed` of the random numbers for intervals")
	f.StringSliceVar(&o.caches, "assoc", nil, "set-associative caches to predict, as a `list` of sets x ways such as 64x8,512x2, with lines of the first --line")
	f.BoolVar(&o.simulate, "assoc-simulate", true, "also simulate the caches of --assoc, for comparison")
}

func (o *options) build(r *kind.Request) (analysis.Analysis, error) {
	shapes, err := kind.ParseShapes("--assoc", o.caches)
	if err != nil {
		return nil, err
	}
	assoc := Associativity{Simulate: o.simulate}
	for _, s := range shapes {
		assoc.Shapes = append(assoc.Shapes, Shape{Sets: int64(s.Sets), Ways: int64(s.Ways)})
	}
	if len(shapes) > 0 && o.simulate && r.First < 2 {
		return nil, fmt.Errorf("--line: caches need lines of 2B or more")
	}
	distances, err := reuse.Sampled(r)
	if err != nil {
		return nil, err
	}
	a := &Analysis{Assoc: assoc, Reuse: distances, Line: r.First, Seed: o.seed, Messages: r.Messages, Source: r.Source, Tool: r.Tool, Meta: r.Meta}
	if s := distances.Sampling; s.On() {
		a.Meta, a.Source = slices.Concat(r.Meta, s.Meta()), r.Source+", "+s.String()
	}
	if r.Runs(reusetime.Name) {
		a.Times = reusetime.For(r)
	}
	return a, nil
}
