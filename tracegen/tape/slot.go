package tape

import (
	"sync/atomic"
	"unsafe"
)

// Slot is the place of one of several ranks that run at the same time, each on a goroutine of its own.
type Slot struct {
	tape atomic.Pointer[Tape]
	_    [56]byte // keeps slots off each other's cache lines
}

// slots are the places of the ranks that run at the same time; nil if one rank runs at a time.
var slots atomic.Pointer[[]Slot]

// Slots returns n places for ranks that run at the same time, until end is called.
func Slots(n int) (all []*Slot, end func()) {
	places := make([]Slot, n)
	for i := range places {
		all = append(all, &places[i])
	}
	slots.Store(&places)
	atomic.StorePointer(&current, nil)
	return all, func() {
		if slots.CompareAndSwap(&places, nil) {
			atomic.CompareAndSwapPointer(&current, nil, unsafe.Pointer(idle))
		}
	}
}

// Switch makes t the tape of the rank that runs in s; nil means that no rank runs there.
func (s *Slot) Switch(t *Tape) { s.tape.Store(t) }

// inSlot returns the tape of the rank whose goroutine calls.
//
//go:noinline
func inSlot() *Tape {
	all, g := slots.Load(), goroutine()
	if all == nil {
		return idle
	}
	for i := range *all {
		if t := (*all)[i].tape.Load(); t != nil && t.g.Load() == g {
			return t
		}
	}
	return idle
}
