package cache

import (
	"slices"
	"testing"

	"spoor/traces/trace"
)

// The first level gives up its half of a line that the last has not: the whole line goes on, from its start.
func TestFilterWritesWholeLines(t *testing.T) {
	f, err := NewFilter(parse(t, "L1=64B/full/32B,L2=64B/1/64B")[0], true, 1)
	if err != nil {
		t.Fatal(err)
	}
	var refs trace.Refs
	refs.Append(1, 32, 8, trace.Store)
	refs.Append(1, 64, 8, trace.Load)
	refs.Append(1, 128, 8, trace.Load)
	want := []NextLevelRef{{0, 0, 64, trace.Store}, {1, 64, 64, trace.Load}, {2, 0, 64, trace.Store}, {2, 128, 64, trace.Load}}
	if got := f.Add(&refs); !slices.Equal(got, want) || f.WriteBacks != 1 {
		t.Errorf("got %v, want %v; %d write-backs", got, want, f.WriteBacks)
	}
}
