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
func (b *bus) acquire(now, d unit.Picos) (wait unit.Picos) {
	start := max(now, b.free)
	b.free = start + d
	b.busy += d
	return start - now
}

// post holds the bus for d as soon as it is free, not before now, and nobody waits for that.
func (b *bus) acquirePosted(now, d unit.Picos) { b.acquire(now, d) }
