package memsys

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// small is a cluster whose caches have two lines of 64 bytes, whose blocks have two lines, and whose network
// takes 30 ps and 1 ps for a byte, of which each message has 10 besides its own. Pages are blocks: who touches a
// block first is its home. Memory takes 100 ps and is held for 60, an upgrade 20.
//
// So a message with a block holds the network for 138 ps and takes 168; one without holds it for 10 and takes 40. A
// block from its home takes 100 + 168 and then 100 for the access of the processor.
func small(processors, perNode int, model network.Model) Config {
	return connected(Config{Processors: processors, PerNode: perNode, Caches: []Cache{{Size: 128, Line: 64, Ways: 1}},
		Memory:    Memory{Latency: 100, Occupancy: 60, Invalidate: 20},
		Placement: numa.Placement{Policy: machine.FirstTouch, Page: 128}, Block: 128}, model)
}

// connected is c with an idle network of its own.
func connected(c Config, model network.Model) Config {
	net, err := model.New(network.Config{Nodes: (c.Processors + c.PerNode - 1) / c.PerNode, Latency: 30, Bandwidth: 1e12, Efficiency: 1, Header: 10})
	if err != nil {
		panic(err)
	}
	c.Net = net
	return c
}

// withDisk is c with memories of so many blocks and disks that take 1000 ps.
func withDisk(c Config, blocks unit.Bytes) Config {
	c.Capacity, c.Disk = blocks*c.Block, 1000
	return c
}

func mustCluster(t testing.TB, c Config) *coherent {
	t.Helper()
	sys, err := CLUMP{}.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return sys.(*coherent)
}

