package capacity

import (
	"fmt"
	"slices"
	"testing"
)

func TestCapacities(t *testing.T) {
	for footprint, want := range map[uint64][]int64{0: nil, 1: {1}, 2: {1, 2}, 3: {1, 2, 3}, 4: {1, 2, 3, 4}, 13: {1, 2, 3, 4, 6, 8, 12, 13}} {
		t.Run(fmt.Sprint(footprint), func(t *testing.T) {
			if got := Of(footprint); !slices.Equal(got, want) {
				t.Errorf("footprint %d: %v, want %v", footprint, got, want)
			}
		})
	}
}
