package memsys

import (
	"testing"

	"math/rand/v2"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/network"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// decisions makes choices from bytes, and zeros when they are used up.
type decisions struct{ data []byte }

func (d *decisions) below(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	v := d.data[0]
	d.data = d.data[1:]
	return int(v) % n
}

func randomDecisions(seed uint64, n int) *decisions {
	r := rand.New(rand.NewPCG(seed, 11))
	d := &decisions{data: make([]byte, n)}
	for i := range d.data {
		d.data[i] = byte(r.Uint32())
	}
	return d
}

// randomNodes is a small machine of several nodes, and the network that it has.
func randomNodes(d *decisions, target Target) (Config, func() network.Network) {
	c := Config{Processors: 1 + d.below(5), PerNode: 1 + d.below(3), Protocol: coherence.Protocols[d.below(len(coherence.Protocols))],
		Messages: machine.Messages{Control: 8, Data: unit.Bytes(16 << d.below(3))}}
	cache := Cache{Line: 16, Ways: 1 + d.below(2)}
	cache.Size = cache.Line * unit.Bytes(cache.Ways) * unit.Bytes(1<<d.below(2))
	c.Caches = []Cache{cache}
	c.Memory = Memory{Latency: unit.Picos(d.below(20)), Occupancy: unit.Picos(d.below(20))}
	c.Placement = numa.Placement{Policy: []machine.Placement{machine.FirstTouch, machine.Interleaved}[d.below(2)], Page: 64 << d.below(2)}
	c.Directory = append(directories, Directory{})[d.below(len(directories)+1)]
	c.Directory.LookUp, c.Directory.Trap = unit.Picos(d.below(6)), unit.Picos(d.below(40))
	switch target.(type) {
	case LogP:
		c.Caches = nil
	case Dir1SW:
		c.Protocol, c.Directory.Hints = coherence.Protocol{}, true
		if d.below(2) == 1 {
			c.TLB = &TLB{Entries: 4, Ways: 1 << d.below(3), Page: 16 << d.below(2), Latency: unit.Picos(d.below(30))}
		}
	}
	model := []network.Model{network.Wormhole("mesh"), network.LogP{}, network.Wormhole("bus"), network.Wormhole("full"), network.Ideal{}}[d.below(5)]
	of := network.Config{Nodes: c.nodes(), Bandwidth: 1e12, Efficiency: 1, Latency: unit.Picos(d.below(9)), L: unit.Picos(1 + d.below(20)),
		Gap: unit.Picos(d.below(20)), SameKind: d.below(2) == 0}
	return c, func() network.Network {
		n, err := model.New(of)
		if err != nil {
			panic(err)
		}
		return n
	}
}

// checkNodes compares a target with its definition.
func checkNodes(t *testing.T, target Target, d *decisions) {
	t.Helper()
	cfg, net := randomNodes(d, target)
	cfg.Net = net()
	sys, err := target.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	naive := newNaiveNodes(target.Name(), cfg, net())
	now := unit.Picos(0)
	for i := 0; len(d.data) > 0; i++ {
		now += unit.Picos(d.below(3) * d.below(12))
		p, line, store := d.below(cfg.Processors), uint64(d.below(10)), d.below(2) == 1
		got, want := sys.Access(now, trace.Proc(p), line, store), naive.access(now, p, line, store)
		if got != want {
			t.Fatalf("access %d, at %d by %d of line %d, store %v, costs %+v, want %+v\n%s of %+v", i, now, p, line, store, got, want, target.Name(), cfg)
		}
	}
	for p := range cfg.Processors {
		if got, want := sys.Counts(trace.Proc(p)), naive.counts[p]; got != want {
			t.Fatalf("processor %d\n got %+v\nwant %+v\n%s of %+v", p, got, want, target.Name(), cfg)
		}
	}
}

var distributed = []Target{CCNUMA{}, CLogP{}, LogP{}, Dir1SW{}}

func TestNodesAreNaive(t *testing.T) {
	for _, target := range distributed {
		for seed := range testsize.Cases[uint64](1500, 200) {
			if checkNodes(t, target, randomDecisions(seed, 500)); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func FuzzNodesAreNaive(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(byte(seed), randomDecisions(seed, 300).data)
	}
	f.Fuzz(func(t *testing.T, target byte, data []byte) {
		checkNodes(t, distributed[int(target)%len(distributed)], &decisions{data: data})
	})
}
