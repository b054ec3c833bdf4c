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
	return &kind{name: quantaName,
		columns: quanta.Columns,
		perProc: 15 << 10,
		shares:  []string{"refs"},
		needs:   map[string]string{"refs": "quanta-cache"},
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
