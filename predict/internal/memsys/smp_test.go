package memsys

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

func mustSMP(t testing.TB, c Config) *coherent {
	t.Helper()
	sys, err := SMP{}.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return sys.(*coherent)
}

func cost(latency, contention unit.Picos) touch.Cost {
	return touch.Cost{Latency: latency, Contention: contention}
}

// two is a machine of two direct-mapped caches of two lines.
var two = Config{Processors: 2, Caches: []Cache{{Size: 128, Line: 64, Ways: 1}},
	Memory: Memory{Latency: 100, Occupancy: 60, Invalidate: 20}}

// TestWorked follows accesses by hand: memory takes 100 ps and holds the bus for
// 60, an upgrade takes and holds it for 20.
func TestWorked(t *testing.T) {
	type access struct {
		now   unit.Picos
		p     trace.Proc
		line  uint64
		store bool
		want  touch.Cost
	}
	for _, c := range []struct {
		name     string
		accesses []access
		counts   [2]touch.Counts
		busy     unit.Picos
	}{
		{"a miss, then hits", []access{
			{0, 0, 5, false, cost(100, 0)},
			{100, 0, 5, false, touch.Cost{}},
		}, [2]touch.Counts{{Loads: 2, LoadMisses: touch.Misses{Cold: 1}}}, 60},

		{"two misses at once: the second waits until 60", []access{
			{0, 0, 0, false, cost(100, 0)},
			{0, 1, 1, false, cost(100, 60)},
			{130, 1, 3, false, cost(100, 0)}, // the bus is free from 120
		}, [2]touch.Counts{{Loads: 1, LoadMisses: touch.Misses{Cold: 1}}, {Loads: 2, LoadMisses: touch.Misses{Cold: 2}}}, 180},

		{"upgrade invalidates; the loser misses and the owner supplies", []access{
			{0, 0, 0, false, cost(100, 0)},
			{200, 1, 0, false, cost(100, 0)},
			{400, 0, 0, true, cost(20, 0)},
			{410, 1, 0, false, cost(100, 10)}, // the upgrade holds the bus until 420
			{600, 0, 0, false, touch.Cost{}},  // the owner kept it shared
			{600, 0, 0, true, cost(20, 0)},    // and must ask again to store
		}, [2]touch.Counts{{Loads: 2, Stores: 2, LoadMisses: touch.Misses{Cold: 1}, Upgrades: 2},
			{Loads: 2, LoadMisses: touch.Misses{Cold: 1, Coherence: 1}, CacheToCache: 1, Invalidations: 2}}, 60*3 + 20*2},

		{"a store miss takes the line from its owner", []access{
			{0, 0, 7, true, cost(100, 0)},
			{100, 1, 7, true, cost(100, 0)},
			{300, 0, 7, true, cost(100, 0)},
		}, [2]touch.Counts{{Stores: 2, StoreMisses: touch.Misses{Cold: 1, Coherence: 1}, CacheToCache: 1, Invalidations: 1},
			{Stores: 1, StoreMisses: touch.Misses{Cold: 1}, CacheToCache: 1, Invalidations: 1}}, 180},

		{"a dirty victim holds the bus after its miss and stalls only who needs it", []access{
			{0, 0, 0, true, cost(100, 0)},
			{100, 0, 2, false, cost(100, 0)},  // pushes 0 out: bus 100..160, written back 160..220
			{200, 0, 2, false, touch.Cost{}},  // needs no bus
			{205, 1, 1, false, cost(100, 15)}, // waits until 220
			{400, 0, 0, false, cost(100, 0)},  // line 2 was clean
		}, [2]touch.Counts{{Loads: 3, Stores: 1, LoadMisses: touch.Misses{Cold: 1, Replacement: 1}, StoreMisses: touch.Misses{Cold: 1}, WriteBacks: 1},
			{Loads: 1, LoadMisses: touch.Misses{Cold: 1}}}, 60 * 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustSMP(t, two)
			for i, a := range c.accesses {
				if got := s.Access(a.now, a.p, a.line, a.store); got != a.want {
					t.Errorf("access %d costs %+v, want %+v", i, got, a.want)
				}
			}
			for p := range trace.Proc(2) {
				if got := s.Counts(p); got != c.counts[p] {
					t.Errorf("processor %d\n got %+v\nwant %+v", p, got, c.counts[p])
				}
			}
			if got := s.SharedUsage().Busy; got != c.busy {
				t.Errorf("bus busy for %d ps, want %d", got, c.busy)
			}
		})
	}
}

