package index

import (
	"math/rand/v2"
	"testing"
)

// Lines that are made to crowd are spread as others are, and found.
func TestCrowdedIndex(t *testing.T) {
	const inverse = 0xF1DE83E19937733D // of the factor
	x, r := New(), rand.New(rand.NewPCG(1, 1))
	made := x.factor
	of := map[uint64]uint32{}
	for len(of) < 20_000 {
		folded := r.Uint64() >> 20 * inverse
		line := (folded ^ folded>>32) * inverse
		of[line] = uint32(len(of))
		x.Insert(line, of[line])
	}
	if x.factor == made {
		t.Error("the hash is that for which lines were made")
	}
	for line, want := range of {
		if way, ok := x.Find(line); !ok || way != want {
			t.Fatalf("line %#x: %d, %v, want %d", line, way, ok, want)
		}
	}
	for line := range of {
		x.Remove(line)
		if _, ok := x.Find(line); ok {
			t.Fatalf("line %#x is there still", line)
		}
	}
}
