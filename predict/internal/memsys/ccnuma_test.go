package memsys

import (
	"math"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// four is four nodes of one processor and two lines of cache each, line i at home in node i mod 4, on a full network: a message
// takes 8 ps without data and 40 with a line, a look into the directory 5, the memory 100, for 60 of which it is held.
func four(t *testing.T) Config {
	t.Helper()
	c := Config{Processors: 4, PerNode: 1, Caches: []Cache{{Size: 128, Line: 64, Ways: 1}}, Memory: Memory{Latency: 100, Occupancy: 60},
		Messages: machine.Messages{Control: 8, Data: 40}, Placement: numa.Placement{Policy: machine.Interleaved, Page: 64}, Directory: Directory{LookUp: 5, Trap: 200}}
	net, err := network.Wormhole("full").New(network.Config{Nodes: 4, Bandwidth: 1e12, Efficiency: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.Net = net
	return c
}

// worked is one access and what it costs.
type worked struct {
	now   unit.Picos
	p     trace.Proc
	line  uint64
	store bool
	want  touch.Cost
}

func follows(t *testing.T, name string, target Target, c Config, accesses ...worked) touch.System {
	t.Helper()
	sys, err := target.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range accesses {
		if got := sys.Access(a.now, a.p, a.line, a.store); got != a.want {
			t.Errorf("%s: %s: access %d costs %+v, want %+v", target.Name(), name, i, got, a.want)
		}
	}
	return sys
}

// TestCCNUMAWorked follows transactions of the berkeley protocol by hand.
func TestCCNUMAWorked(t *testing.T) {
	const load, store = false, true
	remote := 8 + 5 + 100 + 40 // request, look, memory, data
	first := func(now unit.Picos, p trace.Proc, how bool) worked {
		return worked{now, p, 0, how, cost(unit.Picos(remote), 0)}
	}
	for _, c := range []struct {
		name     string
		accesses []worked
	}{
		{"at home", []worked{{0, 0, 0, load, cost(5+100, 0)}, {500, 0, 0, store, cost(5, 0)}, {600, 0, 0, store, touch.Cost{}}}},
		{"clean remote miss", []worked{first(0, 1, load)}},
		{"alone: the home permits at once", []worked{first(0, 1, load), {500, 1, 0, store, cost(8+5+8, 0)}}},
		{"dirty at a third node, which stays the owner", []worked{first(0, 1, store),
			{500, 2, 0, load, cost(8+5+8+40, 0)}, {1000, 3, 0, load, cost(8+5+8+40, 0)},
			{1500, 0, 0, load, cost(5+8+40, 0)}}}, // no message to the home
		{"dirty at home: the request is all that goes there", []worked{{0, 0, 0, store, cost(5+100, 0)}, {500, 1, 0, load, cost(8+5+40, 0)}}},
		{"upgrade with two sharers: told at once, they acknowledge to the requester", []worked{first(0, 1, load), first(500, 2, load), first(1000, 3, load),
			{1500, 1, 0, store, cost(8+5+8+8, 0)}, {2000, 2, 0, load, cost(8+5+8+40, 0)}}},
		{"a store miss waits for the data and for acknowledgements", []worked{first(0, 1, load), first(500, 2, load),
			{1000, 3, 0, store, cost(8+5+100+40, 0)}}}, // 8+5+8+8 for the acknowledgements
		{"two loads: the memory is held for 5+60 from 8 on, from 73 for the second", []worked{first(0, 1, load), {0, 2, 0, load, cost(153, 65)}}},
		{"a race of two stores: the second waits at home from 8 until the first has the line at 153", []worked{first(0, 1, store),
			{0, 2, 0, store, cost(8+5+8+40, 145)}}},
		{"a line on its way to memory: stored at 1000+40+60, asked for at 1008", []worked{first(0, 1, store),
			{1000, 1, 2, load, cost(153, 0)}, {1000, 3, 0, load, cost(153, 92)}}},
		{"memory that stores a line: from 1040 to 1100", []worked{first(0, 1, store),
			{1000, 1, 2, load, cost(153, 0)}, {1050, 0, 4, load, cost(105, 50)}}},
		{"a copy that left silently is told in vain", []worked{first(0, 1, load), {500, 1, 2, load, cost(153, 0)}, first(1000, 2, load),
			{1500, 2, 0, store, cost(8+5+8+8, 0)}, {2000, 2, 2, load, cost(105, 0)}, {2500, 2, 0, store, cost(153, 0)}, {3000, 2, 0, store, touch.Cost{}}}},
	} {
		follows(t, c.name, CCNUMA{}, four(t), c.accesses...)
	}
}

// TestDirectoriesWorked: what directories that know less take away.
func TestDirectoriesWorked(t *testing.T) {
	one := func(o machine.Overflow) Config {
		c := four(t)
		c.Directory.Kind, c.Directory.Pointers, c.Directory.Overflow = machine.LimitedPointers, 1, o
		return c
	}
	follows(t, "everybody is told", CCNUMA{}, one(machine.Broadcast), worked{0, 1, 0, false, cost(153, 0)}, worked{500, 2, 0, false, cost(153, 0)},
		worked{1000, 2, 0, true, cost(8+5+8+8, 0)}, worked{1500, 1, 0, false, cost(8+5+8+40, 0)})
	sys := follows(t, "the first loses its copy", CCNUMA{}, one(machine.NoBroadcast), worked{0, 1, 0, false, cost(153, 0)}, worked{500, 2, 0, false, cost(153, 0)},
		worked{1000, 1, 0, false, cost(153, 0)})
	if got := sys.Counts(1); got.Invalidations != 1 || got.LoadMisses.Coherence != 1 {
		t.Errorf("counts %+v", got)
	}
	c := four(t)
	c.Directory.Kind, c.Directory.Entries, c.Directory.Ways = machine.Sparse, 1, 1
	sys = follows(t, "an entry for line 4 ends that of line 0: told, written back, stored, and only then answered", CCNUMA{}, c,
		worked{0, 1, 0, true, cost(153, 0)}, worked{500, 2, 4, false, cost(8+(5+8+40+60)+5+100+40, 0)})
	if got := sys.Counts(1); got.Invalidations != 1 || got.WriteBacks != 1 {
		t.Errorf("counts %+v", got)
	}
}

// TestAbstractionsWorked: the same on targets that leave more out.
func TestAbstractionsWorked(t *testing.T) {
	follows(t, "coherence is free", CLogP{}, four(t), worked{0, 0, 0, false, cost(100, 0)}, worked{0, 1, 0, false, cost(8+100+40, 0)},
		worked{500, 1, 0, true, touch.Cost{}}, worked{1000, 0, 0, false, cost(8+40, 0)}, worked{1500, 2, 0, false, cost(8+40, 0)})
	c := four(t)
	c.Caches, c.Placement.Page = nil, 64 // lines of 32 bytes, two in each page
	sys := follows(t, "every remote reference", LogP{}, c, worked{0, 0, 1, false, touch.Cost{}}, worked{0, 1, 1, false, cost(48, 0)}, worked{500, 1, 1, false, cost(48, 0)},
		worked{1000, 0, 3, true, cost(48, 0)}, worked{1000, 0, 9, false, touch.Cost{}})
	if got := sys.Counts(1); got != (touch.Counts{Loads: 2, RemoteFetches: 2}) {
		t.Errorf("counts %+v", got)
	}
}

// TestDir1SWWorked: hardware answers 153; software takes 200, and its home has all answers before it answers.
func TestDir1SWWorked(t *testing.T) {
	follows(t, "the counter will do", Dir1SW{}, four(t), worked{0, 1, 0, false, cost(153, 0)}, worked{500, 2, 0, false, cost(153, 0)})
	follows(t, "the only copy", Dir1SW{}, four(t), worked{0, 1, 0, false, cost(153, 0)}, worked{500, 1, 0, true, cost(8+5+8, 0)})
	follows(t, "the pointer's has it", Dir1SW{}, four(t), worked{0, 1, 0, true, cost(153, 0)}, worked{500, 2, 0, false, cost(8+200+8+40+40, 0)},
		worked{1000, 3, 0, false, cost(153, 0)})
	follows(t, "one other has it, nobody knows who", Dir1SW{}, four(t), worked{0, 1, 0, false, cost(153, 0)}, worked{500, 2, 0, false, cost(153, 0)},
		worked{1000, 2, 0, true, cost(8+200+8+8+8, 0)}, worked{2000, 1, 2, false, cost(153, 0)})
	c := four(t)
	c.TLB = &TLB{Entries: 1, Ways: 1, Page: 128, Latency: 30}
	sys := follows(t, "pages", Dir1SW{}, c, worked{0, 0, 0, false, cost(30+105, 0)}, worked{500, 0, 1, false, cost(153, 0)}, worked{1000, 0, 0, false, touch.Cost{}},
		worked{1500, 0, 4, true, cost(30+105, 0)}, worked{2000, 0, 1, false, cost(30, 0)})
	if got := sys.Counts(0).TLBMisses; got != 3 {
		t.Errorf("%d misses of the TLB, want 3", got)
	}
}

// TestNodesOfTwo: what is within a node needs no message.
func TestNodesOfTwo(t *testing.T) {
	c := four(t)
	c.PerNode = 2
	sys := follows(t, "two in a node", CCNUMA{}, c, worked{0, 0, 0, false, cost(105, 0)}, worked{500, 1, 0, false, cost(105, 0)}, worked{1000, 1, 0, true, cost(5, 0)},
		worked{1500, 0, 0, false, cost(5, 0)})
	if got := sys.SharedUsage().Messages; got != 0 {
		t.Errorf("%d messages", got)
	}
}

func TestNodeErrors(t *testing.T) {
	for _, c := range []struct {
		target Target
		change func(*Config)
		want   string
	}{
		{CCNUMA{}, func(c *Config) { c.Net = nil }, "4 nodes but no network"},
		{CCNUMA{}, func(c *Config) { c.Placement.Page = 48 }, "the page size is 48B"},
		{CCNUMA{}, func(c *Config) { c.Directory.Kind = "chained" }, `unknown directory "chained"`},
		{CCNUMA{}, func(c *Config) { c.Directory.Kind = machine.LimitedPointers }, "0 pointers"},
		{CCNUMA{}, func(c *Config) { c.Directory = Directory{Kind: machine.Sparse, Entries: 6, Ways: 2} }, "the number of sets must be a power of two"},
		{CCNUMA{}, func(c *Config) { c.Directory = Directory{Kind: machine.Sparse, Entries: 1 << 30, Ways: 1} }, "can be simulated"},
		{CCNUMA{}, func(c *Config) { c.Directory.LookUp = -1 }, "directory latency"},
		{Dir1SW{}, func(c *Config) { c.Directory.Trap = math.MaxInt64 }, "trap"},
		{Dir1SW{}, func(c *Config) { c.Protocol = coherence.Protocols[3] }, "target dir1sw needs protocol msi"},
		{Dir1SW{}, func(c *Config) { c.TLB = &TLB{Entries: 3, Ways: 1, Page: 4096} }, "the number of sets must be a power of two"},
		{Dir1SW{}, func(c *Config) { c.TLB = &TLB{Entries: 4, Ways: 4, Page: 32} }, "at least the line"},
		{Dir1SW{}, func(c *Config) { c.TLB = &TLB{Entries: 1 << 30, Ways: 1, Page: 4096} }, "can be simulated"},
		{LogP{}, func(*Config) {}, "use target clogp"},
		{LogP{}, func(c *Config) { c.Caches, c.Messages.Data = nil, 2 }, "at least 4B"},
		{CLogP{}, func(c *Config) { c.Caches = nil }, "no caches"},
	} {
		t.Run(c.want, func(t *testing.T) {
			cfg := four(t)
			c.change(&cfg)
			if _, err := c.target.New(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want one about %q", c.target.Name(), err, c.want)
			}
		})
	}
}

// TestHitsOfPages: a line in the cache is no hit if its page is not in the TLB.
func TestHitsOfPages(t *testing.T) {
	c := four(t)
	c.Caches[0].Ways, c.TLB = 2, &TLB{Entries: 1, Ways: 1, Page: 64, Latency: 30}
	sys := follows(t, "two pages", Dir1SW{}, c, worked{0, 0, 0, false, cost(30+105, 0)}, worked{500, 0, 4, false, cost(30+105, 0)})
	var b trace.Refs
	for _, addr := range []uint64{4 * 64, 4*64 + 8, 0} {
		b.Append(1, addr, 8, trace.Load)
	}
	if rows, touches := sys.Lookahead(0, &b, 0, 3); rows != 2 || touches != 2 {
		t.Errorf("%d rows of %d touches, want 2 of 2", rows, touches)
	}
}
