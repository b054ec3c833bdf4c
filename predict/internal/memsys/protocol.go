package memsys

import "spoor/calibrate/machine"

// Protocol is a write-invalidate protocol, described by the differences between the common ones. In all of them a
// modified line is in one cache only: the store that modified it has invalidated all other copies.
//
// The exclusive state is that of [papamarcos1984]. The owned state is that of Berkeley [katz1985]. MOESI has both
// [sweazey1986].
type Protocol struct {
	Name machine.Protocol
	// Exclusive: a load of a line that no other cache has gets it exclusive and clean. The first store then needs no
	// transaction.
	Exclusive bool
	// Owned: a cache that supplies its modified line to a reader stays its owner. Memory does not store the line.
	Owned bool
}

// protocolNamed returns the protocol with a name.
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

// The state of a line, seen from one processor: one of the states of its caches, or absent with the reason. Exclusive
// and owned lines can be loaded like shared ones, but a store to them leaves the fast path. Only modified lines are
// written at once.
const (
	neverCached  = 0
	shared       = 1
	exclusive    = 2 // no other cache has it, and memory is current
	modified     = 3 // no other cache has it, and memory is stale
	evicted      = 4 // replaced by another line
	invalidated  = 5 // by another processor's store, or by its home
	owned        = 6 // others may have it, and memory is stale
	evictedKnown = 7 // replaced by another line, and its home knows
)

// stateSet is a set of states, one bit each.
type stateSet uint8

const (
	copies    stateSet = 1<<shared | suppliers
	suppliers stateSet = 1<<exclusive | stale // at most one cache has a line in one of these
	stale     stateSet = 1<<modified | 1<<owned
)

func (s stateSet) has(state uint8) bool { return s>>(state&7)&1 != 0 }

func valid(state uint8) bool { return copies.has(state) }

func dirty(state uint8) bool { return stale.has(state) }

// stateAfterLoad returns the state of a line in a valid state after another processor's load.
func (p Protocol) stateAfterLoad(state uint8) uint8 {
	switch {
	case state == modified && p.Owned:
		return owned
	case state == modified || state == exclusive:
		return shared
	}
	return state
}

// stateAfterFetch returns the state of a line that a load has fetched. alone says that no other cache has it.
func (p Protocol) stateAfterFetch(alone bool) uint8 {
	if alone && p.Exclusive {
		return exclusive
	}
	return shared
}
