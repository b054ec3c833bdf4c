package memsys

import "spoor/calibrate/machine"

// Protocol is a write-invalidate protocol, by what distinguishes the common ones. In all of them
// a line is modified in one cache alone, whose store took all other copies away.
//
// [papamarcos1984] M. Papamarcos, J. Patel: A low-overhead coherence solution for
// multiprocessors with private cache memories. ISCA 1984 (exclusive).
//
// [katz1985] R. Katz, S. Eggers, D. Wood, C. Perkins, R. Sheldon: Implementing a cache
// consistency protocol. ISCA 1985 (Berkeley: owned).
//
// [sweazey1986] P. Sweazey, A. Smith: A class of compatible cache consistency protocols and
// their support by the IEEE Futurebus. ISCA 1986 (MOESI).
type Protocol struct {
	Name machine.Protocol
	// Exclusive: a load of a line that no other cache has takes it exclusive, clean: the first
	// store needs no transaction.
	Exclusive bool
	// Owned: who supplies its modified line to a reader stays its owner: memory does not take it.
	Owned bool
}

// protocol is the one of that name.
func protocolNamed(name machine.Protocol) (Protocol, bool) {
	for _, p := range Protocols {
		if p.Name == name {
			return p, true
		}
	}
	return Protocol{}, false
}

// Protocols lists every protocol.
var Protocols = []Protocol{
	{Name: machine.MSI}, // the three-state protocol of [du2000, sec. 4.1], where exclusive means modified
	{Name: machine.MESI, Exclusive: true},
	{Name: machine.MOESI, Exclusive: true, Owned: true},
	{Name: machine.Berkeley, Owned: true},
}

// Where a line is, seen from one processor: absent or gone with the reason, or in one of the
// states of its caches. Exclusive and owned lines are loaded as shared ones are, and a store to them
// must ask; only modified ones are written at once.
const (
	neverCached  = 0
	shared       = 1
	exclusive    = 2 // nobody else has it, and memory is current
	modified     = 3 // nobody else has it, and memory is stale
	evicted      = 4 // replaced by another line
	invalidated  = 5 // invalidated by another processor's store, or by its home
	owned        = 6 // others may have it, and memory is stale
	evictedKnown = 7 // replaced by another line, and its home knows
)

// states is a set of them, a bit for each.
type stateSet uint8

const (
	copies    stateSet = 1<<shared | suppliers
	suppliers stateSet = 1<<exclusive | stale // one cache at most has a line in one of these
	stale     stateSet = 1<<modified | 1<<owned
)

func (s stateSet) has(state uint8) bool { return s>>(state&7)&1 != 0 }

func valid(state uint8) bool { return copies.has(state) }

func dirty(state uint8) bool { return stale.has(state) }

// afterLoad is what another processor's load makes of a line in a valid state.
func (p Protocol) stateAfterLoad(state uint8) uint8 {
	switch {
	case state == modified && p.Owned:
		return owned
	case state == modified || state == exclusive:
		return shared
	}
	return state
}

// loaded is the state of a line that a load has fetched, others having it or not.
func (p Protocol) stateAfterFetch(alone bool) uint8 {
	if alone && p.Exclusive {
		return exclusive
	}
	return shared
}
