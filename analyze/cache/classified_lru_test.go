package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/internal/lines"
)

// Uses and write-backs, many of them in one call, find what naive sets and a naive fully associative cache find, while lines get new
// moments; the lines that leave have their names and places.
func TestAgedIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, shape := range [][2]int64{{2, 1}, {3, 2}, {64, 2}, {5, 7}, {4, 8}, {2, 16}, {16, 16}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			c := newClassifiedLRU(newGeometry(shape[0], shape[1]), newPlaces())
			c.names = new(lines.Names)
			l, got := newNaiveLevel(&Level{Sets: shape[0], Ways: shape[1], Line: 1, Policy: lruPolicy.Name}, 0), Counts{}
			most, condensed := uint64(shape[0]*shape[1]*3/2+2), 0
			for range 400 {
				b := &batch{}
				for range r.IntN(200) {
					k := (r.Uint64N(most) * r.Uint64N(most) / most * 7) << 1
					switch r.IntN(5) {
					case 0:
						k |= 1
					case 1:
						k |= 1 | back
					}
					b.keys = append(b.keys, k)
				}
				var want []miss
				for i, k := range b.keys {
					if victim, missed := l.naiveUse(k); missed {
						want = append(want, miss{i, victim})
					}
				}
				places := c.placesOf(b, 0, len(b.keys))
				for from := 0; from < len(b.keys); {
					out := make([]miss, 1+r.IntN(missRoom))
					now := c.now
					used, n := c.use(b.keys[from:], places[from:], out, &got)
					if c.now < now {
						condensed++
					}
					for i, m := range out[:n] {
						if m.at += from; len(want) == 0 || m != want[0] || m.victim != empty && c.places.of(m.victim>>1) != c.left[i] {
							t.Fatalf("%v: missed %+v, the victim at place %d, and not %+v", shape, m, c.left[i], want)
						}
						want = want[1:]
					}
					from += used
				}
				if len(want) > 0 || got != l.Counts {
					t.Fatalf("%v: %v did not miss; %+v, not\n%+v", shape, want, got, l.Counts)
				}
			}
			if condensed < 2 {
				t.Errorf("%v: lines got new moments %d times", shape, condensed)
			}
		})
	}
}

// naiveUse uses a line, or writes it back, and counts no more than causes.
func (n *naiveLevel) naiveUse(k key) (victim key, missed bool) {
	line := k &^ back >> 1
	set := n.set(line)
	l := set.find(line)
	if k >= back {
		if l != nil {
			l.dirty = true
		}
		return empty, l == nil
	}
	why := n.cause(line, true, false)
	if l != nil {
		set.used(line)
		l.dirty = l.dirty || k&1 != 0
		return empty, false
	}
	n.blame(why)
	if v, full := set.add(naiveLine{line, k&1 != 0}); full {
		victim = v.line << 1
		if v.dirty {
			victim |= 1
		}
		return victim, true
	}
	return empty, true
}

// Levels know lines by their places where that says all.
func TestAges(t *testing.T) {
	for text, want := range map[string][]bool{
		"L1d=128B/2/16B,LL=512B/4/16B":                 {true, true},
		"L1d=128B/2/16B/fifo,LL=512B/16/16B":           {false, true},
		"L1d=128B/full/16B,LL=320B/20/16B":             {false, false},
		"L1d=128B/2/16B,LL=512B/4/16B/inclusive":       {false, false},
		"L1d=128B/2/16B,LL=512B/4/16B/with-opt":        {false, false},
		"L1d=128B/2/16B,L1i=128B/2/16B,LL=64MiB/2/16B": {true, true, false},
	} {
		t.Run(text, func(t *testing.T) {
			h := newHierarchy(parse(t, text)[0], []Side{data, instr}, 1, true, 1, 1<<20)
			var got []bool
			for _, instances := range h.of {
				got = append(got, instances[0].classifiedLRU != nil)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}
