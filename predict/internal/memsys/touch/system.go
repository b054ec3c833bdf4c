// Package touch says what a memory system is: what a touch costs, what it counts, and what processors are told of each
// other. Package memsys has the systems.
package touch

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Cost is what one access adds to the time of its processor, in addition to the cache latency that every access pays.
type Cost struct {
	Latency    unit.Picos // on an idle memory system
	Contention unit.Picos // waiting until resources were free
	// the processor waited for earlier touches; this one has not happened and must be retried after the cost
	Retry bool
}

// Total returns the time of c.
func (c Cost) Total() unit.Picos { return c.Latency + c.Contention }

// A System is the memory system of one machine with the contents of its caches. It is not safe for concurrent use.
//
// Most touches are hits that cost nothing and that no other processor can notice. Their order between processors does
// not matter. Lookahead finds them, so that the caller must order only the other touches by simulated time.
type System interface {
	// Access makes processor p touch one line (byte address / Line()) at time now. Calls are ordered by (now, p).
	// References that Lookahead has counted may come later, but before the call that changes the cache of p.
	Access(now unit.Picos, p trace.Proc, line uint64, store bool) Cost
	// Flush removes a line from the caches of all processors. Calls are ordered like those of Access. Like Access, it
	// may ask for a retry after earlier touches. Otherwise it costs nothing.
	Flush(now unit.Picos, p trace.Proc, line uint64) Cost
	// HasCaches reports whether there are caches. Without any, prefetches and flushes change nothing.
	HasCaches() bool
	// Drain makes p wait until all its touches have ended. The caller calls it before p synchronizes with others, and
	// when p ends.
	Drain(now unit.Picos, p trace.Proc) Cost
	// Lookahead returns how many of the rows of b, starting at from and before to, are private hits, and how many
	// lines they touch. Prefetches and flushes of the program end them. Private hits cost nothing, except waiting for earlier touches, and change nothing that
	// another processor can notice. They stay private hits as long as p makes no other reference and no Invalidation
	// of its cache is reported. An Invalidation does not matter if none of the rows touch its line. A Downgrade does
	// not matter if none of them store to it.
	Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64)
	// Commit makes the touches of the rows of b, starting at from, that the last Lookahead of p has counted. It
	// returns how many loads and stores those are. p may have made no access since, and no line or permission that
	// they need may have been removed. Commit reports false, and does nothing, if p may have to wait for earlier
	// touches.
	Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool)
	// OnInvalidate sets the function that Access calls before it invalidates or downgrades a line of another
	// processor q. The function may make accesses of q that Lookahead counted. It must make those that need the line
	// or permission and come before the access.
	OnInvalidate(onInvalidate InvalidateFunc)
	// Line returns the size of the blocks that references are split into.
	Line() unit.Bytes
	// Counts returns the counts of processor p so far.
	Counts(p trace.Proc) Counts
	// SharedUsage returns the use of the parts that all processors share so far.
	SharedUsage() SharedUsage
	// Copy holds the memory of a node for a time, as early as possible but not before at: something else than a touch uses it.
	// It returns when that begins. at may be later than the last Access, but not earlier.
	Copy(at unit.Picos, node int, hold unit.Picos) (begin unit.Picos)
}

// BarrierWord is the address of the word that processors without caches look at while they wait at a barrier. No program
// uses it. It is in the memory of processor 0's node.
const BarrierWord = 1 << 62

// InvalidateFunc is called for an invalidation in the cache of q.
type InvalidateFunc func(q trace.Proc, c Invalidation)

// Invalidation is a line, or a permission to store to it, that an access of another processor removes from a cache.
type Invalidation struct {
	At        unit.Picos // time of the access
	By        trace.Proc // processor of the access
	Line      uint64
	Downgrade bool // the line stays readable: only the permission to store is removed
}

// Misses counts misses by their reason.
type Misses struct {
	Cold        uint64 // the processor never had the line
	Coherence   uint64 // another processor's store, or the line's home, invalidated it
	Replacement uint64 // another line evicted it
}

