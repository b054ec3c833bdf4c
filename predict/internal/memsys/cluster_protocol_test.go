package memsys

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/predict/internal/memsys/coherence"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// place is where the data of a line may be.
type place struct {
	kind string // cache, memory or disk
	id   int    // processor or node
	line uint64
}

// datum follows data through a cluster: which places have what the last store to the line wrote. It is told the states
// before and after each access, and moves the data as the states say.
type datum map[place]bool

// snapshot is the states of a cluster: lines by processor, and blocks.
type snapshot struct {
	lines  map[uint64][]uint8
	blocks map[uint64]block
	frames [][]uint64 // of each node
}

func snap(s *coherent, lines int) snapshot {
	c := s.interconnect.(*clusterInterconnect)
	out := snapshot{map[uint64][]uint8{}, map[uint64]block{}, nil}
	for line := range uint64(lines) {
		out.lines[line] = make([]uint8, len(s.private))
		for q, state := range s.lines.Get(line) {
			if coherence.Valid(state) { // why it is not is for counts alone
				out.lines[line][q] = state
			}
		}
		number := line >> c.shift
		if i, ok := c.blocks.at[number]; ok {
			b := c.blocks.all[i]
			b.sharers = slices.Clone(b.sharers)
			out.blocks[number] = b
		} else {
			out.blocks[number] = block{home: noNode, owner: noNode}
		}
	}
	for n := range c.memory {
		var list []uint64
		for number := range (uint64(lines)-1)>>c.shift + 1 {
			if c.memory[n].frames.has(number) {
				list = append(list, number)
			}
		}
		out.frames = append(out.frames, list)
	}
	return out
}

// inMemory reports whether a home's block is in its memory.
func (s snapshot) inMemory(n int, number uint64) bool {
	return slices.Contains(s.frames[n], number)
}

// explorer performs accesses on a cluster and follows their data.
type explorer struct {
	t     *testing.T
	s     *coherent
	c     *clusterInterconnect
	lines int
	data  datum
}

func newExplorer(t *testing.T, cfg Config, lines int) *explorer {
	s := mustCluster(t, cfg)
	return &explorer{t, s, s.interconnect.(*clusterInterconnect), lines, datum{}}
}

func (e *explorer) node(p int) int { return p / e.c.PerNode }

// access performs o, moves the data and checks that o and all copies are current.
func (e *explorer) access(o operation) {
	number := o.line >> e.c.shift
	old := snap(e.s, e.lines)
	e.s.Access(0, o.p, o.line, o.store)
	now := snap(e.s, e.lines)
	n := e.node(int(o.p))
	if old.blocks[number].home == noNode { // the program's data are in its home's memory
		for line := number << e.c.shift; line < (number+1)<<e.c.shift; line++ {
			e.data[place{"memory", now.blocks[number].home, line}] = true
		}
	}
	for line := range uint64(e.lines) {
		e.leave(o, line, old, now)
	}
	// What o wants comes over the network.
	was, is := old.blocks[number], now.blocks[number]
	if was.home != noNode {
		for line := number << e.c.shift; line < (number+1)<<e.c.shift; line++ {
			if was.owner != noNode && was.owner != is.owner {
				e.data[place{"memory", was.home, line}] = e.data[place{"memory", was.owner, line}]
			} else if !old.inMemory(was.home, number) && is.home != noNode && was.owner == noNode && now.inMemory(was.home, number) {
				e.data[place{"memory", was.home, line}] = e.data[place{"disk", was.home, line}]
			}
		}
	}
	if n != is.home && !(was.home != noNode && was.allows(n, false)) {
		for line := number << e.c.shift; line < (number+1)<<e.c.shift; line++ {
			e.data[place{"memory", n, line}] = e.data[place{"memory", is.home, line}]
		}
	}
	mine := place{"cache", int(o.p), o.line}
	if !coherence.Valid(old.lines[o.line][o.p]) {
		e.data[mine] = e.data[place{"memory", n, o.line}]
		for q, state := range old.lines[o.line] {
			if e.node(q) == n && coherence.Dirty(state) {
				e.data[mine] = e.data[place{"cache", q, o.line}]
			}
		}
	}
	if !e.data[mine] {
		e.t.Fatalf("%s: %+v uses stale data\nfrom %+v\nto   %+v", e.s.protocol.Name, o, old, now)
	}
	if o.store {
		for at := range e.data {
			if at.line == o.line {
				delete(e.data, at)
			}
		}
		e.data[mine] = true
	}
	for at, current := range e.data { // what is not there has no age
		gone := at.kind == "cache" && !coherence.Valid(now.lines[at.line][at.id])
		if b := now.blocks[at.line>>e.c.shift]; at.kind == "memory" {
			gone = b.home == at.id && !now.inMemory(at.id, at.line>>e.c.shift) || b.home != at.id && !b.allows(at.id, false)
		}
		if gone || !current {
			delete(e.data, at)
		}
	}
	e.check(o, now)
}

