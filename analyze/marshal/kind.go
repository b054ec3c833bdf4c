package marshal

import (
	_ "embed"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/store"
	"spoor/traces/unit"
)

//go:embed help.txt
var helpText string

//go:embed tables.txt
var tablesText string

// Kind describes the analysis.
func Kind() *kind.Kind {
	return &kind.Kind{Name: "marshal", Help: helpText, Tables: tablesText,
		Subject: kind.Messages,
		Memory:  func(procs int, _ uint64) unit.Bytes { return 650 * unit.Bytes(procs) }, // processors without messages
		Shares:  []string{"refs", "line"},
		Build: func(r *kind.Request) (analysis.Analysis, error) {
			a := &Analysis{Lines: r.Lines, Refs: r.Refs, Meta: r.Meta}
			if src, is := r.Events.(*store.Trace); is && kind.HasRefs(src) {
				a.Events = src
			}
			return a, nil
		}}
}
