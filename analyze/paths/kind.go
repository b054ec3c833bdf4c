package paths

import (
	_ "embed"
	"fmt"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/comm"
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
	return &kind.Kind{Name: "paths", Help: helpText, Tables: tablesText,
		Subject:   kind.Messages,
		OnRequest: true,
		Values:    map[string][]string{"path-collectives": kind.Texts(algorithms)},
		Flags:     o.add,
		Build:     o.build}
}

// options are the flags.
type options struct {
	collectives string
	rendezvous  []string
}

// algorithms are those that replace collectives by messages.
var algorithms = comm.Algorithms[1:]

func (o *options) add(f *pflag.FlagSet) {
	f.StringVar(&o.collectives, "path-collectives", string(comm.Doubling), "`algorithm` that replaces recorded collectives on critical paths: linear, binomial, doubling, ring, smpi")
	f.StringSliceVar(&o.rendezvous, "rendezvous", []string{none, "64KiB"}, "`sizes` above which messages use the rendezvous protocol, as S of machines, or none")
}

// none is the limit of machines without the rendezvous protocol.
const none = "none"

func (o *options) build(r *kind.Request) (analysis.Analysis, error) {
	how, err := comm.ParseAlgorithm(o.collectives)
	if err != nil {
		return nil, fmt.Errorf("--path-collectives: %w", err)
	}
	if how == comm.Apart {
		return nil, fmt.Errorf("--path-collectives: %s has no messages; choose another algorithm", how)
	}
	a := &Analysis{Events: r.Events, Collectives: how, Meta: r.Meta, Rendezvous: []int64{-1}} // without the protocol in any case
	for _, text := range o.rendezvous {
		limit := int64(-1)
		if text != none {
			size, err := unit.ParseBytes(text)
			if err != nil {
				return nil, fmt.Errorf("--rendezvous: %w; give sizes such as 64KiB, or %s", err, none)
			}
			limit = int64(size)
		}
		a.Rendezvous = append(a.Rendezvous, limit)
	}
	a.Rendezvous = kind.Sorted(a.Rendezvous)
	return a, nil
}
