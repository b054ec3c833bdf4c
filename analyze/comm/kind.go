package comm

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/unit"
)

//go:embed help.txt
var helpText string

//go:embed tables.txt
var tablesText string

// leastBandwidth is the lowest accepted bandwidth of a link. Gaps of slower links would overflow.
const leastBandwidth = unit.BytesPerSecond(1)

// Kind describes the analysis.
func Kind() *kind.Kind {
	var o options
	return &kind.Kind{Name: "comm", Help: helpText, Tables: tablesText,
		Subject: kind.Messages,
		Memory:  leastMemory,
		Values:  map[string][]string{"collectives": kind.Texts(Algorithms)},
		Flags:   o.add,
		Build:   o.build}
}

// options are the flags.
type options struct {
	collectives, bandwidth string
	costs                  Costs
}

func (o *options) add(f *pflag.FlagSet) {
	f.StringVar(&o.collectives, "collectives", string(Apart), "`algorithm` that replaces recorded collectives by messages: "+strings.Join(kind.Texts(Algorithms), ", "))
	f.Uint64Var(&o.costs.Message, "message-cost", 0, "`work` that a message adds to the critical path, in the trace's unit")
	f.Float64Var(&o.costs.Byte, "byte-cost", 0, "`work` that each byte of a message adds to the critical path")
	f.StringVar(&o.bandwidth, "link-bandwidth", "20 MB/s", "`bandwidth` of a network link, for gaps in seconds")
}

func (o *options) build(r *kind.Request) (analysis.Analysis, error) {
	how, err := ParseAlgorithm(o.collectives)
	if err != nil {
		return nil, fmt.Errorf("--collectives: %w", err)
	}
	speed, err := unit.Parse(o.bandwidth, "B/s")
	switch {
	case err != nil || !(speed > 0):
		return nil, fmt.Errorf("--link-bandwidth: %q is not a bandwidth such as 20 MB/s", o.bandwidth)
	case unit.BytesPerSecond(speed) < leastBandwidth:
		return nil, fmt.Errorf("--link-bandwidth: %q is below %v; give a realistic bandwidth such as 20 MB/s", o.bandwidth, leastBandwidth)
	}
	if !(o.costs.Byte >= 0 && o.costs.Byte <= 1e18) || o.costs.Message > 1e18 {
		return nil, fmt.Errorf("--message-cost and --byte-cost must be numbers from 0 to 1e18")
	}
	return &Analysis{Events: r.Events, Collectives: how, Costs: o.costs, Bandwidth: unit.BytesPerSecond(speed), Meta: r.Meta}, nil
}
