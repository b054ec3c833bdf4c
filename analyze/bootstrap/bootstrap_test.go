package bootstrap

import (
	"math/rand/v2"
	"testing"
)

func TestDrawsAreWhole(t *testing.T) {
	for n := 1; n < 50; n++ {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		sum := 0
		for _, times := range Draw[int](r, n) {
			sum += times
		}
		drawn := 0
		for from, size := range Blocks(r, n) {
			if from < 0 || from >= n || size < 1 || size > BlockOf(n) {
				t.Errorf("of %d: a block of %d from %d", n, size, from)
			}
			drawn += size
		}
		if sum != n || drawn != n {
			t.Errorf("of %d: drew %d singly and %d in blocks", n, sum, drawn)
		}
	}
}

// 95 of 100 values are in the range.
func TestRange(t *testing.T) {
	values := rand.New(rand.NewPCG(1, 1)).Perm(1000)
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = float64(v + 1)
	}
	if least, most := Range(all); least != 25 || most != 975 {
		t.Errorf("range %g to %g, not 25 to 975", least, most)
	}
}
