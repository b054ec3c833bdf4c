package tape

import "sync"

// otherTapes has a tape for each goroutine that is not a rank. Nobody reads these tapes. The runtime reuses the
// descriptors of goroutines, so there are never more tapes than goroutines alive at one time.
var otherTapes sync.Map

const otherTapeWords = 2 * margin

// Bind makes the calling goroutine that of the rank with tape t.
func (t *Tape) Bind() { t.g.Store(goroutine()) }

// Mine returns the tape of the calling goroutine. That is the running rank's tape if the goroutine is that rank's.
// Otherwise it is a tape that nobody reads.
func Mine() *Tape {
	g := goroutine()
	if t := Cur(); t.g.Load() == g {
		return t
	}
	return otherTape(g)
}

//go:noinline
func otherTape(g uintptr) *Tape {
	t, ok := otherTapes.Load(g)
	if !ok {
		t, _ = otherTapes.LoadOrStore(g, NewTape(otherTapeWords, nil, nil))
	}
	return t.(*Tape)
}