// Lines 0 and 1 are block 0, 2 and 3 block 1, and so on; even lines have the same place in the caches.
func TestClusterWorked(t *testing.T) {
	type access struct {
		now   unit.Picos
		p     trace.Proc
		line  uint64
		store bool
		want  touch.Cost
	}
	for _, c := range []struct {
		name     string
		config   Config
		accesses []access
		counts   []touch.Counts
		shared   touch.SharedUsage
	}{
		{"the home's own misses and stores cost what they cost in an smp", small(2, 1, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{100, 0, 0, true, touch.Cost{}}, // alone in its node
			{200, 0, 2, false, touch.Cost{Latency: 100}},
		}, []touch.Counts{{Loads: 2, Stores: 1, LoadMisses: touch.Misses{Cold: 2}, WriteBacks: 1}, {}},
			touch.SharedUsage{Busy: 180, End: 320, Lines: 2}},

		{"a block from its home, then its other line", small(2, 1, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{200, 1, 0, false, touch.Cost{Latency: 368}}, // home's memory 100, message 168, own memory 100
			{700, 1, 1, false, touch.Cost{Latency: 100}}, // the block is there
			{900, 0, 0, false, touch.Cost{}},
		}, []touch.Counts{{Loads: 2, LoadMisses: touch.Misses{Cold: 1}}, {Loads: 2, LoadMisses: touch.Misses{Cold: 2}, RemoteFetches: 1}},
			touch.SharedUsage{Busy: 120, End: 760, Lines: 2, Messages: 1, MessageBytes: 128, NetworkBusy: 138}},

		{"two blocks at once: on a bus the second message waits, and at the home both wait for its memory", small(3, 1, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{200, 0, 2, false, touch.Cost{Latency: 100}},
			{1000, 1, 0, false, touch.Cost{Latency: 368}},                  // memory 1000..1060, sent 1100..1238, there 1268
			{1000, 2, 2, false, touch.Cost{Latency: 368, Contention: 138}}, // memory 1060..1120, sent 1238..1376 instead of from 1160
		}, []touch.Counts{{Loads: 2, LoadMisses: touch.Misses{Cold: 2}}, {Loads: 1, LoadMisses: touch.Misses{Cold: 1}, RemoteFetches: 1},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, RemoteFetches: 1}},
			touch.SharedUsage{Busy: 240, End: 1466, Lines: 2, Messages: 2, MessageBytes: 256, NetworkBusy: 276}},

		{"two blocks from two homes: on a switch neither waits", small(4, 1, network.Switch{}), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{0, 1, 2, false, touch.Cost{Latency: 100}},
			{1000, 2, 0, false, touch.Cost{Latency: 368}},
			{1000, 3, 2, false, touch.Cost{Latency: 368}},
		}, []touch.Counts{{Loads: 1, LoadMisses: touch.Misses{Cold: 1}}, {Loads: 1, LoadMisses: touch.Misses{Cold: 1}},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, RemoteFetches: 1}, {Loads: 1, LoadMisses: touch.Misses{Cold: 1}, RemoteFetches: 1}},
			touch.SharedUsage{Busy: 120, End: 1328, Lines: 2, Messages: 2, MessageBytes: 256, NetworkBusy: 138}},

		{"a block that another node has exclusive comes by way of its home, twice as far", small(3, 1, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 1, 1, true, touch.Cost{Latency: 368}},  // takes block 0 from its home
			{2000, 2, 1, false, touch.Cost{Latency: 636}}, // node 1: 100 + 168, home: 100 + 168, own memory 100
			{3000, 1, 1, false, touch.Cost{}},             // node 1 has kept its copy
			{3000, 0, 0, false, touch.Cost{Latency: 100}}, // the home's is current
		}, []touch.Counts{{Loads: 2, LoadMisses: touch.Misses{Cold: 1, Coherence: 1}, Invalidations: 1},
			{Loads: 1, Stores: 1, StoreMisses: touch.Misses{Cold: 1}, RemoteFetches: 1},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, CacheToCache: 1, RemoteFetches: 1, FromExclusive: 1}},
			touch.SharedUsage{Busy: 240, End: 3060, Lines: 2, Messages: 3, MessageBytes: 384, NetworkBusy: 414}},

		{"the home gets its block back by one message", small(2, 1, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 1, 1, true, touch.Cost{Latency: 368}},
			{2000, 0, 0, true, touch.Cost{Latency: 368}},
			{3000, 1, 1, false, touch.Cost{Latency: 368}}, // false sharing: other lines of one block
		}, []touch.Counts{{Loads: 1, Stores: 1, LoadMisses: touch.Misses{Cold: 1}, StoreMisses: touch.Misses{Coherence: 1},
			Invalidations: 1, RemoteFetches: 1, FromExclusive: 1, BlockInvalidations: 1},
			{Loads: 1, Stores: 1, LoadMisses: touch.Misses{Coherence: 1}, StoreMisses: touch.Misses{Cold: 1}, Invalidations: 1, RemoteFetches: 2}},
			touch.SharedUsage{Busy: 240, End: 3328, Lines: 2, Messages: 3, MessageBytes: 384, NetworkBusy: 414}},

		{"a store to a shared block asks its home, which tells the other holder", small(3, 1, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 1, 0, false, touch.Cost{Latency: 368}},
			{2000, 2, 0, false, touch.Cost{Latency: 368}},
			// to node 2: 2000..2500, bus 3000..3010, there 3040, its memory's bus until 3060; to node 1: home's bus until 3020, there 3060
			{3000, 1, 0, true, touch.Cost{Latency: 60}},
			{4000, 1, 0, true, touch.Cost{}},
			{4000, 1, 1, true, touch.Cost{Latency: 100}}, // the block is its own
		}, []touch.Counts{{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, Invalidations: 1},
			{Loads: 1, Stores: 3, LoadMisses: touch.Misses{Cold: 1}, StoreMisses: touch.Misses{Cold: 1}, RemoteFetches: 1, BlockUpgrades: 1, BlockInvalidations: 1},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, Invalidations: 1, RemoteFetches: 1}},
			touch.SharedUsage{Busy: 200, End: 4060, Lines: 2, Messages: 4, MessageBytes: 256, NetworkBusy: 296}},

		{"the home's store waits for both holders, whose messages follow each other on the bus", small(3, 1, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 1, 0, false, touch.Cost{Latency: 368}},
			{2000, 2, 1, false, touch.Cost{Latency: 368}},
			{3000, 0, 0, true, touch.Cost{Latency: 60, Contention: 10}},
		}, []touch.Counts{{Loads: 1, Stores: 1, LoadMisses: touch.Misses{Cold: 1}, BlockUpgrades: 1, BlockInvalidations: 2},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, Invalidations: 1, RemoteFetches: 1},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, Invalidations: 1, RemoteFetches: 1}},
			touch.SharedUsage{Busy: 180, End: 3070, Lines: 2, Messages: 4, MessageBytes: 256, NetworkBusy: 296}},

		{"within a node of two a block is fetched once, and a store there asks the node alone", small(4, 2, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 2, 0, true, touch.Cost{Latency: 368}},
			{2000, 3, 0, false, touch.Cost{Latency: 100}}, // processor 2 supplies
			{3000, 3, 0, true, touch.Cost{Latency: 20}},   // an upgrade on the node's bus
			{4000, 3, 1, false, touch.Cost{Latency: 100}},
			{5000, 1, 1, false, touch.Cost{Latency: 368}}, // back to the home's other processor
			{6000, 3, 0, true, touch.Cost{Latency: 80}},   // node 1 must ask now: home's bus 20, message 40, own bus 20
		}, []touch.Counts{{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, Invalidations: 1},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, Invalidations: 1, RemoteFetches: 1, FromExclusive: 1},
			{Stores: 1, StoreMisses: touch.Misses{Cold: 1}, Invalidations: 1, RemoteFetches: 1},
			{Loads: 2, Stores: 2, LoadMisses: touch.Misses{Cold: 2}, Upgrades: 2, CacheToCache: 1, BlockUpgrades: 1}},
			touch.SharedUsage{Busy: 280, End: 6080, Lines: 2, Messages: 3, MessageBytes: 256, NetworkBusy: 286}},

		{"who wants what is on its way to the node waits until it is there", small(4, 2, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 2, 0, false, touch.Cost{Latency: 368}},                  // there at 1268, memory until 1328
			{1100, 3, 1, false, touch.Cost{Latency: 100, Contention: 228}}, // memory from 1328
		}, []touch.Counts{{Loads: 1, LoadMisses: touch.Misses{Cold: 1}}, {},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, RemoteFetches: 1}, {Loads: 1, LoadMisses: touch.Misses{Cold: 1}}},
			touch.SharedUsage{Busy: 120, End: 1388, Lines: 2, Messages: 1, MessageBytes: 128, NetworkBusy: 138}},

		{"a block does not leave before it has come", small(3, 1, network.Wormhole("bus")), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 1, 0, true, touch.Cost{Latency: 368}},                   // there at 1268, memory until 1328
			{1010, 2, 0, false, touch.Cost{Latency: 636, Contention: 318}}, // leaves from 1328 on
		}, []touch.Counts{{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, Invalidations: 1}, {Stores: 1, StoreMisses: touch.Misses{Cold: 1}, RemoteFetches: 1},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}, CacheToCache: 1, RemoteFetches: 1, FromExclusive: 1}},
			touch.SharedUsage{Busy: 180, End: 1924, Lines: 1, Messages: 3, MessageBytes: 384, NetworkBusy: 414}},

		{"a memory of one block: copies are fetched again, the home's own come from its disk", withDisk(small(2, 1, network.Wormhole("bus")), 1), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 0, 2, false, touch.Cost{Latency: 100}},  // block 0 goes to the disk, 1000..2000
			{3000, 1, 2, false, touch.Cost{Latency: 368}},  // block 1 is in its home's memory
			{4000, 1, 0, false, touch.Cost{Latency: 1368}}, // block 0 is not; it pushes block 1 out there (disk 5000..6000) and here
			{6500, 1, 2, false, touch.Cost{Latency: 1368}}, // so block 1 must be read there, 6500..7500
			{9000, 0, 0, false, touch.Cost{Latency: 1100}}, // block 0 was pushed out, but the disk had it already
		}, []touch.Counts{{Loads: 3, LoadMisses: touch.Misses{Cold: 2, Replacement: 1}, DiskReads: 1},
			{Loads: 3, LoadMisses: touch.Misses{Cold: 2, Replacement: 1}, RemoteFetches: 3, DiskReads: 2}},
			touch.SharedUsage{Busy: 360, End: 10060, Lines: 2, Messages: 3, MessageBytes: 384, NetworkBusy: 414}},

		{"an exclusive block that is pushed out goes home, and nobody waits", withDisk(small(2, 1, network.Wormhole("bus")), 2), []access{
			{0, 0, 0, false, touch.Cost{Latency: 100}},
			{1000, 1, 0, true, touch.Cost{Latency: 368}},
			{2000, 1, 2, false, touch.Cost{Latency: 100}}, // block 1 is at home in node 1
			{3000, 1, 4, false, touch.Cost{Latency: 100}}, // so is block 2: block 0 leaves, bus 3060..3120, sent 3160..3298
			{4000, 0, 0, true, touch.Cost{Latency: 100}},  // back in its home's memory
		}, []touch.Counts{{Loads: 1, Stores: 1, LoadMisses: touch.Misses{Cold: 1}, StoreMisses: touch.Misses{Coherence: 1}, Invalidations: 1},
			{Loads: 2, Stores: 1, LoadMisses: touch.Misses{Cold: 2}, StoreMisses: touch.Misses{Cold: 1}, WriteBacks: 1, RemoteFetches: 1}},
			touch.SharedUsage{Busy: 300, End: 4060, Lines: 3, Messages: 2, MessageBytes: 256, NetworkBusy: 276}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustCluster(t, c.config)
			for i, a := range c.accesses {
				if got := s.Access(a.now, a.p, a.line, a.store); got != a.want {
					t.Errorf("access %d costs %+v, want %+v", i, got, a.want)
				}
			}
			for p, want := range c.counts {
				if got := s.Counts(trace.Proc(p)); got != want {
					t.Errorf("processor %d\n got %+v\nwant %+v", p, got, want)
				}
			}
			if got := s.SharedUsage(); got != c.shared {
				t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.shared)
			}
		})
	}
}

