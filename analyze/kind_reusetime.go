package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/internal/reusetime"
)

const reuseTimeName = "reuse_time"

func reuseTimeKind() *kind {
	return &kind{name: reuseTimeName,
		columns: reusetime.Columns,
		perProc: 27 << 10,
		shares:  []string{"interleaved", "refs"},
		build:   func(r *request) (analysis.Analysis, error) { return r.times, nil }}
}
