package coherent

import (
	_ "embed"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/reuse"
)

//go:embed help.txt
var helpText string

//go:embed tables.txt
var tablesText string

// Kind describes the analysis.
func Kind() *kind.Kind {
	return &kind.Kind{Name: "coherent", Help: helpText, Tables: tablesText,
		PerProc: 16 << 10,
		Shares:  []string{"refs", "line"},
		Build: func(r *kind.Request) (analysis.Analysis, error) {
			return &Analysis{Lines: r.Lines, Refs: r.Refs, Line: r.First, Reuse: reuse.For(r), Source: r.Source, Tool: r.Tool, Meta: r.Meta}, nil
		}}
}
