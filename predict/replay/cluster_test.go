package replay

import (
	"context"
	"reflect"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/memsys"
	"spoor/predict/network"
	"spoor/traces/unit"
)

// randomCluster makes a cluster of cfg, and the network of its nodes, each time a new one.
func randomCluster(t *testing.T, c *choices, cfg memsys.Config) (memsys.Config, func(nodes int) network.Network) {
	t.Helper()
	cfg.PerNode = 1 + c.below(3)
	cfg.Block = cfg.Caches[0].Line << c.below(3)
	cfg.Placement = memsys.Placement{Policy: machine.FirstTouch, Page: cfg.Block}
	if c.below(2) == 0 {
		cfg.Disk = unit.Picos(c.below(90)) * 1000
		cfg.Room = cfg.Block * unit.Bytes(1+c.below(6))
	}
	model := []network.Model{network.Bus{}, network.Switch{}, network.Ideal{}, network.Full{}}[c.below(4)]
	links := network.Config{Latency: unit.Picos(c.below(40)) * 10, Header: unit.Bytes(c.below(30)), Bandwidth: 1e11, Efficiency: 1}
	return cfg, func(nodes int) network.Network {
		links.Nodes = nodes
		net, err := model.New(links)
		if err != nil {
			t.Fatal(err)
		}
		return net
	}
}

// checkNaiveCluster compares a random replay on a cluster with its definition, whatever the batches.
func checkNaiveCluster(t *testing.T, c *choices) {
	t.Helper()
	cfg, connect := randomCluster(t, c, randomConfig(c, 0))
	clock := randomClock(t, c)
	barrier := unit.Picos(c.below(3)) * 1000
	m := randomTrace(c)
	cfg.Processors = m.Head.Procs
	nodes := (cfg.Processors + cfg.PerNode - 1) / cfg.PerNode
	cfg.Net = connect(nodes)
	want, err := runNaive(m, cfg, clock, barrier)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{0, 1, 3} {
		cfg.Net = connect(nodes)
		sys, err := memsys.CLUMP{}.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Run(context.Background(), m.InBatches(batch), sys, clock, Options{Barrier: barrier, Phases: true})
		if err != nil {
			t.Fatal(err)
		}
		checkSums(t, got)
		got.Warnings, got.Phases = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("batches of %d, %+v:\n got %+v\nwant %+v", batch, cfg, got, want)
		}
	}
}

func TestClusterIsNaive(t *testing.T) {
	for seed := range uint64(1500) {
		checkNaiveCluster(t, randomChoices(seed, 800))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzClusterIsNaive(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomChoices(seed, 300).data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkNaiveCluster(t, &choices{data: data}) })
}
