package tape

import "sync"

// others are the tapes of goroutines that are no ranks, which nobody reads, by
// goroutine. The runtime uses the descriptors of goroutines again and again, so
// there are never more than goroutines were alive at a time.
var others sync.Map

const otherWords = 2 * Margin

// Bind says that the calling goroutine is the rank whose tape t is.
func (t *Tape) Bind() { t.g = goroutine() }

// Mine is the tape of the calling goroutine: that of the rank that runs if it is
// its goroutine, else one of its own that nobody reads.
func Mine() *Tape {
	g := goroutine()
	if t := Cur(); t.g == g {
		return t
	}
	return other(g)
}

//go:noinline
func other(g uintptr) *Tape {
	t, ok := others.Load(g)
	if !ok {
		t, _ = others.LoadOrStore(g, New(otherWords, nil, nil))
	}
	return t.(*Tape)
}
