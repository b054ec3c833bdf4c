package machine

import (
	"slices"

	"spoor/traces/unit"
)

// Directory describes the directories that record which caches hold copies of a line. The directory of a line is
// at its home node.
type Directory struct {
	Kind     DirectoryKind
	Pointers int      // limited: pointers of each line
	Overflow Overflow // limited: action on pointer overflow
	Entries  int      // sparse: entries of each node
	Ways     int      // sparse: associativity; Entries / Ways is a power of two
	Latency  Latency  // time of a lookup, during which the directory is busy
	Hints    bool     // caches send replacement hints: they report clean lines that they evict
	Trap     Latency  // dir1sw: time for which software keeps the home busy when it handles a request
}

// DirectoryKind is the organization of a directory.
type DirectoryKind string

// Directory organizations.
const (
	FullMap         DirectoryKind = "full"    // a bit for every processor
	LimitedPointers DirectoryKind = "limited" // the numbers of some processors: Dir_i B and Dir_i NB
	Sparse          DirectoryKind = "sparse"  // a full map, of as many lines as it has entries
)

var directories = []DirectoryKind{FullMap, LimitedPointers, Sparse}

// Overflow is the action of a limited directory that has too few pointers.
type Overflow string

// Actions on pointer overflow.
const (
	Broadcast   Overflow = "broadcast"    // Dir_i B: broadcast the next invalidation
	NoBroadcast Overflow = "no-broadcast" // Dir_i NB: take the copy of another away
)

var overflows = []Overflow{Broadcast, NoBroadcast}

// Messages has the sizes of messages between nodes, without the network's header.
type Messages struct {
	Control unit.Bytes // without data
	Data    unit.Bytes // with a line
}

// TLB is the translation buffer of each processor, with LRU replacement.
type TLB struct {
	Entries int
	Ways    int // Entries: fully associative
	Page    unit.Bytes
	Latency Latency // of a miss
}

// Targets that have each section.
var (
	withDirectory = []Target{CCNUMA, Dir1SW, WWT}
	withMessages  = []Target{CCNUMA, LogP, CLogP, Dir1SW, WWT}
	withTLB       = []Target{Dir1SW, WWT}
)

// Default sizes of messages: without data, and with data on machines without caches. The latter is the longest
// message of [sivasubramaniam1995, sec. 5]. The others are upper bounds that catch typing errors.
const (
	defaultControl = unit.Bytes(8)
	longestData    = unit.Bytes(32)
	maxMessage     = unit.Bytes(1 << 30)
	maxPointers    = 64
	maxEntries     = 1 << 30
)

type directoryText struct {
	Kind     *string `toml:"kind"`
	Pointers *int64  `toml:"pointers"`
	Overflow *string `toml:"overflow"`
	Entries  *int64  `toml:"entries"`
	Ways     *int64  `toml:"ways"`
	Latency  text    `toml:"latency"`
	Hints    *bool   `toml:"hints"`
	Trap     text    `toml:"trap"`
}

type messagesText struct {
	Control text `toml:"control"`
	Data    text `toml:"data"`
}

type tlbText struct {
	Entries *int64 `toml:"entries"`
	Ways    *int64 `toml:"ways"`
	Page    text   `toml:"page"`
	Latency text   `toml:"latency"`
}

// is refuses a key that has no effect on the target.
func (r *reader) is(path string, targets ...Target) {
	if !slices.Contains(targets, r.m.System.Target) {
		r.fail(path, "has no effect for target %s", r.m.System.Target)
	}
}

// distributed reads the sections of machines with distributed memory. The target has been read.
func (r *reader) distributed(doc *document) {
	r.m.Directory = Directory{Kind: FullMap}
	if r.m.System.Target == PRAM {
		r.pram(doc)
	}
	if doc.Directory != nil {
		r.is("directory", withDirectory...)
		r.directory(doc.Directory)
	}
	if t := r.m.System.Target; (t == Dir1SW || t == WWT) && (doc.Directory == nil || !doc.Directory.Trap.given) {
		r.fail("directory.trap", "is missing; target %s has traps", r.m.System.Target)
	}
	r.messages(doc.Messages)
	if doc.TLB != nil {
		r.is("tlb", withTLB...)
		r.tlb(doc.TLB)
	}
}

