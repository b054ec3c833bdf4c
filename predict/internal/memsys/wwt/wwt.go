// Package wwt simulates the nodes of a Dir1SW machine that affect each other only by messages, as the target of the Wisconsin Wind
// Tunnel [falsafi1997, sec. 2.1 and 4]. So nodes can be simulated in parallel: a message takes the latency of the network, and
// whatever a node does in a quantum of that length reaches others in a later quantum.
//
// A node has one processor with a cache and a TLB, and the memory and directory of its lines. The home of a line has one pointer or
// counter for it. Hardware answers loads of lines that no cache has modified, and stores to lines that no other cache has. All
// other requests trap: software holds the memory for Config.Trap. With a pointer, it recalls the line from that cache. With a
// counter, it sends invalidations to all other nodes, because a counter does not identify the copies. They answer to the home, and
// then the home answers to the requester. Caches report all lines that they replace. The protocol is msi. Requests for a line wait
// while the home has another one for it in progress. This is our reading of [hill1993]. Package memsys has the same machine as
// target dir1sw, where an access changes all caches at its own time.
//
// A node handles messages in the order of (time, sender, sequence number), and before its processor acts at that time. Each node
// belongs to one worker at a time. Nothing is shared between nodes but constants.
//
// Differs: the simulator knows which caches have a line. It sends real invalidations only to them. The others change nothing, and
// their answers come at the same time. The trap software occupies no processor of the program.
package wwt

import (
	lru "spoor/analyze/cache"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/unit"
)

// Config is the times and sizes of all nodes.
type Config struct {
	Nodes     int
	Sets      int // of the cache
	Ways      int
	LineShift uint // log2 of the size of a line

	Entries, EntryWays int  // of the TLB; no entries: translation costs nothing
	PageShift          uint // log2 of the lines of a page
	Translate          unit.Picos

	Network            unit.Picos // latency of a message, which is the longest quantum
	LookUp             unit.Picos // of the directory
	Latency, Occupancy unit.Picos // of the memory
	Trap               unit.Picos
	Control, Data      unit.Bytes // of messages without and with a line
}

// A Node is a node of the machine.
type Node struct {
	*Config
	ID     int32
	Inbox  Inbox     // messages to the node
	Out    []Message // messages to other nodes, which the caller delivers
	Counts touch.Counts
	Used   touch.SharedUsage // of its memory, and of the network by its messages

	cache, tlb lru.Copies
	recent     uint64          // the word of the TLB that was used last
	states     coherence.Table // of the lines that it ever had
	homes      *numa.Homes
	sent       uint64 // messages, which numbers them
	miss       miss
	memory     unit.Picos // when it is free
	directory  directory
}

// miss is the access that the processor waits for.
type miss struct {
	line          uint64
	store, waits  bool
	repeats       bool       // the answer is there, and the access has not been repeated
	at            unit.Picos // the begin of the access
	translateTime unit.Picos
}

// New returns node id with an empty cache. homes finds the homes of all lines; no other node may use it.
func New(c *Config, id int, homes *numa.Homes) *Node {
	n := &Node{Config: c, ID: int32(id), homes: homes, cache: lru.NewCopies(int64(c.Sets), int64(c.Ways)), states: coherence.NewTable(1)}
	if c.Entries > 0 {
		n.tlb = lru.NewCopies(int64(c.Entries/c.EntryWays), int64(c.EntryWays))
	}
	n.directory = newDirectory(c.Nodes)
	return n
}

// Rest makes n begin another run at time 0, with what its cache, TLB and directory have. No message may be on its way.
func (n *Node) Rest() {
	n.Counts, n.Used, n.memory = touch.Counts{}, touch.SharedUsage{}, 0
	for i := range n.directory.entries {
		n.directory.entries[i].left = 0
	}
}

// Waits reports whether the processor waits for an access.
func (n *Node) Waits() bool { return n.miss.waits }

// Repeats reports, once, whether the last access repeated the one that an answer is for.
func (n *Node) Repeats() bool {
	if !n.miss.repeats {
		return false
	}
	n.miss.repeats = false
	return true
}

