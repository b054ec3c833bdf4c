package replay

import (
	"context"
	"reflect"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/network"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// randomCluster makes a cluster of cfg, and the network of its nodes, each time a new one.
func randomCluster(t *testing.T, c *choices, cfg memsys.Config) (memsys.Config, func(nodes int) network.Network) {
	t.Helper()
	cfg.PerNode = 1 + c.below(3)
	cfg.Block = cfg.Caches[0].Line << c.below(3)
	cfg.Placement = numa.Placement{Policy: machine.FirstTouch, Page: cfg.Block}
	if c.below(2) == 0 {
		cfg.Disk = unit.Picos(c.below(90)) * 1000
		cfg.Capacity = cfg.Block * unit.Bytes(1+c.below(6))
	}
	model := []network.Model{network.Wormhole("bus"), network.Switch{}, network.Ideal{}, network.Wormhole("full")}[c.below(4)]
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

// unequalNodes is nodes of other kinds for a cluster, the processors of which they and its own fill; or none.
func unequalNodes(c *choices, cfg memsys.Config) (others []memsys.Node) {
	if c.below(2) == 0 {
		return nil
	}
	for left := cfg.Processors; ; {
		n := 1 + c.below(3)
		if left -= n; left < 0 || left%cfg.PerNode != 0 && c.below(8) == 0 {
			return nil
		}
		like := randomConfig(c, 0)
		line := cfg.Caches[0].Line
		like.Caches[0].Size, like.Caches[0].Line = like.Caches[0].Size/like.Caches[0].Line*line, line
		o := memsys.Node{Processors: n, Caches: like.Caches, Memory: like.Memory}
		if cfg.Capacity > 0 {
			o.Capacity, o.Disk = cfg.Block*unit.Bytes(1+c.below(6)), unit.Picos(c.below(90))*1000
		}
		if others = append(others, o); left%cfg.PerNode == 0 && c.below(2) == 0 {
			return others
		}
	}
}

// unlike is how many processors nodes have.
func unlike(nodes []memsys.Node) (n int) {
	for _, o := range nodes {
		n += o.Processors
	}
	return n
}

// checkNaiveCluster compares a random replay on a cluster with its definition, whatever the batches.
func checkNaiveCluster(t *testing.T, c *choices) {
	t.Helper()
	cfg, connect := randomCluster(t, c, randomConfig(c, 0))
	clocks := []Clock{randomClock(t, c)}
	barrier := unit.Picos(c.below(3)) * 1000
	m := randomTrace(c)
	cfg.Processors = m.Head.Procs
	opt := Options{Barrier: barrier, Phases: true}
	if cfg.OtherNodes = unequalNodes(c, cfg); len(cfg.OtherNodes) > 0 {
		for range cfg.Processors {
			clocks = append(clocks, randomClock(t, c))
		}
		clocks = clocks[1:]
		opt.Clocks = clocks
	}
	nodes := len(cfg.OtherNodes)
	for p := cfg.Processors - unlike(cfg.OtherNodes); p > 0; p -= cfg.PerNode {
		nodes++
	}
	cfg.Net = connect(nodes)
	want, err := runNaive(m, cfg, barrier, clocks...)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{0, 1, 3} {
		cfg.Net = connect(nodes)
		sys, err := memsys.CLUMP{}.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Run(context.Background(), m.InBatches(batch), sys, clocks[0], opt)
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
	for seed := range testsize.Cases[uint64](1500, 150) {
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
