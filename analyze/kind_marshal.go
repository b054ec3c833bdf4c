package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/marshal"
	"spoor/traces/store"
)

func marshalKind() *kind {
	return &kind{name: marshalName, short: "memory lines that message buffers touch [hur1999]",
		about: `Counts the memory lines that the buffers of messages touch (MLT of [hur1999]): exactly where the address is
known, as a mean over addresses, and by the paper's bounds. The time to copy a message depends on this number.`,
		columns: marshal.Columns,
		cost:    "reads events; reads references too if a message has an address.",
		example: `  $ tracegen transfer --procs 2 --set shape=1 --set d=5 -o transfer
  $ analyze --run marshal,comm -o transfer.analysis transfer`,
		shares: []string{"refs"},
		build: func(r *request) (analysis.Analysis, error) {
			a := &marshal.Analysis{Lines: r.lines, Refs: r.refs, Meta: r.meta}
			if src, is := r.events.(*store.Trace); is && hasRefs(src) {
				a.Events = src
			}
			return a, nil
		}}
}