// Access makes the processor touch a line at a time. If that takes a message, the processor waits until Handle reports an answer.
// Then it must repeat the access, which hits.
func (n *Node) Access(now unit.Picos, line uint64, store bool) touch.Cost {
	translate := unit.Picos(0)
	if page := line >> n.PageShift; n.Entries > 0 && lru.Word(page, lru.MayLoad) != n.recent {
		translate = n.translate(page)
	}
	set := n.cache.Set(line)
	w := lru.FindCopy(set, line)
	if w >= 0 && (!store || lru.Stores(set[w])) {
		if lru.ToFront(set, w, set[w]); store {
			n.Counts.Stores++
		} else {
			n.Counts.Loads++
		}
		return touch.Cost{Latency: translate}
	}
	n.request(now, translate, line, store, w >= 0)
	return touch.Cost{Retry: true}
}

// translate returns the time to translate a page.
func (n *Node) translate(page uint64) unit.Picos {
	set := n.tlb.Set(page)
	n.recent = lru.Word(page, lru.MayLoad)
	if w := lru.FindCopy(set, page); w >= 0 {
		lru.ToFront(set, w, set[w])
		return 0
	}
	lru.ToFront(set, lru.Victim(set), n.recent)
	n.Counts.TLBMisses++
	return n.Translate
}

// request sends a request for a line to its home.
func (n *Node) request(now, translate unit.Picos, line uint64, store, upgrade bool) {
	home, _ := n.homes.Known(line)
	switch state := n.states.Lookup(line)[0]; {
	case upgrade:
		n.Counts.Upgrades++
	case store:
		countMiss(&n.Counts.StoreMisses, state)
	default:
		countMiss(&n.Counts.LoadMisses, state)
	}
	if !upgrade && int32(home) != n.ID {
		n.Counts.RemoteFetches++
	}
	n.miss = miss{line: line, store: store, waits: true, at: now, translateTime: translate}
	n.send(now+translate, n.Control, Message{Kind: request, To: int32(home), Proc: n.ID, Line: line, Store: store, Upgrade: upgrade, Idle: translate})
}

// countMiss counts a miss on a line by its previous state.
func countMiss(m *touch.Misses, state uint8) {
	switch state {
	case coherence.NeverCached:
		m.Cold++
	case coherence.Invalidated:
		m.Coherence++
	default:
		m.Replacement++
	}
}

// answered puts the line that the processor waits for into the cache, and returns the cost of the access.
func (n *Node) answered(m *Message) touch.Cost {
	n.miss.waits, n.miss.repeats = false, true
	right := uint64(lru.MayLoad)
	if m.Store {
		right = lru.MayStore
	}
	if m.Supplied {
		n.Counts.CacheToCache++
	}
	set := n.cache.Set(m.Line)
	w := lru.FindCopy(set, m.Line)
	if w < 0 {
		w = lru.Victim(set)
		if old := set[w]; old != 0 {
			n.evict(m.At, old)
		}
		n.states.Lookup(m.Line)[0] = coherence.Shared
	}
	lru.ToFront(set, w, lru.Word(m.Line, right))
	return touch.Cost{Latency: m.Idle, Contention: m.At - n.miss.at - m.Idle}
}

// evict reports a line that the cache replaces to its home.
func (n *Node) evict(now unit.Picos, word uint64) {
	line, size := word>>lru.PermissionBits, n.Control
	n.states.Lookup(line)[0] = coherence.Evicted
	if lru.Stores(word) {
		n.Counts.WriteBacks++
		size = n.Data
	}
	home, _ := n.homes.Known(line)
	n.send(now, size, Message{Kind: replaced, To: int32(home), Line: line, Store: lru.Stores(word)})
}

// recalled takes a line, or the permission to store to it, from the cache.
func (n *Node) recalled(m *Message) {
	set := n.cache.Set(m.Line)
	w := lru.FindCopy(set, m.Line)
	switch {
	case w < 0: // on its way home
	case m.Store:
		set[w] = 0
		n.states.Lookup(m.Line)[0] = coherence.Invalidated
		n.Counts.Invalidations++
	default:
		set[w] = lru.Word(m.Line, lru.MayLoad)
	}
}
