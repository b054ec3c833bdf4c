package memsys

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// naive is the definition of an SMP: lists of lines and letters for states, searched.
type naive struct {
	cfg    Config
	caches [][][]uint64 // by processor and level: the lines, most recently used first
	last   []uint64     // the shared cache
	dirty  map[uint64]bool
	state  []map[uint64]string // by processor: I, S, E, M, O, or why the line is gone
	counts []touch.Counts
	free   unit.Picos
}

func newNaive(c Config) *naive {
	n := &naive{cfg: c, dirty: map[uint64]bool{}, counts: make([]touch.Counts, c.Processors)}
	for range c.Processors {
		n.caches = append(n.caches, make([][]uint64, len(c.Caches)))
		n.state = append(n.state, map[uint64]string{})
	}
	return n
}

// use makes a line the most recently used of a cache and returns what that pushes out.
func use(list []uint64, line uint64, c Cache) (_ []uint64, old uint64, pushed bool) {
	if i := slices.Index(list, line); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	list = slices.Insert(list, 0, line)
	same, last := 0, 0
	for i, l := range list {
		if l%uint64(c.Sets()) == line%uint64(c.Sets()) {
			same, last = same+1, i
		}
	}
	if same <= c.Ways {
		return list, 0, false
	}
	old = list[last]
	return slices.Delete(list, last, last+1), old, true
}

func (n *naive) bus(now, held, takes unit.Picos) touch.Cost {
	start := max(now, n.free)
	n.free = start + held
	return touch.Cost{Latency: takes, Contention: start - now}
}

func (n *naive) access(now unit.Picos, p int, line uint64, store bool) touch.Cost {
	counts := &n.counts[p]
	if store {
		counts.Stores++
	} else {
		counts.Loads++
	}
	mine := n.state[p][line]
	wait, found := unit.Picos(0), -1
	for k, c := range n.caches[p] {
		if k > 0 {
			wait += n.cfg.Caches[k].Latency
		}
		if slices.Contains(c, line) {
			found = k
			break
		}
	}
	if found > 0 {
		counts.InnerHits++
	}
	if found >= 0 {
		for k := range found + 1 {
			n.caches[p][k], _, _ = use(n.caches[p][k], line, n.cfg.Caches[k])
		}
		if store && mine == "E" {
			n.state[p][line], mine = "M", "M"
		}
		if !store || mine == "M" {
			return touch.Cost{Latency: wait}
		}
	}
	supplier := n.others(p, line, store)
	switch {
	case found >= 0:
		n.state[p][line] = "M"
		return n.upgrade(now+wait, p, wait)
	case store:
		*why(&counts.StoreMisses, mine)++
		n.state[p][line] = "M"
	default:
		*why(&counts.LoadMisses, mine)++
		n.state[p][line] = "S"
		if n.cfg.Protocol.Exclusive && n.alone(p, line) {
			n.state[p][line] = "E"
		}
	}
	if supplier == "M" || supplier == "O" {
		counts.CacheToCache++
	}
	cost := n.fetch(now+wait, p, line, store, supplier)
	cost.Latency += wait
	n.insert(now+wait, p, line)
	return cost
}

func why(m *touch.Misses, state string) *uint64 {
	switch state {
	case "":
		return &m.Cold
	case "taken":
		return &m.Coherence
	default:
		return &m.Replacement
	}
}

func (n *naive) alone(p int, line uint64) bool {
	for q := range n.state {
		if q != p && len(n.state[q][line]) == 1 {
			return false
		}
	}
	return true
}

// others changes the states of all but p, and returns that of who had more than a shared copy.
func (n *naive) others(p int, line uint64, store bool) (supplier string) {
	for q := range n.state {
		s := n.state[q][line]
		if q == p || len(s) != 1 {
			continue
		}
		if s != "S" {
			supplier = s
		}
		if store {
			n.state[q][line] = "taken"
			n.counts[q].Invalidations++
			n.remove(q, line)
		} else if s == "M" && n.cfg.Protocol.Owned {
			n.state[q][line] = "O"
		} else if s == "M" || s == "E" {
			n.state[q][line] = "S"
		}
	}
	return supplier
}

func (n *naive) remove(q int, line uint64) {
	for k := range n.caches[q] {
		n.caches[q][k] = slices.DeleteFunc(n.caches[q][k], func(l uint64) bool { return l == line })
	}
}

