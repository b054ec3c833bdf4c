package replay

import (
	"fmt"
	"testing"
)

// By hand: below 512 events of each processor, operations of 24 bytes take less memory than readers.
func TestLoads(t *testing.T) {
	for _, c := range []struct {
		procs  int
		events uint64
		want   bool
		memory uint64
	}{
		{1, 1 << 12, true, 2100 + 26<<12},
		{1, 1<<12 + 1, false, 2100 + 17<<10},
		{1 << 14, 1 << 26, true, 2100<<14 + 26<<26},
		{1 << 15, 1<<26 + 1, false, 2100<<15 + 17<<25},
		{1 << 20, 1<<29 + 1, false, 2100<<20 + 17<<30},
		{1 << 20, 1 << 29, true, 2100<<20 + 26<<29},
	} {
		t.Run(fmt.Sprint(c.procs, " processors, ", c.events, " events"), func(t *testing.T) {
			if got := loads(c.procs, c.events); got != c.want {
				t.Errorf("loads: %v", got)
			}
			if got := leastMemory(c.procs, c.events); got != c.memory {
				t.Errorf("memory %d, want %d", got, c.memory)
			}
		})
	}
}