// Total returns the number of misses.
func (m Misses) Total() uint64 { return m.Cold + m.Coherence + m.Replacement }

// Counts is the activity of one processor, in touches of one line. A reference that crosses a line boundary counts
// once for each line.
type Counts struct {
	Loads, Stores           uint64
	LoadMisses, StoreMisses Misses
	Upgrades                uint64 // stores to a line held shared
	WriteBacks              uint64 // modified lines written to memory
	CacheToCache            uint64 // misses answered by another processor's modified line
	Invalidations           uint64 // lines lost to other processors' stores, or to their homes
	InnerHits               uint64 // touches of lines found in private levels behind the first
	SharedHits              uint64 // misses answered by the shared cache
	Prefetches              uint64 // misses of the program's prefetches, see Prefetching in package layer
	TLBMisses               uint64 // touches of pages that were not in the translation buffer
	RemoteFetches           uint64 // misses that involved other nodes; without caches, references

	// Of clusters.
	FromExclusive      uint64 // remote fetches of blocks that a node besides their home had exclusive
	BlockUpgrades      uint64 // stores to a block that the node had without permission to store
	BlockInvalidations uint64 // copies of blocks that its stores invalidated on nodes besides their home
	DiskReads          uint64 // of blocks
}

// Touches returns the number of loads and stores.
func (c Counts) Touches() uint64 { return c.Loads + c.Stores }

// Misses returns the number of misses of loads and stores.
func (c Counts) Misses() uint64 { return c.LoadMisses.Total() + c.StoreMisses.Total() }

// CoherenceMisses returns the number of misses on lines lost to other processors' stores.
func (c Counts) CoherenceMisses() uint64 { return c.LoadMisses.Coherence + c.StoreMisses.Coherence }

// Transactions returns the number of uses of the bus: misses, upgrades, write-backs and prefetches.
func (c Counts) Transactions() uint64 { return c.Misses() + c.Upgrades + c.WriteBacks + c.Prefetches }

// CoherenceShare returns the fraction of the transactions that exists only for coherence: upgrades, and misses on
// lines lost to other processors' stores. It is 0 without any transaction. [du2000, sec. 4.3.1] quotes this share
// without defining it.
func (c Counts) CoherenceShare() float64 {
	if c.Transactions() == 0 {
		return 0
	}
	return float64(c.CoherenceMisses()+c.Upgrades) / float64(c.Transactions())
}

// all returns pointers to all counts of c.
func (c *Counts) all() []*uint64 {
	return []*uint64{&c.Loads, &c.Stores, &c.LoadMisses.Cold, &c.LoadMisses.Coherence, &c.LoadMisses.Replacement,
		&c.StoreMisses.Cold, &c.StoreMisses.Coherence, &c.StoreMisses.Replacement, &c.Upgrades, &c.WriteBacks, &c.CacheToCache,
		&c.Invalidations, &c.InnerHits, &c.SharedHits, &c.Prefetches, &c.TLBMisses, &c.RemoteFetches, &c.FromExclusive, &c.BlockUpgrades,
		&c.BlockInvalidations, &c.DiskReads}
}

// Add adds d to c.
func (c *Counts) Add(d Counts) {
	from := d.all()
	for i, n := range c.all() {
		*n += *from[i]
	}
}

// Subtract subtracts d, an earlier value of the same counts, from c.
func (c *Counts) Subtract(d Counts) {
	from := d.all()
	for i, n := range c.all() {
		*n -= *from[i]
	}
}

// SharedUsage is the use of the parts of a system that all processors share.
type SharedUsage struct {
	Busy  unit.Picos // time for which the bus or memory was held; of several, the longest
	End   unit.Picos // end of the last use of anything: posted traffic can outlast the processors
	Lines uint64     // distinct lines touched

	// Of a network between nodes.
	Messages     uint64
	MessageBytes unit.Bytes // without headers
	NetworkBusy  unit.Picos // time for which the busiest part of it was held
}
