// Package coherence has the states of lines in caches, the protocols that change them, and a table of the states of all
// lines.
package coherence

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

// ProtocolNamed returns the protocol with a name.
func ProtocolNamed(name machine.Protocol) (Protocol, bool) {
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
	NeverCached  = 0
	Shared       = 1
	Exclusive    = 2 // no other cache has it, and memory is current
	Modified     = 3 // no other cache has it, and memory is stale
	Evicted      = 4 // replaced by another line
	Invalidated  = 5 // by another processor's store, or by its home
	owned        = 6 // others may have it, and memory is stale
	EvictedKnown = 7 // replaced by another line, and its home knows
)

// StateSet is a set of states, one bit each.
type StateSet uint8

// The sets of states that the rules of protocols distinguish.
const (
	Copies    StateSet = 1<<Shared | Suppliers
	Suppliers StateSet = 1<<Exclusive | stale // at most one cache has a line in one of these
	stale     StateSet = 1<<Modified | 1<<owned
)

// Has reports whether a state is in the set.
func (s StateSet) Has(state uint8) bool { return s>>(state&7)&1 != 0 }

// Valid reports whether a cache has a line in this state.
func Valid(state uint8) bool { return Copies.Has(state) }

// Dirty reports whether memory is stale if a cache has a line in this state.
func Dirty(state uint8) bool { return stale.Has(state) }

// StateAfterLoad returns the state of a line in a valid state after another processor's load.
func (p Protocol) StateAfterLoad(state uint8) uint8 {
	switch {
	case state == Modified && p.Owned:
		return owned
	case state == Modified || state == Exclusive:
		return Shared
	}
	return state
}

// StateAfterFetch returns the state of a line that a load has fetched. alone says that no other cache has it.
func (p Protocol) StateAfterFetch(alone bool) uint8 {
	if alone && p.Exclusive {
		return Exclusive
	}
	return Shared
}