func (n *naive) upgrade(now unit.Picos, p int, wait unit.Picos) (cost touch.Cost) {
	if n.cfg.Processors > 1 {
		n.counts[p].Upgrades++
		cost = touch.Cost{Latency: n.cfg.Memory.Invalidate}
		if n.cfg.Shared == nil {
			cost = n.bus(now, n.cfg.Memory.Invalidate, n.cfg.Memory.Invalidate)
		}
	}
	cost.Latency += wait
	return cost
}

func (n *naive) fetch(now unit.Picos, p int, line uint64, store bool, supplier string) touch.Cost {
	m := n.cfg.Memory
	if n.cfg.Shared == nil {
		return n.bus(now, m.Occupancy, m.Latency)
	}
	lookup := n.cfg.Shared.Latency
	switch {
	case supplier == "M" || supplier == "O":
		if !store && !n.cfg.Protocol.Owned {
			n.shared(now+lookup, line, true)
		}
	case slices.Contains(n.last, line):
		n.shared(now+lookup, line, n.dirty[line])
	default:
		cost := n.bus(now+lookup, m.Occupancy, m.Latency)
		cost.Latency += lookup
		n.shared(now+lookup, line, false)
		return cost
	}
	n.counts[p].SharedHits++
	return touch.Cost{Latency: lookup}
}

// shared uses a line in the shared cache.
func (n *naive) shared(now unit.Picos, line uint64, dirty bool) {
	list, old, pushed := use(n.last, line, *n.cfg.Shared)
	n.last, n.dirty[line] = list, dirty
	if pushed && n.dirty[old] {
		n.bus(now, n.cfg.Memory.Occupancy, 0)
	}
}

func (n *naive) insert(now unit.Picos, p int, line uint64) {
	for k := len(n.cfg.Caches) - 1; k >= 0; k-- {
		list, old, pushed := use(n.caches[p][k], line, n.cfg.Caches[k])
		n.caches[p][k] = list
		if !pushed || k < len(n.cfg.Caches)-1 {
			continue
		}
		s := n.state[p][old]
		n.state[p][old] = "evicted"
		n.remove(p, old)
		if s != "M" && s != "O" {
			continue
		}
		n.counts[p].WriteBacks++
		if n.cfg.Shared != nil {
			defer n.shared(now+n.cfg.Shared.Latency, old, true)
		} else {
			n.free += n.cfg.Memory.Occupancy
		}
	}
}

// randomMachine is a small machine of one to three private levels, with a shared one or without, and any protocol.
func randomMachine(r *rand.Rand) Config {
	c := Config{Processors: 1 + r.IntN(4), Protocol: coherence.Protocols[r.IntN(len(coherence.Protocols))],
		Memory: Memory{Latency: unit.Picos(r.IntN(50)), Occupancy: unit.Picos(r.IntN(30)), Invalidate: unit.Picos(r.IntN(20))}}
	cache := func() Cache {
		c := Cache{Line: 64, Ways: 1 + r.IntN(3), Latency: unit.Picos(r.IntN(9))}
		c.Size = c.Line * unit.Bytes(c.Ways) << r.IntN(3)
		return c
	}
	for range 1 + r.IntN(3) {
		c.Caches = append(c.Caches, cache())
	}
	if r.IntN(2) == 0 {
		shared := cache()
		c.Shared = &shared
	}
	return c
}

func checkNaive(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	c := randomMachine(r)
	s, n := mustSMP(t, c), newNaive(c)
	now := unit.Picos(0)
	for i := range 300 {
		now += unit.Picos(r.IntN(20))
		p, line, store := r.IntN(c.Processors), r.Uint64N(24), r.IntN(3) == 0
		got, want := s.Access(now, trace.Proc(p), line, store), n.access(now, p, line, store)
		if got != want {
			t.Fatalf("seed %d, access %d: processor %d, line %d, store %v costs %+v, want %+v", seed, i, p, line, store, got, want)
		}
	}
	for p := range c.Processors {
		if got := s.Counts(trace.Proc(p)); got != n.counts[p] {
			t.Fatalf("seed %d: processor %d\n got %+v\nwant %+v", seed, p, got, n.counts[p])
		}
	}
	if got, want := fmt.Sprint(s.SharedUsage().End), fmt.Sprint(n.free); got != want {
		t.Fatalf("seed %d: bus free at %s, want %s", seed, got, want)
	}
}

func TestSMPIsNaive(t *testing.T) {
	for seed := range testsize.Cases[uint64](3000, 400) {
		checkNaive(t, seed)
	}
}

func FuzzSMPIsNaive(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkNaive)
}