// TestInvalidWayFirst: set 0 of a 2-way cache holds lines 0 and 2, 2 most
// recently used. After 2 is taken away, a new line goes to its way and 0 stays.
func TestInvalidWayFirst(t *testing.T) {
	s := mustSMP(t, Config{Processors: 2, Caches: []Cache{{Size: 256, Line: 64, Ways: 2}},
		Memory: Memory{Latency: 1}})
	s.Access(0, 0, 0, false)
	s.Access(1, 0, 2, false)
	s.Access(2, 1, 2, true)
	s.Access(3, 0, 4, false)
	if cost := s.Access(4, 0, 0, false); cost != (touch.Cost{}) {
		t.Errorf("line 0 was evicted while a way was invalid: %+v", cost)
	}
	if got := s.Counts(0); got.Misses() != 3 || got.Invalidations != 1 {
		t.Errorf("counts %+v", got)
	}
}

// TestLone: one processor has nobody to invalidate, and never waits unless for
// its own write-backs.
func TestLone(t *testing.T) {
	c := two
	c.Processors = 1
	s := mustSMP(t, c)
	var now, waited unit.Picos
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		cost := s.Access(now, 0, r.Uint64N(8), r.IntN(2) == 0)
		now += cost.Latency + cost.Contention + 1
		waited += cost.Contention
	}
	got := s.Counts(0)
	if got.Upgrades != 0 || got.CoherenceMisses() != 0 || got.CacheToCache != 0 || got.CoherenceShare() != 0 {
		t.Errorf("a lone processor has coherence traffic: %+v", got)
	}
	if most := unit.Picos(got.WriteBacks) * c.Memory.Occupancy; waited > most || waited == 0 {
		t.Errorf("waited %d ps, at most %d for its own write-backs", waited, most)
	}
}

// TestHugeCache: misses of caches that hold everything are distinct lines, but
// for lines that others store to.
func TestHugeCache(t *testing.T) {
	for _, ways := range []int{4, 16, 1 << 14} {
		t.Run(fmt.Sprint(ways), func(t *testing.T) { // the last has one set
			s := mustSMP(t, Config{Processors: 3, Caches: []Cache{{Size: 1 << 20, Line: 64, Ways: ways}},
				Memory: Memory{Latency: 1}})
			distinct := [3]map[uint64]bool{{}, {}, {}}
			r := rand.New(rand.NewPCG(2, 1))
			for range 20000 {
				p := r.IntN(3)
				line := uint64(p)<<40 + r.Uint64N(2000)
				distinct[p][line] = true
				s.Access(0, trace.Proc(p), line, r.IntN(2) == 0)
			}
			for p := range 3 {
				if got := s.Counts(trace.Proc(p)); got.Misses() != uint64(len(distinct[p])) || got.WriteBacks != 0 {
					t.Errorf("%d ways, processor %d: %d distinct lines, %+v", ways, p, len(distinct[p]), got)
				}
			}
			if got, want := s.SharedUsage().Lines, uint64(len(distinct[0])+len(distinct[1])+len(distinct[2])); got != want {
				t.Errorf("%d ways: %d lines in all, want %d", ways, got, want)
			}
		})
	}
}

