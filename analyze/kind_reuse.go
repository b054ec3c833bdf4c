package main

import "spoor/analyze/analysis"

func reuseKind() *kind {
	return &kind{name: "reuse", doc: "exact LRU stack distances of data references: reuse.arrow, and the miss-ratio curve: curve.arrow",
		build: func(r *request) (analysis.Analysis, error) { return r.reuse, nil }}
}
