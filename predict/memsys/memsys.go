// Package memsys simulates the memory systems of shared-memory machines: what one
// reference costs, and what it does to everybody's caches.
//
// A System knows lines and nothing of programs: whoever replays a trace decides
// the order of the references and the time of each (see predict/replay). Costs
// are separated as SPASM does [sivasubramaniam1995, sec. 2]: latency is what an
// access takes on an idle machine beyond a hit, contention is the waiting for
// what others (or the processor's own earlier traffic) hold.
//
//   - [du2000] Xing Du, Xiaodong Zhang, Zhichun Zhu: Memory Hierarchy
//     Considerations for Cost-Effective Cluster Computing. IEEE Transactions on
//     Computers 49(9), September 2000, pp. 915-933.
//   - [sivasubramaniam1995] Anand Sivasubramaniam, Aman Singla, Umakishore
//     Ramachandran, H. Venkateswaran: Abstracting network characteristics and
//     locality properties of parallel systems. HPCA 1995.
package memsys

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Cost is what one access adds to the time of its processor beyond the cache
// latency that every access pays.
type Cost struct {
	Latency    unit.Picos // of an idle memory system
	Contention unit.Picos // waiting until it was free
	Retry      bool       // the processor had to wait for earlier touches: this one has not happened, and is to be made after the cost
}

// Total is the time of c.
func (c Cost) Total() unit.Picos { return c.Latency + c.Contention }

// A System is the memory system of one machine with its caches and their
// contents. It is not safe for concurrent use.
//
// Most touches are hits that cost nothing and that no other processor can notice,
// and their order between processors does not matter. Hits finds them, so that
// whoever replays a trace must bring only the other touches into the order of
// simulated time.
type System interface {
	// Access makes processor p touch one line (byte address / Line()) at time now.
	// Calls come ordered by (now, p). Those whose references Hits has counted may
	// come later, but before the call that changes the cache of p.
	Access(now unit.Picos, p trace.Proc, line uint64, store bool) Cost
	// Settle makes p wait until all its touches have ended: before it lets others know of them, and when it ends.
	Drain(now unit.Picos, p trace.Proc) Cost
	// Hits is how many of the rows from up to to of b are certain to cost nothing, but perhaps waiting for
	// earlier touches, and to change nothing that another processor can notice, as long as p makes
	// no other reference and no change of its cache is announced; and how many
	// lines they touch. A change of a line that none of the rows touch, or to which none of them store if it stays in
	// the cache, leaves that as it is.
	Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64)
	// Make makes the touches of the rows of b, from one on, that Hits has counted last for p, and is how many loads and stores those are. p has
	// made no access since, and nothing that they need has been taken. It is false, and has done nothing, if p may have to wait for
	// earlier touches.
	Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool)
	// Watch sets the function that Access calls before it takes a line, or the right to store to it, from the cache of
	// another processor q. The function may make accesses of q that Hits counted, and must make those of them that need
	// what is taken and come before.
	OnInvalidate(onInvalidate InvalidateFunc)
	// Line is the size of the blocks that references are split into.
	Line() unit.Bytes
	// Counts is what processor p did so far.
	Counts(p trace.Proc) Counts
	// Shared is what happened so far to the parts that all processors share.
	SharedUsage() SharedUsage
}

// Changing announces a change of the cache of q.
type InvalidateFunc func(q trace.Proc, c Invalidation)

// Change is what an access of another processor takes from a cache.
type Invalidation struct {
	At        unit.Picos // time of the access
	By        trace.Proc // whose access it is
	Line      uint64
	Downgrade bool // only the right to store to the line is taken
}

// A Target builds systems of one kind.
type Target interface {
	// Name is what machine files call the target.
	Name() string
	// New is an empty system of c, or an error that says what no such machine can have.
	New(c Config) (System, error)
}

// All lists every target.
var All = []Target{SMP{}, COW{}, CLUMP{}, CCNUMA{}, LogP{}, CLogP{}, Dir1SW{}}

