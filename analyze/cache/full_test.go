package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveFull is the lines that are there, the latest first.
type naiveFull struct {
	ways  int
	lines []uint32
}

func (n *naiveFull) take(place uint32) (was bool) {
	at := slices.Index(n.lines, place)
	if at >= 0 {
		n.lines = slices.Delete(n.lines, at, at+1)
	}
	n.lines = slices.Insert(n.lines, 0, place)
	n.lines = n.lines[:min(len(n.lines), n.ways)]
	return at >= 0
}

func (n *naiveFull) drop(place uint32) bool {
	at := slices.Index(n.lines, place)
	if at >= 0 {
		n.lines = slices.Delete(n.lines, at, at+1)
	}
	return at >= 0
}

// Uses, and lines taken out and used only if they are there, find what the naive cache finds, while rings fill up and
// grow, and moments begin again.
func TestFullIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, ways := range []int{1, 2, 7, 64, firstRing / 2, firstRing, 3 * firstRing} {
		t.Run(fmt.Sprint(ways), func(t *testing.T) {
			f, n := newFull(uint32(ways)), &naiveFull{ways: ways}
			places := uint32(ways + ways/2 + 2)
			f.last = make([]uint32, places)
			f.end = 4 * firstRing
			for i := range 30_000 {
				p := r.Uint32N(places) * r.Uint32N(places) / places
				got, want, what := false, false, "use"
				switch r.IntN(20) {
				case 0:
					got, want, what = f.drop(p), n.drop(p), "drop"
				case 1:
					got, what = f.hit(p), "hit"
					if want = slices.Contains(n.lines, p); want {
						n.take(p)
					}
				default:
					got, want = len(f.use([]uint32{p}, nil)) == 0, n.take(p)
				}
				if got != want || int(f.held) != len(n.lines) {
					t.Fatalf("%d ways: %s %d of place %d: there %v and not %v, %d lines and not %d", ways, what, i, p, got, want, f.held, len(n.lines))
				}
			}
			if f.now > f.end {
				t.Errorf("%d ways: moments did not begin again", ways)
			}
		})
	}
}

// Uses in one call find what they find one by one.
func TestFullInOneCall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, ways := range []int{1, 2, 7, 64, firstRing, 3 * firstRing} {
		t.Run(fmt.Sprint(ways), func(t *testing.T) {
			f, n := newFull(uint32(ways)), &naiveFull{ways: ways}
			places := uint32(ways + ways/2 + 2)
			f.last = make([]uint32, places)
			f.end = 4 * firstRing
			for range 100 {
				var some, want []uint32
				for i := range r.Uint32N(300) {
					p := r.Uint32N(places) * r.Uint32N(places) / places
					if some = append(some, p); !n.take(p) {
						want = append(want, i)
					}
				}
				if got := f.use(some, nil); !slices.Equal(got, want) || int(f.held) != len(n.lines) {
					t.Fatalf("%d ways: %v missed and not %v, %d lines and not %d", ways, got, want, f.held, len(n.lines))
				}
			}
		})
	}
}
