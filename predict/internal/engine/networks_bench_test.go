package engine

import (
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/network"
)

// BenchmarkNetworks is what a processor does in a second on each kind of network: messages of a stencil, a random pattern and an all-to-all.
func BenchmarkNetworks(b *testing.B) {
	for _, w := range []struct {
		name string
		make func() *workload
	}{{"stencil-1024", func() *workload { return stencil(1024, 1e5) }}, {"random-256", func() *workload { return scattered(256, 1e5) }}, {"alltoall-64", func() *workload { return allToAll(64, 5e4) }}} {
		load := w.make()
		load.programs()
		b.Run(w.name, func(b *testing.B) {
			ranks := len(load.ranks)
			torus := func() cost.Model {
				net, err := network.Wormhole("torus").New(network.Config{Nodes: ranks, Bandwidth: 1e9, Efficiency: 1, Latency: 1_000_000, Switch: 100_000})
				if err != nil {
					b.Fatal(err)
				}
				return cost.Model{Send: 500_000, Receive: 500_000, EagerLimit: -1, Net: net, Node: func(rank int32) int { return int(rank) }}
			}
			sized := benchModel()
			sized.ReceiverPort = true
			for name, model := range map[string]func() cost.Model{"loggp": benchModel, "plogp": func() cost.Model { return asPLogP(sized) }, "torus": torus,
				"torus max-min": func() cost.Model { return sharing(b, "torus", ranks, "latency = \"1 us\"\nswitch = \"100 ns\"\n") },
				"torus in packets": func() cost.Model {
					return sharingBy(b, "sharing = \"packets\"\npacket = \"2 KiB\"\n", "torus", ranks, "latency = \"1 us\"\nswitch = \"100 ns\"\n")
				}} {
				b.Run(name, func(b *testing.B) {
					before := processorTime()
					for b.Loop() {
						load.simulate(b, Options{Model: model()})
					}
					b.ReportMetric(float64(load.messages)*float64(b.N)/(processorTime()-before).Seconds()/1e6, "Mmsg/cpu-s")
				})
			}
		})
	}
}
