package reusetime

import (
	_ "embed"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
)

//go:embed help.txt
var helpText string

//go:embed tables.txt
var tablesText string

// Name is the name of the analysis.
const Name = "reuse_time"

// Kind describes the analysis.
func Kind() *kind.Kind {
	return &kind.Kind{Name: Name, Help: helpText, Tables: tablesText,
		PerProc: 27 << 10,
		Shares:  []string{"interleaved", "refs", "line"},
		Build:   func(r *kind.Request) (analysis.Analysis, error) { return For(r), nil }}
}

// For returns the analysis of reuse times that all analyses of the request use.
func For(r *kind.Request) *Analysis {
	return kind.Shared(r, func() *Analysis {
		return &Analysis{Lines: r.Lines, Refs: r.Refs, Interleaved: r.Interleaved, Meta: r.Meta}
	})
}
