package replay

import (
	"context"
	"reflect"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/network"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// One processor finds all lines of a block in its cache again and again; a store of another node takes the block, line after line, at every
// place of a batch.
func TestLosesBlockAmongHits(t *testing.T) {
	cfg := worked(2)
	line := cfg.Caches[0].Line
	cfg.Memory = memsys.Memory{Latency: 5 * ns, Occupancy: 5 * ns, Invalidate: ns}
	cfg.PerNode, cfg.Block = 1, 4*line
	cfg.Placement = numa.Placement{Policy: machine.FirstTouch, Page: cfg.Block}
	net := func() network.Network {
		n, err := network.Ideal{}.New(network.Config{Nodes: 2, Latency: 5 * unit.Picos(1000), Bandwidth: 1e11, Efficiency: 1})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const rows = 64
	for gap := range uint32(2 * rows) {
		a, b := &builder{}, &builder{}
		a.ref(40, 1<<20, 4, trace.Load) // by then the other one has found hits that come after the store
		a.ref(1+gap, 0, 4, trace.Store)
		for i := range uint64(rows) {
			b.ref(1, i%4*uint64(line), 4, trace.Load)
		}
		m := source(a, b)
		cfg.Net = net()
		want, err := runNaive(m, cfg, 0, tick)
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range []int{7, rows} {
			cfg.Net = net()
			sys, err := memsys.CLUMP{}.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Run(context.Background(), m.InBatches(batch), sys, tick, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Warnings, got.Phases = nil, nil; !reflect.DeepEqual(got.Procs, want.Procs) {
				t.Fatalf("batches of %d, store after %d:\n got %+v\nwant %+v", batch, gap, got.Procs, want.Procs)
			}
		}
	}
}
