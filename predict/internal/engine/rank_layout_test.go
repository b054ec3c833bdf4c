package engine

import (
	"testing"
	"unsafe"
)

// TestRanksFillLines: a rank shares no line of memory with another one, which fetching and workers rely on; what others look at is in two lines, and what most have no use for is behind what is fetched.
func TestRanksFillLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("laid out for addresses of 64 bits")
	}
	var r rank
	if size := unsafe.Sizeof(r); size%lineBytes != 0 {
		t.Errorf("a rank has %d bytes, which are not lines of %d", size, lineBytes)
	}
	for name, at := range map[string]uintptr{"near": unsafe.Offsetof(r.arrivalRoom), "own": unsafe.Offsetof(r.inline), "e": unsafe.Offsetof(r.e)} {
		t.Run(name, func(t *testing.T) {
			if at%lineBytes != 0 {
				t.Errorf("%s is at byte %d of a rank, which begins no line of %d", name, at, lineBytes)
			}
		})
	}
	if at := unsafe.Offsetof(r.releases); int(at) < rankLines*lineBytes {
		t.Errorf("releases are at byte %d, in one of the %d lines that are fetched", at, rankLines)
	}
}
