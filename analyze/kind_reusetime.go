package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/reusetime"
)

const reuseTimeName = "reuse_time"

func reuseTimeKind() *kind {
	return &kind{name: reuseTimeName, doc: "reuse times, and working sets by window length: reuse_time.arrow, working_set.arrow, from which caches that programs share are predicted: see analyze compose",
		details: reusetime.Columns,
		build:   func(r *request) (analysis.Analysis, error) { return r.times, nil }}
}
