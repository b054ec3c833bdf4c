package memsys

import (
	"spoor/predict/internal/calendar"
	"spoor/traces/unit"
)

// bus serves one transaction after the other, in the order of the calls. This is the order of the requests. Copies of
// messages are known some time before they begin. Transactions use the time before them if it is long enough.
type bus struct {
	free   unit.Picos        // when the last transaction ends
	busy   unit.Picos        // sum of the transactions
	copies calendar.Calendar // of messages
}

// acquire holds the bus for d as soon as it is free. It returns how long a request at time now waits for that.
func (b *bus) acquire(now, d unit.Picos) (wait unit.Picos) {
	start := max(now, b.free)
	if start < b.copies.End {
		start = b.copies.Fit(start, max(1, d))
	}
	b.free = start + d
	b.busy += d
	return start - now
}

// acquirePosted holds the bus for d as soon as it is free, not before now. No processor waits for it.
func (b *bus) acquirePosted(now, d unit.Picos) { b.acquire(now, d) }

// copy holds the bus for a copy as soon as it is free, not before at. It returns when that begins.
func (b *bus) copy(at, d unit.Picos) (start unit.Picos) {
	start = b.copies.Fit(max(at, b.free), max(1, d))
	b.copies.Reserve(calendar.Span{From: start, To: start + d}, b.free)
	return start
}