// checkHits compares Hits with what the accesses then do: the rows it counts cost
// nothing, change no count but Loads and Stores, and announce nothing; the row
// after them does one of these.
func checkHits(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	cache := Cache{Line: 64, Ways: 1 + r.IntN(3)}
	cache.Size = cache.Line * unit.Bytes(cache.Ways) * 4
	c := Config{Processors: 1 + r.IntN(3), Caches: []Cache{cache}, Memory: Memory{Latency: 5, Occupancy: 5, Invalidate: 3},
		Protocol: coherence.Protocols[r.IntN(len(coherence.Protocols))]}
	s := mustSMP(t, c)
	for now := range unit.Picos(200) {
		s.Access(now, trace.Proc(r.IntN(c.Processors)), r.Uint64N(20), r.IntN(2) == 0)
	}
	var b trace.Refs
	for range 40 {
		b.Append(1, r.Uint64N(20*64), uint16(1+r.IntN(80)), trace.Op(1+r.IntN(len(trace.Ops))))
	}
	rows, touches := s.Lookahead(0, &b, 3, 40)
	announced := false
	s.OnInvalidate(func(trace.Proc, touch.Invalidation) { announced = true })
	for i := 3; i <= 3+rows && i < 40; i++ {
		before := s.Counts(0)
		var cost touch.Cost
		if b.Op[i].Data() {
			for l := b.Addr[i] / 64; l <= (b.Addr[i]+uint64(b.Size[i])-1)/64; l++ {
				got := s.Access(1000, 0, l, b.Op[i] == trace.Store)
				cost.Latency += got.Latency
			}
		}
		after := s.Counts(0)
		if i < 3+rows {
			touches -= after.Touches() - before.Touches()
		}
		silent := (c.Processors == 1 || c.Protocol.Exclusive) && b.Op[i] == trace.Store // a store that asks nobody all the same
		quiet := isPrivate(b.Op[i]) && cost == touch.Cost{} && !announced && after.Transactions() == before.Transactions()
		if quiet != (i < 3+rows) && !silent {
			t.Fatalf("seed %d: row %d of %d hits: quiet %v", seed, i-3, rows, quiet)
		}
	}
	if touches != 0 {
		t.Fatalf("seed %d: touches are off by %d", seed, touches)
	}
}

func TestHits(t *testing.T) {
	for seed := range uint64(500) {
		checkHits(t, seed)
	}
}

func TestConfigErrors(t *testing.T) {
	good := two
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Processors = 0 }, "0 processors"},
		{func(c *Config) { c.Processors = 1 << 20 }, "processors"},
		{func(c *Config) { c.Caches[0].Line = 48 }, "power of two"},
		{func(c *Config) { c.Caches[0].Line = 2 }, "power of two"},
		{func(c *Config) { c.Caches[0].Ways = 0 }, "ways"},
		{func(c *Config) { c.Caches[0].Ways = 3 }, "multiple"},
		{func(c *Config) { c.Caches[0].Size = 100 }, "multiple"},
		{func(c *Config) { c.Caches[0].Size = 0 }, "multiple"},
		{func(c *Config) { c.Caches[0].Size = 192 }, "3 sets"},
		{func(c *Config) { c.Caches[0].Size = 1 << 50 }, "can be simulated"},
		{func(c *Config) { c.Caches = nil }, "no caches"},
		{func(c *Config) { c.Caches = append(c.Caches, Cache{Size: 256, Line: 128, Ways: 1}) }, "the same line size"},
		{func(c *Config) { c.Memory.Latency = -1 }, "latency"},
		{func(c *Config) { c.Memory.Occupancy = math.MaxInt64 }, "occupancy"},
		{func(c *Config) { c.Memory.Invalidate = -5 }, "invalidate"},
	} {
		t.Run(c.want, func(t *testing.T) {
			bad := good
			bad.Caches = slices.Clone(good.Caches)
			c.change(&bad)
			for _, target := range All {
				if target.Name() == (LogP{}).Name() || target.Name() == (PRAM{}).Name() {
					continue // has no caches
				}
				if _, err := target.New(bad); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s of %+v: error %v, want one about %q", target.Name(), bad, err, c.want)
				}
			}
		})
	}
}

func Example() {
	sys, err := SMP{}.New(Config{Processors: 2, Caches: []Cache{{Size: 256 << 10, Line: 64, Ways: 2}},
		Memory: Memory{Latency: 250_000, Occupancy: 250_000, Invalidate: 15_000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	const line = 42
	fmt.Println(sys.Access(0, 0, line, false))       // a cold miss on an idle bus
	fmt.Println(sys.Access(100_000, 1, line, false)) // waits for the bus first
	fmt.Println(sys.Access(600_000, 0, line, true))  // takes the line from processor 1
	fmt.Println(sys.Counts(1).Invalidations)
	// Output:
	// {250ns 0s false}
	// {250ns 150ns false}
	// {15ns 0s false}
	// 1
}
