package reuse

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/internal/definition"
)

// checkHoled holds a stack to the definition. A line is used, or taken out if it is negative.
func checkHoled(t testing.TB, steps []int32) {
	t.Helper()
	s, naive := NewHoledStack(), new(definition.Holed)
	uses, lost, cold := map[int64]uint64{}, map[int64]uint64{}, uint64(0)
	for _, x := range steps {
		var err error
		if x < 0 {
			err = s.Remove(uint32(-x))
			naive.Remove(uint64(-x))
		} else {
			err = s.Use(uint32(x))
			switch d, l := naive.Use(uint64(x)); {
			case d != Cold:
				uses[d]++
			case l != Cold:
				lost[l]++
			default:
				cold++
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	got, gotLost, err := s.Distances()
	if err != nil || got.Cold != cold || !maps.Equal(byDistance(got.Uses), uses) || !maps.Equal(byDistance(gotLost), lost) {
		t.Fatalf("%d steps: got %v, %v lost and %d cold (%v)\nwant %v, %v and %d", len(steps), got.Uses, gotLost, got.Cold, err, uses, lost, cold)
	}
}

func byDistance(counts []uint64) map[int64]uint64 {
	m := map[int64]uint64{}
	for d, n := range counts {
		if n > 0 {
			m[int64(d)] = n
		}
	}
	return m
}

func TestHoledStackIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, c := range []struct {
		lines        int32
		length, take int // one in take steps takes out
	}{{1, 20, 2}, {3, 1000, 3}, {40, 70_000, 5}, {300, 80_000, 2}, {3000, 60_000, 20}, {2000, 60_000, 1 << 30}} {
		steps := make([]int32, c.length)
		for i := range steps {
			if steps[i] = 1 + r.Int32N(1+r.Int32N(c.lines)); r.IntN(c.take) == 0 {
				steps[i] = -steps[i]
			}
		}
		checkHoled(t, steps)
	}
}

// A sweep over many lines, all of them taken out from the top or the bottom, and swept again: more
// holes than the naive list can have. The topmost hole is that of the last line or of the
// first, but no distance is left.
func TestManyHoles(t *testing.T) {
	const n = 300_000
	for _, newestFirst := range []bool{false, true} {
		s := NewHoledStack()
		var err error
		do := func(f func(uint32) error, place uint32) {
			if e := f(place); e != nil {
				err = e
			}
		}
		for i := range uint32(n) {
			do(s.Use, i+1)
		}
		for i := range uint32(n) {
			if newestFirst {
				i = n - 1 - i
			}
			do(s.Remove, i+1)
		}
		for range 2 {
			for i := range uint32(n) {
				do(s.Use, i+1)
			}
		}
		d, lost, err2 := s.Distances()
		uses, cold := d.Uses, d.Cold
		if err != nil || err2 != nil || cold != n || len(uses) != n || uses[n-1] != n || len(lost) != n || slices.Max(lost) != 1 {
			t.Errorf("cold %d, %d distances, %d depths (%v, %v)", cold, len(uses), len(lost), err, err2)
		}
	}
}

// Slots do not grow with the stream, and renumbering does not for places that are no longer in the stack.
func TestHoledMemoryIsBounded(t *testing.T) {
	s := NewHoledStack()
	const distinct = 1 << 13
	for i := range uint32(1 << 20) {
		place := 1 + i%distinct
		if err := s.Use(place); err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(place); err != nil {
			t.Fatal(err)
		}
	}
	if most := max(minBlocks, 2*distinct/blockSlots); len(s.epoch.blocks) > most {
		t.Errorf("%d blocks, more than %d", len(s.epoch.blocks), most)
	}
}

func FuzzHoledStackIsNaive(f *testing.F) {
	f.Add([]byte("abcabcaabbccxyzabc"), uint8(3))
	f.Add([]byte{1, 2, 3, 129, 2, 1, 130, 4, 3, 2, 1}, uint8(200))
	f.Fuzz(func(t *testing.T, data []byte, repeat uint8) {
		var steps []int32
		for k := range int32(repeat) + 1 {
			for i, b := range data {
				x := 1 + int32(b&127) + k/16*int32(i%5)
				if b >= 128 {
					x = -x
				}
				steps = append(steps, x)
			}
		}
		checkHoled(t, steps[:min(len(steps), 1<<16)])
	})
}
