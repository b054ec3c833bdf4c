package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/marshal"
	"spoor/traces/store"
)

func marshalKind() *kind {
	return &kind{name: marshalName,
		columns: marshal.Columns,
		shares:  []string{"refs"},
		build: func(r *request) (analysis.Analysis, error) {
			a := &marshal.Analysis{Lines: r.lines, Refs: r.refs, Meta: r.meta}
			if src, is := r.events.(*store.Trace); is && hasRefs(src) {
				a.Events = src
			}
			return a, nil
		}}
}
