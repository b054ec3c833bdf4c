package main

import (
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/comm"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// leastBandwidth is that of links that are believed: gaps of less would be beyond what can be counted.
const leastBandwidth = unit.BytesPerSecond(1)

func commKind() *kind {
	var collectives, bandwidth string
	var costs comm.Costs
	return &kind{name: commName, doc: "who sends what to whom: comm.arrow; the critical path and the gaps of networks: comm_*.arrow",
		details: comm.Columns,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&collectives, "collectives", string(comm.Apart), "comm: `name` of the messages that recorded collectives stand for: "+algorithmNames())
			f.Uint64Var(&costs.Message, "message-cost", 0, "comm: `work` that a message adds to the critical path, in the trace's unit")
			f.Float64Var(&costs.Byte, "byte-cost", 0, "comm: `work` that each byte of a message adds to it")
			f.StringVar(&bandwidth, "link-bandwidth", "20 MB/s", "comm: `bytes` a second that a link of a network carries, for gaps in seconds")
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
				return nil, stage.Usage("--link-bandwidth: %q is less than %v, which no link is as slow as", bandwidth, leastBandwidth)
			}
			if !(costs.Byte >= 0 && costs.Byte <= 1e18) || costs.Message > 1e18 {
				return nil, stage.Usage("--message-cost and --byte-cost: a number from 0 to 1e18")
			}
			return &comm.Analysis{Events: r.events, Collectives: how, Costs: costs, Bandwidth: unit.BytesPerSecond(speed), Meta: r.meta}, nil
		}}
}

func algorithmNames() string {
	var names []string
	for _, a := range comm.Algorithms {
		names = append(names, string(a))
	}
	return strings.Join(names, ", ")
}