// checkSame makes the same random accesses on two machines.
func checkSame(t *testing.T, seed uint64, a, b touch.System, processors int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	now := unit.Picos(0)
	for i := range 400 {
		now += unit.Picos(r.IntN(60))
		p, line, store := trace.Proc(r.IntN(processors)), r.Uint64N(24), r.IntN(2) == 0
		if got, want := a.Access(now, p, line, store), b.Access(now, p, line, store); got != want {
			t.Fatalf("seed %d, access %d: %+v and %+v", seed, i, got, want)
		}
	}
	for p := range trace.Proc(processors) {
		if got, want := a.Counts(p), b.Counts(p); got != want {
			t.Fatalf("seed %d, processor %d:\n %+v\n %+v", seed, p, got, want)
		}
	}
	if got, want := a.SharedUsage(), b.SharedUsage(); got != want {
		t.Fatalf("seed %d:\n %+v\n %+v", seed, got, want)
	}
}

// randomLevels is one to three private levels and a protocol.
func randomLevels(r *rand.Rand, c *Config) {
	c.Protocol = coherence.Protocols[r.IntN(len(coherence.Protocols))]
	c.Caches = nil
	for range 1 + r.IntN(3) {
		size := unit.Bytes(128)
		if n := len(c.Caches); n > 0 {
			size = c.Caches[n-1].Size << r.IntN(2)
		}
		c.Caches = append(c.Caches, Cache{Size: size, Line: 64, Ways: 1 << r.IntN(2), Latency: unit.Picos(r.IntN(9))})
	}
	c.Memory.Occupancy = unit.Picos(r.IntN(3) * 60)
}

