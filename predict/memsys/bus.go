package memsys

import "spoor/traces/unit"

// bus serves one transaction after the other in the order of the calls to take,
// which is the order of the requests.
type bus struct {
	free unit.Picos // when the last transaction ends
	busy unit.Picos // sum of the transactions
}

// take holds the bus for d as soon as it is free, and says how long the request
// of time now waits for that.
func (b *bus) take(now, d unit.Picos) (wait unit.Picos) {
	start := max(now, b.free)
	b.free = start + d
	b.busy += d
	return start - now
}

// extend lets the last transaction be followed at once by another one of length d
// that nobody waits for.
func (b *bus) extend(d unit.Picos) {
	b.free += d
	b.busy += d
}
