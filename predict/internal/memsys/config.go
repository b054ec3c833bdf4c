package memsys

import (
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/layer"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Config is the input of targets: the machine, and what they need of the program.
type Config struct {
	Processors int     // that take part: idle ones have nothing in their caches
	Caches     []Cache // private levels of each processor, nearest first, all of one line size
	Shared     *Cache  // last level, one for all processors; nil: none
	Memory     Memory
	Protocol   coherence.Protocol // coherence protocol; zero: that of the target's paper

	Homes      *trace.HomeMap   // homes of the program's arrays, for distributed memory; nil: not given
	PerNode    int              // processors of each node
	Slots      []trace.Proc     // where the program's processors are among Processors; nil: in order
	Ranks      []int            // processors of each node, with Slots
	OtherNodes []Node           // of a cluster, in place of the last nodes; all processors take part then
	Placement  numa.Placement   // of pages whose home is not given
	Machine    *machine.Machine // for keys that only some targets need

	Net       network.Network // between the nodes that take part
	Messages  machine.Messages
	Directory Directory
	TLB       *TLB // nil: translation costs nothing

	Block    unit.Bytes // coherence unit of a cluster
	Capacity unit.Bytes // for blocks in the memory of each node, backed by a disk; 0: unlimited
	Disk     unit.Picos // access time of a block
}

// Node is a node of a cluster that differs from the others.
type Node struct {
	Processors int
	Caches     []Cache // with the same line size
	Memory     Memory
	Capacity   unit.Bytes
	Disk       unit.Picos
}

// Cache is a set-associative LRU cache.
type Cache struct {
	Size, Line unit.Bytes
	Ways       int
	Latency    unit.Picos // of a hit, added to that of the levels before; the replay charges the first level's
}

// Memory is the times of a memory and its bus.
type Memory struct {
	Latency    unit.Picos // of a memory access on an idle bus, in addition to the cache latency
	Occupancy  unit.Picos // time for which a memory access holds the bus
	Invalidate unit.Picos // time of an upgrade, for which it holds the bus
}

// Limits of the simulation. The smallest line size keeps two bits of a line's word free for the permission.
const (
	minLine       unit.Bytes = 4
	maxLines                 = 1 << 27 // in all caches together: 1 GiB of words
	maxTime                  = unit.Picos(1e12)
	maxProcessors            = 1 << 16
)

// Sets returns the number of sets of the cache.
func (c Cache) Sets() int { return int(c.Size / c.Line / unit.Bytes(c.Ways)) }

// line returns the line size of all caches.
func (c *Config) line() unit.Bytes { return c.Caches[0].Line }

// layout returns the division of the processors into nodes.
func (c *Config) layout() numa.Layout {
	var others []int
	for _, o := range c.OtherNodes {
		others = append(others, o.Processors)
	}
	if c.Slots == nil {
		return numa.NewLayout(c.Processors, c.PerNode, others)
	}
	l := numa.NewLayout(0, c.PerNode, c.Ranks)
	l.Slots = c.Slots
	return l
}

// place puts the processors of a program on the nodes of m.Placed. Nodes up to the last one take part, with those
// processors that have a rank.
func (c *Config) place(m *machine.Machine) {
	if m.Placed == nil {
		return
	}
	c.Ranks = make([]int, slices.Max(m.Placed)+1)
	for _, n := range m.Placed {
		c.Ranks[n]++
	}
	next, sum := make([]trace.Proc, len(c.Ranks)), trace.Proc(0)
	for n, ranks := range c.Ranks {
		next[n] = sum
		sum += trace.Proc(ranks)
	}
	for _, n := range m.Placed {
		c.Slots = append(c.Slots, next[n])
		next[n]++
	}
}

// nodes returns how many nodes take part.
func (c *Config) nodes() int {
	l := c.layout()
	return l.Nodes()
}

// node returns the description of node i.
func (c *Config) node(l *numa.Layout, i int) Node {
	if first := l.Nodes() - len(c.OtherNodes); i >= first {
		return c.OtherNodes[i-first]
	}
	processors := min(l.PerNode, c.Processors-i*l.PerNode)
	if c.Ranks != nil {
		processors = c.Ranks[i]
	}
	return Node{Processors: processors, Caches: c.Caches, Memory: c.Memory, Capacity: c.Capacity, Disk: c.Disk}
}

// New returns the memory system of m with empty caches for the processors of a trace, of which there may be fewer
// than m has. traffic is the program's traffic between nodes. It is needed only for a network whose gap depends on it
// (see NewCountingTraffic).
func New(m *machine.Machine, head trace.Header, traffic ...comm.Flow) (touch.System, error) {
	return NewWithHomes(m, trace.NewHomeMap(head), traffic...)
}

// NewWithHomes is New for a program that may place arrays later. An array must be in places before it is touched.
func NewWithHomes(m *machine.Machine, places *trace.HomeMap, traffic ...comm.Flow) (touch.System, error) {
	target, c, err := prepare(m, places)
	if err != nil {
		return nil, err
	}
	if m.Network != nil {
		if c.Net, err = network.New(m, network.NodesOf(m, c.nodes()), traffic...); err != nil {
			return nil, err
		}
	}
	return c.system(target)
}

// system returns the system of c with the prefetchers and the overlap of its processors.
func (c *Config) system(target Target) (touch.System, error) {
	s, err := target.New(*c)
	if err != nil {
		return nil, err
	}
	overlap := func(p machine.Processor) layer.Overlap {
		return layer.Overlap{Outstanding: p.Outstanding, Window: p.Window.At(p.Clock).Picos()}
	}
	own := c.Machine.Processor
	for _, o := range c.Machine.OtherNodes {
		switch {
		case overlap(o.Processor) != overlap(own):
			return nil, fmt.Errorf("nodes %s and %s have different processor.outstanding or processor.window; both must be equal on all nodes", c.Machine.Name, o.Name)
		case o.Processor.Ahead != own.Ahead || o.Processor.Streams != own.Streams:
			return nil, fmt.Errorf("nodes %s and %s have different processor.ahead or processor.streams; both must be equal on all nodes", c.Machine.Name, o.Name)
		}
	}
	if own.Ahead > 0 && (c.Block > 0 || len(c.Caches) == 0) {
		return nil, fmt.Errorf("target %s does not simulate prefetching; remove processor.ahead and processor.streams, or choose another target", target.Name())
	}
	s = layer.WithPrefetch(s, layer.Prefetch{Lines: own.Ahead, Streams: own.Streams, Page: c.Machine.Memory.Page}, c.Processors)
	if s = layer.WithOverlap(s, overlap(own), c.Processors); c.Slots != nil {
		s = layer.WithPlaces(s, c.Slots, c.Processors)
	}
	return s, nil
}

// prepare returns the target of m and its Config without the network.
func prepare(m *machine.Machine, places *trace.HomeMap) (Target, Config, error) {
	target, err := targetNamed(string(m.System.Target))
	if err != nil {
		return nil, Config{}, err
	}
	if err := m.Fits("the trace has", places.Procs()); err != nil {
		return nil, Config{}, err
	}
	c, err := configOf(m, places)
	return target, c, err
}

// targetNamed returns the target with a name.
func targetNamed(name string) (Target, error) {
	var names []string
	for _, t := range All {
		if t.Name() == name {
			return t, nil
		}
		names = append(names, t.Name())
	}
	if name == string(machine.WWT) {
		return nil, fmt.Errorf("target wwt is only for predict replay of programs that pass no messages; use target dir1sw")
	}
	return nil, fmt.Errorf("unknown target %q; use one of %s", name, strings.Join(names, ", "))
}

// configOf returns the Config of m without the network.
func configOf(m *machine.Machine, places *trace.HomeMap) (Config, error) {
	c := Config{Processors: places.Procs(), Homes: places, PerNode: m.System.Processors, Machine: m,
		Placement: numa.Placement{Policy: m.Memory.Placement, Page: m.Memory.Page}, Memory: memoryOf(m), Caches: levelsOf(m)}
	c.place(m)
	if m.Shared != nil {
		shared := cacheOf(m, *m.Shared)
		c.Shared = &shared
	}
	c.Messages = m.Messages
	d := m.Directory
	c.Directory = Directory{Kind: d.Kind, Pointers: d.Pointers, Overflow: d.Overflow, Entries: d.Entries, Ways: d.Ways, Hints: d.Hints,
		LookUp: m.At(d.Latency).Picos(), Trap: m.At(d.Trap).Picos()}
	if t := m.TLB; t != nil {
		c.TLB = &TLB{Entries: t.Entries, Ways: t.Ways, Page: t.Page, Latency: m.At(t.Latency).Picos()}
	}
	if c.Block = m.System.Block; m.Disk != nil {
		c.Capacity, c.Disk = m.Memory.Size, m.At(m.Disk.Latency).Picos()
	}
	for _, o := range m.OtherNodes {
		n := Node{Processors: o.System.Processors, Caches: levelsOf(o), Memory: memoryOf(o)}
		if o.Disk != nil {
			n.Capacity, n.Disk = o.Memory.Size, o.At(o.Disk.Latency).Picos()
		}
		c.OtherNodes = append(c.OtherNodes, n)
	}
	if m.System.Protocol == "" {
		return c, nil
	}
	p, ok := coherence.ProtocolNamed(m.System.Protocol)
	if !ok {
		return Config{}, fmt.Errorf("unknown protocol %q", m.System.Protocol)
	}
	c.Protocol = p
	return c, nil
}

func levelsOf(m *machine.Machine) (all []Cache) {
	for _, l := range m.Caches {
		all = append(all, cacheOf(m, l))
	}
	return all
}

func cacheOf(m *machine.Machine, l machine.Cache) Cache {
	return Cache{Size: l.Size, Line: l.Line, Ways: l.Ways, Latency: m.At(l.Latency).Picos()}
}

func memoryOf(m *machine.Machine) Memory {
	return Memory{Latency: m.At(m.Memory.Latency).Picos(), Occupancy: m.At(m.Memory.Occupancy).Picos(), Invalidate: m.At(m.Memory.Invalidate).Picos()}
}