// A cluster of one node is an SMP, and a CLUMP with one processor in each node is a COW.
func TestClusterOfOne(t *testing.T) {
	for seed := range testsize.Cases[uint64](400, 80) {
		r := rand.New(rand.NewPCG(seed, 6))
		c := small(1+r.IntN(4), 4, network.Wormhole("bus"))
		randomLevels(r, &c)
		smp, err := SMP{}.New(c)
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, seed, mustCluster(t, c), smp, c.Processors)
		alone := withDisk(c, 12) // all 24 lines fit
		alone.Processors = 1
		smp, _ = SMP{}.New(alone)
		cow, err := COW{}.New(alone)
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, seed, cow, smp, 1)
		c = withDisk(c, 1+unit.Bytes(r.IntN(4)))
		c.PerNode = 1
		if cow, err = (COW{}).New(connected(c, network.Wormhole("bus"))); err != nil {
			t.Fatal(err)
		}
		checkSame(t, seed, mustCluster(t, connected(c, network.Wormhole("bus"))), cow, c.Processors)
	}
}

// Latency is what an idle machine takes: if nobody else does anything for long enough, nobody waits but
// for messages of the own transaction.
func TestClusterOnIdleMachine(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := withDisk(small(6, 1+r.IntN(3), network.Ideal{}), 1+unit.Bytes(r.IntN(4)))
		randomLevels(r, &c)
		s := mustCluster(t, c)
		for now := range unit.Picos(300) {
			cost := s.Access(now*100_000, trace.Proc(r.IntN(6)), r.Uint64N(24), r.IntN(2) == 0)
			if cost.Contention != 0 {
				t.Fatalf("seed %d: %+v", seed, cost)
			}
		}
	}
}

func TestClusterErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Processors = 0 }, "0 processors"},
		{func(c *Config) { c.Block = 0 }, "the coherence block is 0B"},
		{func(c *Config) { c.Block = 192 }, "power of two"},
		{func(c *Config) { c.Block = 32 }, "lines of 64B"},
		{func(c *Config) { c.Block = 64 * 2 * maxBlockLines }, "lines of 64B"},
		{func(c *Config) { c.Net = nil }, "but no network"},
		{func(c *Config) { c.Capacity = 127 }, "smaller than one block"},
		{func(c *Config) { c.Disk = 5e12 }, "disk latency"},
		{func(c *Config) { c.Placement.Page = 0 }, "the page size"},
	} {
		t.Run(c.want, func(t *testing.T) {
			bad := small(2, 1, network.Wormhole("bus"))
			c.change(&bad)
			for _, target := range []Target{COW{}, CLUMP{}} {
				if _, err := target.New(bad); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: error %v, want one about %q", target.Name(), err, c.want)
				}
			}
		})
	}
}

// naiveFrames is a list, latest used last.
type naiveFrames []uint64

func (n *naiveFrames) drop(block uint64) {
	*n = slices.DeleteFunc(*n, func(b uint64) bool { return b == block })
}

func TestFrames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for most := 1; most < 9; most++ {
		f, want := newFrames(most), naiveFrames{}
		for range 2000 {
			block := r.Uint64N(12)
			if got := f.has(block); got != slices.Contains(want, block) {
				t.Fatalf("has(%d) = %v with %v", block, got, want)
			}
			if r.IntN(4) == 0 {
				f.drop(block)
				want.drop(block)
				continue
			}
			want.drop(block)
			want = append(want, block)
			out, pushed := f.touch(block)
			if pushed != (len(want) > most) || pushed && out != want[0] {
				t.Fatalf("use(%d) pushes out %d, %v with %v of %d", block, out, pushed, want, most)
			}
			if pushed {
				want = want[1:]
			}
		}
	}
	if f := newFrames(0); !f.has(3) {
		t.Error("a memory without limit has everything")
	}
}