func (r *reader) directory(t *directoryText) {
	d := Directory{Kind: FullMap}
	if t.Kind != nil {
		r.is("directory.kind", CCNUMA)
		d.Kind = DirectoryKind(r.oneOf("directory.kind", t.Kind, names(directories)))
	}
	for _, key := range []struct {
		path  string
		given bool
		kind  DirectoryKind
	}{
		{"directory.pointers", t.Pointers != nil, LimitedPointers}, {"directory.overflow", t.Overflow != nil, LimitedPointers},
		{"directory.entries", t.Entries != nil, Sparse}, {"directory.ways", t.Ways != nil, Sparse},
	} {
		if key.given != (d.Kind == key.kind) {
			r.mismatch(key.path, key.given, d.Kind)
		}
	}
	switch d.Kind {
	case LimitedPointers:
		d.Pointers = r.count("directory.pointers", t.Pointers, maxPointers)
		d.Overflow = Overflow(r.oneOf("directory.overflow", t.Overflow, names(overflows)))
	case Sparse:
		d.Entries, d.Ways = r.count("directory.entries", t.Entries, maxEntries), r.count("directory.ways", t.Ways, maxWays)
		r.sets("directory.entries", d.Entries, d.Ways)
	}
	if t.Latency.given {
		d.Latency = r.latency("directory.latency", t.Latency)
	}
	if t.Hints != nil {
		r.is("directory.hints", CCNUMA)
		d.Hints = *t.Hints
	}
	if t.Trap.given {
		r.is("directory.trap", Dir1SW, WWT)
		d.Trap = r.latency("directory.trap", t.Trap)
	}
	r.m.Directory = d
}

func (r *reader) mismatch(path string, given bool, kind DirectoryKind) {
	if given {
		r.fail(path, "has no effect for a %s directory", kind)
	} else {
		r.fail(path, "is missing; a %s directory needs it", kind)
	}
}

// sets checks that entries make a power of two of sets of the given associativity.
func (r *reader) sets(path string, entries, ways int) {
	if r.err == nil && (entries%ways != 0 || !unit.Bytes(entries/ways).IsPowerOfTwo()) {
		r.fail(path, "%d entries in sets of %d are not a power of two of sets", entries, ways)
	}
}

// messages reads the sizes of messages. By default, a message with a line is longer than one without data by the
// line.
func (r *reader) messages(t *messagesText) {
	m := Messages{Control: defaultControl, Data: longestData}
	if t != nil {
		r.is("messages", withMessages...)
		if t.Control.given {
			m.Control = r.size("messages.control", t.Control, 1)
		}
	}
	if n := len(r.m.Caches); n > 0 {
		m.Data = m.Control + r.m.Caches[n-1].Line
	}
	if t != nil && t.Data.given {
		least := unit.Bytes(1)
		if r.m.System.Target == LogP { // references are split into blocks of it
			least = minLine
		}
		m.Data = r.size("messages.data", t.Data, least)
	}
	switch {
	case m.Control > maxMessage:
		r.fail("messages.control", "%v is more than %v", m.Control, maxMessage)
	case m.Data > maxMessage:
		r.fail("messages.data", "%v is more than %v", m.Data, maxMessage)
	}
	r.m.Messages = m
}

func (r *reader) tlb(t *tlbText) {
	b := &TLB{Entries: r.count("tlb.entries", t.Entries, maxEntries), Page: r.size("tlb.page", t.Page, minLine), Latency: r.latency("tlb.latency", t.Latency)}
	if b.Ways = b.Entries; t.Ways != nil {
		b.Ways = r.count("tlb.ways", t.Ways, maxWays)
	}
	if r.err == nil {
		r.sets("tlb.entries", b.Entries, b.Ways)
	}
	if r.err == nil && !b.Page.IsPowerOfTwo() {
		r.fail("tlb.page", "%v is not a power of two", b.Page)
	}
	r.m.TLB = b
}
