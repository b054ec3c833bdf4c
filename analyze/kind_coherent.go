package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/coherent"
)

func coherentKind() *kind {
	return &kind{name: "coherent", short: "stack distances and miss ratios of private caches that are kept coherent",
		about: `Measures exact stack distances in private caches of all sizes. The caches are fully associative with LRU, one
for each processor. A store invalidates the line in all other caches. The curve tells cold, coherence and
other misses.`,
		columns: coherent.Columns,
		perProc: 16 << 10,
		cost:    "memory grows with the number of distinct lines of each processor.",
		example: `  $ tracegen fft --set points=1024 --procs 2 -o fft
  $ analyze --run coherent -o fft.coherent fft`,
		shares: []string{"refs"},
		build: func(r *request) (analysis.Analysis, error) {
			return &coherent.Analysis{Lines: r.lines, Refs: r.refs, Line: r.first, Reuse: r.reuse, Source: r.source, Tool: tool, Meta: r.meta}, nil
		}}
}
