package main

import (
	"math"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/quanta"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// quantumFlags are how time is cut, for all analyses that cut it.
type quantumFlags struct {
	cycles, cpi float64
}

// length is the quantum in whole instructions.
func (q *quantumFlags) length() (unit.Instructions, error) {
	if !(q.cpi > 0 && q.cpi <= 1e6) {
		return 0, stage.Usage("--cpi: %v is not a number of cycles above 0, to 1000000", q.cpi)
	}
	n := math.Round(q.cycles / q.cpi)
	if !(n >= 1 && n <= float64(quanta.MaxLength)) {
		return 0, stage.Usage("--quantum: %v cycles are not 1 to %d instructions of %v cycles", q.cycles, quanta.MaxLength, q.cpi)
	}
	return unit.Instructions(n), nil
}

func quantaKind(q *quantumFlags) *kind {
	var seed uint64
	var private string
	return &kind{name: quantaName, doc: "what processors do in every quantum [falsafi1997]: samples in quanta.arrow, mu, sigma_intra, n_cxsw, n_fp in quanta.params.toml",
		details: quanta.Columns,
		flags: func(f *pflag.FlagSet) {
			f.Float64Var(&q.cycles, "quantum", 100, "quanta, footprint: length of a quantum in `cycles`, rounded to whole instructions")
			f.Float64Var(&q.cpi, "cpi", 1, "quanta, footprint: `cycles` per instruction")
			f.StringVar(&private, "quanta-cache", "", "quanta: count misses in a private LRU cache of `sets x ways`, such as 128x4, of lines of the first --line")
			f.Uint64Var(&seed, "quanta-seed", 1, "quanta: of what is drawn at random for samples and intervals, a `number` that is recorded")
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
					return nil, stage.Usage("--line: caches are of lines of 2B or more")
				}
			}
			return &quanta.Analysis{Length: length, CPI: q.cpi, Cache: c, Seed: seed, Source: r.source, Tool: tool, Meta: r.meta}, nil
		}}
}
