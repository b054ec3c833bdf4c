package prefetch

import (
	"testing"
	"unsafe"
)

// TestFetchTouchesNothing: not what it is told to fetch, be that nowhere.
func TestFetchTouchesNothing(t *testing.T) {
	one := [3]uint64{1, 2, 3}
	for _, from := range []unsafe.Pointer{nil, unsafe.Pointer(&one)} {
		for _, lines := range []int{0, 1, 1000} {
			Lines(from, lines)
		}
	}
	if one != [3]uint64{1, 2, 3} {
		t.Errorf("fetch changed memory to %v", one)
	}
}
