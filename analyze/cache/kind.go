package cache

import (
	_ "embed"
	"fmt"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
)

//go:embed help.txt
var helpText string

//go:embed levels.txt
var levelsHelp string

//go:embed tables.txt
var tablesText string

// Kind describes the analysis.
func Kind() *kind.Kind {
	var caches []string
	var causes bool
	var seed uint64
	return &kind.Kind{Name: "cache", Help: helpText, Tables: tablesText,
		Topics:   []kind.Topic{{Name: "levels", Help: levelsHelp}},
		KeepsAll: true,
		PerProc:  71 << 10,
		Shares:   []string{"interleaved", "refs"},
		Flags: func(f *pflag.FlagSet) {
			f.StringArrayVar(&caches, "cache", []string{usual}, "description of `levels` that are simulated together (see 'analyze help levels'); may be repeated")
			f.BoolVar(&causes, "causes", true, "count compulsory, capacity and conflict misses")
			f.Uint64Var(&seed, "cache-seed", 1, "`seed` of random replacement")
		},
		Build: func(r *kind.Request) (analysis.Analysis, error) {
			a := &Analysis{Refs: r.Refs, Classify: causes, Seed: seed, Interleaved: r.Interleaved, Meta: r.Meta}
			for _, text := range caches {
				s, err := Parse(text)
				if err != nil {
					return nil, fmt.Errorf("--cache: %w", err)
				}
				a.Specs = append(a.Specs, s)
			}
			return a, nil
		}}
}
