package main

import (
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/comm"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// leastBandwidth is the lowest accepted bandwidth of a link. Gaps of slower links would overflow.
const leastBandwidth = unit.BytesPerSecond(1)

func commKind() *kind {
	var collectives, bandwidth string
	var costs comm.Costs
	return &kind{name: commName,
		columns: comm.Columns,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&collectives, "collectives", string(comm.Apart), "`algorithm` that replaces recorded collectives by messages: "+algorithmNames())
			f.Uint64Var(&costs.Message, "message-cost", 0, "`work` that a message adds to the critical path, in the trace's unit")
			f.Float64Var(&costs.Byte, "byte-cost", 0, "`work` that each byte of a message adds to the critical path")
			f.StringVar(&bandwidth, "link-bandwidth", "20 MB/s", "`bandwidth` of a network link, for gaps in seconds")
		},
		build: func(r *request) (analysis.Analysis, error) {
			how, err := comm.ParseAlgorithm(collectives)
			if err != nil {
				return nil, stage.Usage("--collectives: %w", err)
			}
			speed, err := unit.Parse(bandwidth, "B/s")
			switch {
			case err != nil || !(speed > 0):
				return nil, stage.Usage("--link-bandwidth: %q is not a bandwidth such as 20 MB/s", bandwidth)
			case unit.BytesPerSecond(speed) < leastBandwidth:
				return nil, stage.Usage("--link-bandwidth: %q is below %v; give a realistic bandwidth such as 20 MB/s", bandwidth, leastBandwidth)
			}
			if !(costs.Byte >= 0 && costs.Byte <= 1e18) || costs.Message > 1e18 {
				return nil, stage.Usage("--message-cost and --byte-cost must be numbers from 0 to 1e18")
			}
			return &comm.Analysis{Events: r.events, Collectives: how, Costs: costs, Bandwidth: unit.BytesPerSecond(speed), Meta: r.meta}, nil
		}}
}

func algorithmNames() string {
	return strings.Join(texts(comm.Algorithms), ", ")
}
