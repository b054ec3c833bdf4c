package quanta

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/unit"
)

//go:embed help.txt
var helpText string

//go:embed tables.txt
var tablesText string

// Kind describes the analysis.
func Kind() *kind.Kind {
	var o options
	return &kind.Kind{Name: "quanta", Help: helpText, Tables: tablesText,
		Subject: kind.Time,
		PerProc: 15 << 10,
		Shares:  []string{"refs", "line"},
		Needs:   map[string]string{"refs": "quanta-cache", "line": "quanta-cache"},
		Flags:   o.add,
		Build:   o.build}
}

// options are the flags.
type options struct {
	seed    uint64
	private string
}

func (o *options) add(f *pflag.FlagSet) {
	f.Float64("quantum", 100, "length of a quantum in `cycles`, rounded to whole instructions")
	f.Float64("cpi", 1, "`cycles` per instruction")
	f.StringVar(&o.private, "quanta-cache", "", "also count misses in a private LRU cache of `sets x ways`, such as 128x4, with lines of the first --line")
	f.Uint64Var(&o.seed, "quanta-seed", 1, "`seed` of the random numbers for samples and intervals")
}

func (o *options) build(r *kind.Request) (analysis.Analysis, error) {
	length, err := Quantum(r)
	if err != nil {
		return nil, err
	}
	var c Cache
	if o.private != "" {
		shapes, err := kind.ParseShapes("--quanta-cache", []string{o.private})
		if err != nil {
			return nil, err
		}
		c = Cache{Line: r.First, Sets: int64(shapes[0].Sets), Ways: int64(shapes[0].Ways)}
		if c.Line < 2 {
			return nil, fmt.Errorf("--line: caches need lines of 2B or more")
		}
	}
	cpi, err := r.Flags.GetFloat64("cpi")
	return &Analysis{Length: length, CPI: cpi, Cache: c, Refs: r.Refs, Seed: o.seed, Source: r.Source, Tool: r.Tool, Meta: r.Meta}, err
}

// Quantum returns the length of a quantum, for all analyses that divide time into quanta.
func Quantum(r *kind.Request) (unit.Instructions, error) {
	cycles, err := r.Flags.GetFloat64("quantum")
	if err != nil {
		return 0, err
	}
	cpi, err := r.Flags.GetFloat64("cpi")
	if err != nil {
		return 0, err
	}
	if !(cpi > 0 && cpi <= 1e6) {
		return 0, fmt.Errorf("--cpi: %v is not a number of cycles above 0 and up to 1000000", cpi)
	}
	n := math.Round(cycles / cpi)
	if !(n >= 1 && n <= float64(maxLength)) {
		return 0, fmt.Errorf("--quantum: %v cycles are not 1 to %d instructions of %v cycles", cycles, maxLength, cpi)
	}
	return unit.Instructions(n), nil
}
