package memsys

import "spoor/traces/unit"

// bus serves one transaction after the other, in the order of the calls. This is the order of the requests.
type bus struct {
	free unit.Picos // when the last transaction ends
	busy unit.Picos // sum of the transactions
}

// acquire holds the bus for d as soon as it is free. It returns how long a request at time now waits for that.
func (b *bus) acquire(now, d unit.Picos) (wait unit.Picos) {
	start := max(now, b.free)
	b.free = start + d
	b.busy += d
	return start - now
}

// acquirePosted holds the bus for d as soon as it is free, not before now. No processor waits for it.
func (b *bus) acquirePosted(now, d unit.Picos) { b.acquire(now, d) }