// Misses counts misses by why the line was not there.
type Misses struct {
	Cold        uint64 // the processor never had the line
	Coherence   uint64 // another processor's store took it away, or its home
	Replacement uint64 // another line pushed it out
}

// Total is the number of misses.
func (m Misses) Total() uint64 { return m.Cold + m.Coherence + m.Replacement }

// Counts is what one processor did to the memory system, in touches of one line:
// a reference that crosses a line boundary counts once for each line.
type Counts struct {
	Loads, Stores           uint64
	LoadMisses, StoreMisses Misses
	Upgrades                uint64 // stores to a line held shared
	WriteBacks              uint64 // modified lines pushed out to memory
	CacheToCache            uint64 // misses answered by another processor's modified line
	Invalidations           uint64 // lines lost to other processors' stores, or to their homes
	InnerHits               uint64 // touches of lines found in private levels behind the first
	SharedHits              uint64 // misses answered by the shared cache
	TLBMisses               uint64 // touches of pages that were not in the translation buffer
	RemoteFetches           uint64 // misses that other nodes had a part in; without caches, references

	// Of clusters.
	FromExclusive      uint64 // remote fetches of blocks that a node besides their home had exclusive
	BlockUpgrades      uint64 // stores to a block that the node had, but not for itself
	BlockInvalidations uint64 // copies of blocks that its stores took from nodes besides their home
	DiskReads          uint64 // of blocks
}

// Touches is the number of loads and stores.
func (c Counts) Touches() uint64 { return c.Loads + c.Stores }

// Misses is the number of misses of loads and stores.
func (c Counts) Misses() uint64 { return c.LoadMisses.Total() + c.StoreMisses.Total() }

// CoherenceMisses is the number of misses on lines lost to other processors' stores.
func (c Counts) CoherenceMisses() uint64 { return c.LoadMisses.Coherence + c.StoreMisses.Coherence }

// Transactions is the number of uses of the bus: misses, upgrades and write-backs.
func (c Counts) Transactions() uint64 { return c.Misses() + c.Upgrades + c.WriteBacks }

// CoherenceShare is the part of the transactions that exists for coherence alone:
// upgrades, and misses on lines lost to other processors' stores; 0 without any
// transaction. [du2000, sec. 4.3.1] quotes this share without defining it.
func (c Counts) CoherenceShare() float64 {
	if c.Transactions() == 0 {
		return 0
	}
	return float64(c.CoherenceMisses()+c.Upgrades) / float64(c.Transactions())
}

// all is every count of c.
func (c *Counts) all() []*uint64 {
	return []*uint64{&c.Loads, &c.Stores, &c.LoadMisses.Cold, &c.LoadMisses.Coherence, &c.LoadMisses.Replacement,
		&c.StoreMisses.Cold, &c.StoreMisses.Coherence, &c.StoreMisses.Replacement, &c.Upgrades, &c.WriteBacks, &c.CacheToCache,
		&c.Invalidations, &c.InnerHits, &c.SharedHits, &c.TLBMisses, &c.RemoteFetches, &c.FromExclusive, &c.BlockUpgrades,
		&c.BlockInvalidations, &c.DiskReads}
}

// Add adds d to c.
func (c *Counts) Add(d Counts) {
	from := d.all()
	for i, n := range c.all() {
		*n += *from[i]
	}
}

// subtract takes d, which was counted first, from c.
func (c *Counts) subtract(d Counts) {
	from := d.all()
	for i, n := range c.all() {
		*n -= *from[i]
	}
}

// Shared is what happened to the parts of a system that all processors share.
type SharedUsage struct {
	Busy  unit.Picos // time for which the bus or memory was held; of several, the one that was held longest
	End   unit.Picos // end of the last use of anything: posted traffic can outlast the processors
	Lines uint64     // distinct lines touched

	// Of a network between nodes.
	Messages     uint64
	MessageBytes unit.Bytes // without headers
	NetworkBusy  unit.Picos // for which the part of it that was held longest was held
}
