package space

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAtlasIsAList compares with the definition: a list of spans, in which a new
// one replaces those that it overlaps.
func TestAtlasIsAList(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a := newAddressMap(seed%2 == 0)
		unknown := map[uint64]uint64{}
		var list []span
		for range 300 {
			if rng.IntN(3) == 0 {
				s := span{uint64(rng.IntN(40*PageSize)) + 1<<20, uint64(rng.IntN(1<<rng.IntN(17)) + 1), 1 + rng.Uint64()>>20}
				a.insert(s)
				list = slices.DeleteFunc(list, func(o span) bool { return o.Lo < s.Lo+s.Bytes && s.Lo < o.Lo+o.Bytes })
				list = append(list, s)
			}
			addr := uint64(rng.IntN(60*PageSize)) + 1<<20
			var want uint64
			at := slices.IndexFunc(list, func(s span) bool { return addr >= s.Lo && addr < s.Lo+s.Bytes })
			if at >= 0 {
				want = addr - list[at].Lo + list[at].Base
			}
			known := at >= 0
			if !known && a.mapUnknown {
				page, ok := unknown[addr/PageSize]
				if !ok {
					page = UnknownBase + uint64(len(unknown))*PageSize
					unknown[addr/PageSize] = page
				}
				want, known = page+addr%PageSize, true
			}
			if got, ok := a.Translate(addr); ok != known || known && got != want {
				t.Fatalf("seed %d: %#x is at %#x (%v), want %#x (%v)", seed, addr, got, ok, want, known)
			}
		}
	}
}