// leave moves the data of a line that are pushed out, written back or cleaned by o, before o gets what it wants.
func (e *explorer) leave(o operation, line uint64, old, now snapshot) {
	for q, state := range old.lines[line] {
		if coherence.Dirty(state) && !(coherence.Dirty(now.lines[line][q])) && !(line == o.line && o.store && e.node(q) == e.node(int(o.p))) {
			e.data[place{"memory", e.node(q), line}] = e.data[place{"cache", q, line}]
		}
	}
	number := line >> e.c.shift
	was, is := old.blocks[number], now.blocks[number]
	if was.home == noNode || number == o.line>>e.c.shift {
		return
	}
	memory := func(n int) place { return place{"memory", n, line} }
	disk := place{"disk", was.home, line}
	if was.owner != noNode && is.owner == noNode { // written back
		to := memory(was.home)
		if !now.inMemory(was.home, number) {
			to = disk
		}
		e.data[to] = e.data[memory(was.owner)]
	}
	if was.owner == noNode && old.inMemory(was.home, number) && !now.inMemory(was.home, number) && was.dirty {
		e.data[disk] = e.data[memory(was.home)]
	}
}

// check holds a state to the invariants: of nodes, one that may store to a block is the only one that may load it;
// caches have lines of blocks that their node may load, and exclusive, modified and owned ones of blocks that it may store to; within a
// node an exclusive or modified line is the only copy and there is one owner at most; and where a node may load a block, each
// line is current in one of its caches that owns it, or in its memory, or on its disk.
func (e *explorer) check(o operation, now snapshot) {
	for line := range uint64(e.lines) {
		b := now.blocks[line>>e.c.shift]
		if b.home == noNode {
			continue
		}
		loaders, storers := 0, 0
		for n := range e.c.memory {
			if b.allows(n, true) {
				storers++
			}
			if !b.allows(n, false) {
				continue
			}
			loaders++
			e.current(n, line, now)
		}
		if loaders == 0 || storers > 1 || storers == 1 && loaders > 1 {
			e.t.Fatalf("after %+v: %d nodes may load and %d may store block %+v", o, loaders, storers, b)
		}
		alone, copies, owners := 0, 0, 0
		for q, state := range now.lines[line] {
			checkRights(e.t, e.s, q, line, state)
			if !coherence.Valid(state) {
				continue
			}
			copies++
			if state == coherence.Exclusive || state == coherence.Modified {
				alone++
			}
			if coherence.Dirty(state) {
				owners++
			}
			if !b.allows(e.node(q), state != coherence.Shared) {
				e.t.Fatalf("after %+v: processor %d has line %d in state %d, of block %+v", o, q, line, state, b)
			}
			if !e.data[place{"cache", q, line}] {
				e.t.Fatalf("after %+v: the copy of line %d in cache %d is stale", o, line, q)
			}
		}
		if alone > 1 || alone == 1 && copies > 1 || owners > 1 {
			e.t.Fatalf("after %+v: states %v of line %d", o, now.lines[line], line)
		}
	}
}

