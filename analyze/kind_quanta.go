package main

import (
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/quanta"
	"spoor/traces/stage"
)

func quantaKind(q *quantumFlags) *kind {
	var seed uint64
	var private string
	return &kind{name: quantaName, short: "work of each processor in each quantum of a parallel simulator [falsafi1997]",
		about: `Divides time into quanta and measures how much each processor executes in each of them. A parallel simulator
of a parallel computer synchronizes its hosts after each quantum. Its speed depends on the mean and the
variation of this work [falsafi1997]. 'predict windtunnel' uses the parameters. Misses take no time here.
--refs chooses the references of --quanta-cache alone: loads, stores and fetches are counted in any case.`,
		columns: quanta.Columns,
		perProc: 15 << 10,
		cost:    "little memory: no state of lines, except with --quanta-cache.",
		example: `  $ tracegen fft --set points=1024 --procs 2 -o fft
  $ analyze --run quanta --quantum 200 --quanta-cache 128x4 -o fft.quanta fft`,
		shares: []string{"refs"},
		needs:  map[string]string{"refs": "quanta-cache"},
		flags: func(f *pflag.FlagSet) {
			f.Float64Var(&q.cycles, "quantum", 100, "length of a quantum in `cycles`, rounded to whole instructions")
			f.Float64Var(&q.cpi, "cpi", 1, "`cycles` per instruction")
			f.StringVar(&private, "quanta-cache", "", "also count misses in a private LRU cache of `sets x ways`, such as 128x4, with lines of the first --line")
			f.Uint64Var(&seed, "quanta-seed", 1, "`seed` of the random numbers for samples and intervals")
		},
		build: func(r *request) (analysis.Analysis, error) {
			length, err := q.length()
			if err != nil {
				return nil, err
			}
			var c quanta.Cache
			if private != "" {
				shapes, err := shapesOf("--quanta-cache", []string{private})
				if err != nil {
					return nil, err
				}
				c = quanta.Cache{Line: r.first, Sets: int64(shapes[0].Sets), Ways: int64(shapes[0].Ways)}
				if c.Line < 2 {
					return nil, stage.Usage("--line: caches need lines of 2B or more")
				}
			}
			return &quanta.Analysis{Length: length, CPI: q.cpi, Cache: c, Refs: r.refs, Seed: seed, Source: r.source, Tool: tool, Meta: r.meta}, nil
		}}
}
