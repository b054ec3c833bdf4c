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
	return &kind{name: commName, short: "messages between processors, critical path, and traffic on networks",
		about: `Counts the messages between processors and finds the critical path: the longest chain of dependent events. It
also routes all messages over some networks and computes the gap g of LogP from the busiest link and from the
bisection [sivasubramaniam1995]. The critical path and the networks need all processors and the events of the
trace.`,
		columns: comm.Columns,
		cost:    "reads events only; time and memory do not depend on the number of references.",
		example: `  $ tracegen transfer --procs 2 --set shape=1 --set d=5 -o transfer
  $ analyze --run comm,marshal -o transfer.analysis transfer
  $ analyze --run comm --message-cost 1000 --byte-cost 0.5 -o transfer.path transfer`,
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