// current holds node n, which may load the line, to having it current.
func (e *explorer) current(n int, line uint64, now snapshot) {
	at := place{"memory", n, line}
	if !now.inMemory(n, line>>e.c.shift) {
		at.kind = "disk"
	}
	ok := e.data[at]
	for q, state := range now.lines[line] {
		ok = ok || e.node(q) == n && coherence.Dirty(state)
	}
	if !ok {
		e.t.Fatalf("node %d may load line %d, and has it nowhere: %v, states %+v", n, line, e.data, now)
	}
}

// key tells states apart.
func (e *explorer) key() string {
	key := fmt.Sprint(snap(e.s, e.lines), e.data)
	for _, p := range e.s.private {
		for _, l := range p.levels {
			key += fmt.Sprint(l.Words)
		}
	}
	return key
}

// exploreCluster visits every state that a cluster reaches.
func exploreCluster(t *testing.T, cfg Config, lines int) int {
	seen := map[string]bool{}
	todo := [][]operation{nil}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		for p := range trace.Proc(cfg.Processors) {
			for k := range 2 * lines {
				next := append(path[:len(path):len(path)], operation{p, uint64(k / 2), k%2 == 1})
				e := newExplorer(t, cfg, lines)
				for _, o := range next {
					e.access(o)
				}
				if key := e.key(); !seen[key] {
					seen[key] = true
					todo = append(todo, next)
				}
			}
		}
	}
	return len(seen)
}

// TestBlockProtocol explores all states of clusters: a single writer, and no use of stale data, of lines and blocks.
func TestBlockProtocol(t *testing.T) {
	for _, c := range []struct {
		name            string
		nodes, perNode  int
		lines, perBlock int
		blocks          int // that fit into memory, 0 for all
	}{
		{"one block of two lines", 2, 1, 2, 2, 0},
		{"one block of two lines, three nodes", 3, 1, 2, 2, 0},
		{"one block of two lines, two processors in each node", 2, 2, 2, 2, 0},
		{"memories of one block", 2, 1, 2, 1, 1},
		{"memories of one block, two processors in each node", 2, 2, 2, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.nodes*c.perNode > 2 {
				t.Skip("explores many states")
			}
			for _, pr := range coherence.Protocols {
				if c.blocks > 0 && pr.Exclusive != pr.Owned { // the simplest and the one with all states are enough
					continue
				}
				cfg := whole(Config{Processors: c.nodes * c.perNode, PerNode: c.perNode, Protocol: pr, Caches: []Cache{{Size: 32, Line: 16, Ways: 1}}})
				cfg.Block *= unit.Bytes(c.perBlock)
				cfg.Placement.Page = cfg.Block
				if c.blocks > 0 {
					cfg = withDisk(cfg, unit.Bytes(c.blocks))
				}
				t.Logf("%s, %s: %d states", c.name, pr.Name, exploreCluster(t, cfg, c.lines))
			}
		})
	}
}

// TestBlocksThatComeAndGo follows the data on long ways through more states than can all be visited.
func TestBlocksThatComeAndGo(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 10))
		perNode, perBlock := 1+r.IntN(2), 1+r.IntN(2)
		cfg := whole(Config{Processors: (2 + r.IntN(3)) * perNode, PerNode: perNode, Caches: []Cache{{Size: 32, Line: 16, Ways: 1}}})
		cfg.Protocol = coherence.Protocols[r.IntN(len(coherence.Protocols))]
		cfg.Block *= unit.Bytes(perBlock)
		cfg.Placement.Page = cfg.Block
		const lines = 8
		e := newExplorer(t, withDisk(cfg, unit.Bytes(1+r.IntN(lines/perBlock))), lines)
		for range 200 {
			e.access(operation{trace.Proc(r.IntN(cfg.Processors)), r.Uint64N(lines), r.IntN(3) == 0})
		}
	}
}
