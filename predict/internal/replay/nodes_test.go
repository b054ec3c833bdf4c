package replay

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/network"
	"spoor/predict/internal/plainmachine"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

var ofNodes = []memsys.Target{memsys.CCNUMA{}, memsys.CLogP{}, memsys.LogP{}, memsys.Dir1SW{}}

// randomNodes is a small machine of several nodes for m.
func randomNodes(t testing.TB, c *choices, target memsys.Target, m *trace.Memory) memsys.Config {
	t.Helper()
	cfg := randomConfig(c, m.Head.Procs)
	cfg.Homes, cfg.PerNode = trace.NewHomeMap(m.Head), 1+c.below(2)
	cfg.Placement = numa.Placement{Policy: []machine.Placement{machine.FirstTouch, machine.Interleaved}[c.below(2)], Page: 64}
	cfg.Messages = machine.Messages{Control: 8, Data: 32}
	cfg.Directory = []memsys.Directory{{}, {Hints: true}, {Kind: machine.Sparse, Entries: 2, Ways: 1},
		{Kind: machine.LimitedPointers, Pointers: 1, Overflow: machine.NoBroadcast},
		{Kind: machine.LimitedPointers, Pointers: 1, Overflow: machine.Broadcast}}[c.below(5)]
	cfg.Directory.LookUp, cfg.Directory.Trap = 500, 2000
	switch target.(type) {
	case memsys.LogP, memsys.PRAM:
		cfg.Caches = nil
	case memsys.Dir1SW:
		cfg.TLB = &memsys.TLB{Entries: 2, Ways: 2, Page: 64, Latency: 1500}
	default:
		cfg.Protocol = coherence.Protocols[c.below(len(coherence.Protocols))]
	}
	nodes := (m.Head.Procs + cfg.PerNode - 1) / cfg.PerNode
	net, err := []network.Model{network.Wormhole("mesh"), network.LogP{}, network.Ideal{}}[c.below(3)].New(
		network.Config{Nodes: nodes, Bandwidth: 20e9, Efficiency: 1, Latency: 100, L: 1600, Gap: 800})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Net = net
	return cfg
}

// checkTarget replays a random trace on a machine of several nodes, with and without knowing hits in advance, whatever the batches:
// the parts of the time add up, and all are the same.
func checkTarget(t *testing.T, target memsys.Target, data []byte) {
	t.Helper()
	var want *Result
	for _, batch := range []int{0, 0, 1, 3} {
		c := &choices{data: data}
		m := randomTrace(c)
		m.Head.Regions = []trace.Region{{Name: "a", Owner: trace.Everyone, Base: 64, Bytes: 128, Home: trace.Home{Kind: trace.BlockHome}}}
		clock := randomClock(t, c)
		sys, err := target.New(randomNodes(t, c, target, m))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			sys = plainOf(sys, m.Head.Procs)
		}
		got, err := Run(context.Background(), m.InBatches(batch), sys, clock, Options{Phases: true})
		if err != nil {
			t.Fatal(err)
		}
		checkSums(t, got)
		for p := range got.Procs {
			if q := &got.Procs[p]; q.Latency < 0 || q.Contention < 0 {
				t.Fatalf("%s: processor %d: latency %d, contention %d", target.Name(), p, q.Latency, q.Contention)
			}
		}
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s in batches of %d:\n got %+v\nwant %+v", target.Name(), batch, got, want)
		}
	}
}

func TestTargetsOfNodes(t *testing.T) {
	for _, target := range ofNodes {
		for seed := range testsize.Cases[uint64](500, 50) {
			if checkTarget(t, target, randomChoices(seed, 800).data); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func FuzzTargetsOfNodes(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(byte(seed), randomChoices(seed, 300).data)
	}
	f.Fuzz(func(t *testing.T, target byte, data []byte) { checkTarget(t, ofNodes[int(target)%len(ofNodes)], data) })
}

// pairs is 16 processors that read what their partner, one column of a mesh away, has written, so that no link carries the
// messages of two.
func pairs() *trace.Memory {
	var bs []*builder
	for p := range uint64(16) {
		b := &builder{}
		for i := range uint64(64) {
			b.ref(3, 1<<16*(p+1)+32*i, 8, trace.Store)
		}
		b.at(trace.Barrier, 0)
		for i := range uint64(64) {
			b.ref(3, 1<<16*(p^1+1)+32*i, 8, trace.Load)
		}
		bs = append(bs, b)
	}
	return source(bs...)
}

func parsed(t *testing.T, target, network string) *machine.Machine {
	t.Helper()
	return plainmachine.New(t, "1 GHz", "33 MHz", "16 KiB", "1 KiB", "64 B", "32 B", "1 cycle", "0 cycles", "10 cycles", "0 cycles", "50 cycles", "10 cycles",
		`"smp"`, `"`+target+`"`, "processors = 4", "processors = 1\nnodes = 16", "[system]", "[network]\n"+network+"\n[system]")
}

// TestTrafficGap: by the gap of the traffic, pairs wait about as long as for links; by that of the bisection, much
// longer.
func TestTrafficGap(t *testing.T) {
	contention := func(target, network string) (sum unit.Picos, warnings []error) {
		m := parsed(t, target, network)
		clock, err := ClockOf(m)
		if err != nil {
			t.Fatal(err)
		}
		res, err := runReferences(context.Background(), pairs(), scanned(t, pairs()), m, clock, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Procs {
			sum += p.Contention
		}
		return sum, res.Warnings
	}
	const log = "model = \"logp\"\nL = \"1.6 us\"\ntopology = \"mesh\"\nspacing = \"same-kind\"\ngap = "
	links, _ := contention("ccnuma", "model = \"mesh\"\nbandwidth = \"20 MB/s\"\n")
	bisection, _ := contention("clogp", log+"\"bisection\"\n")
	traffic, warnings := contention("clogp", log+"\"traffic\"\n")
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "the gap of the network is computed from a first run") {
		t.Errorf("warnings %v", warnings)
	}
	t.Logf("contention on links %v, by the gap of the bisection %v, of the traffic %v", links, bisection, traffic)
	off := func(c unit.Picos) float64 { return math.Abs(float64(c - links)) }
	if off(bisection) < 5*off(traffic) {
		t.Errorf("contention %v on links, %v by the gap of the traffic, %v by that of the bisection", links, traffic, bisection)
	}
}

// TestNoTraffic: a program that sends nothing has no gap, and needs none.
func TestNoTraffic(t *testing.T) {
	b := &builder{}
	b.ref(1, 64, 8, trace.Load)
	m := parsed(t, "clogp", "model = \"logp\"\nL = \"1.6 us\"\ntopology = \"mesh\"\ngap = \"traffic\"\n")
	clock, err := ClockOf(m)
	if err != nil {
		t.Fatal(err)
	}
	res, err := runReferences(context.Background(), source(b, &builder{}), scanned(t, source(b, &builder{})), m, clock, Options{})
	if err != nil || res.Shared.Messages != 0 {
		t.Errorf("got %+v, %v", res, err)
	}
}
