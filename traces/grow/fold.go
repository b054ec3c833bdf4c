package grow

import (
	"fmt"
	"math/bits"
)

// fold reduces n ranks to a power of two of active ones, as MPICH and Spoor do it: of the first 2 extra ranks, each even
// one is inactive, and the next odd one acts for both [thakur2005].
type fold struct{ active, extra int }

func foldOf(n int) fold {
	active := 1 << (bits.Len(uint(n)) - 1)
	return fold{active, n - active}
}

// partner returns the active rank whose number differs from that of x in the given bit. It returns false if x is
// inactive.
func (f fold) partner(x, bit int) (int, bool) {
	number := x - f.extra
	if x < 2*f.extra {
		if number = x / 2; x%2 == 0 {
			return 0, false
		}
	}
	if number ^= bit; number < f.extra {
		return 2*number + 1, true
	}
	return number + f.extra, number < f.active
}

// foldKnown returns an error if the pattern has a butterfly, all recordings have powers of two of ranks, and the target
// has not. Programs differ in what the other ranks do.
func (p *Pattern) foldKnown(target int) error {
	at := placeOf(p.parser.rule.grid, 0, target)
	for _, b := range p.parser.blocks {
		for i := range b.body {
			f := b.body[i].peer
			if f.form != powerXor && f.form != xorAll || isPower(at.size[f.axis]) {
				continue
			}
			known := false
			for _, t := range p.parser.tracks {
				known = known || !isPower(t.size[f.axis])
			}
			if !known {
				return fmt.Errorf("the ranks form a butterfly, and %d is not a power of two: add a recording at a number of ranks that is not one, either", at.size[f.axis])
			}
		}
	}
	return nil
}

func isPower(n int) bool { return n&(n-1) == 0 }
