package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/marshal"
	"spoor/traces/store"
)

func marshalKind() *kind {
	return &kind{name: marshalName, doc: "memory lines that message buffers touch, exact and by the bounds of [hur1999]: marshal.arrow",
		details: marshal.Columns,
		build: func(r *request) (analysis.Analysis, error) {
			a := &marshal.Analysis{Lines: r.lines, Meta: r.meta}
			if src, is := r.events.(*store.Trace); is && hasRefs(src) {
				a.Events = src
			}
			return a, nil
		}}
}
