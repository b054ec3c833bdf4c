package main

import (
	"spoor/analyze/analysis"
	"spoor/analyze/reusetime"
)

const reuseTimeName = "reuse_time"

func reuseTimeKind() *kind {
	return &kind{name: reuseTimeName, short: "reuse times and working sets; the input of 'analyze compose'",
		about: `Measures reuse times and the mean working set of windows of all lengths. The reuse time of a use is the number
of uses since the last use of the line. 'analyze compose' reads the result and predicts the misses of programs
that share a cache.`,
		columns: reusetime.Columns,
		perProc: 27 << 10,
		cost:    "memory grows with the number of distinct lines.",
		example: `  $ tracegen fft --set points=1024 --procs 2 -o fft
  $ analyze --run reuse_time -o fft.times fft
  $ analyze compose --cache 4KiB -o two fft.times fft.times`,
		shares: []string{"interleaved", "refs"},
		build:  func(r *request) (analysis.Analysis, error) { return r.times, nil }}
}
