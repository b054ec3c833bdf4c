package host

import (
	"testing"

	"spoor/traces/unit"
)

// ticking is a host whose clock advances by a millisecond at each look.
type ticking struct {
	Host
	now unit.Seconds
}

func (h *ticking) Now() unit.Seconds      { h.now += 1e-3; return h.now }
func (h *ticking) Sentinel() unit.Seconds { return 1e-7 }
func (h *ticking) Switches() int64        { return 0 }

// A point ends when its other side dies after some samples: from then on all times are 0.
func TestTakeEndsWhenTheOtherSideDies(t *testing.T) {
	for good := range 3 {
		taken := 0
		s := &Sampler{Host: &ticking{}, Rules: Strict}
		ok := s.Take(0, 0, func() unit.Seconds {
			if taken++; taken <= good {
				return 1e-6 * unit.Seconds(taken)
			}
			return 0
		})
		if ok != (good > 0) || taken > 2000 {
			t.Errorf("%d good samples: %v after %d", good, ok, taken)
		}
	}
}
