package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/internal/coherent"
)

func coherentKind() *kind {
	return &kind{name: "coherent",
		columns: coherent.Columns,
		perProc: 16 << 10,
		shares:  []string{"refs"},
		build: func(r *request) (analysis.Analysis, error) {
			return &coherent.Analysis{Lines: r.lines, Refs: r.refs, Line: r.first, Reuse: r.reuse, Source: r.source, Tool: tool, Meta: r.meta}, nil
		}}
}
