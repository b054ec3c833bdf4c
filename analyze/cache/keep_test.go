package cache

import (
	"encoding/json"
	"testing"

	"spoor/traces/trace"
)

// Counts that were kept are read back, unless there are more or fewer of them than levels.
func TestKeptCounts(t *testing.T) {
	h := trace.Header{Procs: 1}
	fresh := func(texts ...string) *shard { return (&Analysis{Specs: parse(t, texts...)}).NewShard(h, 0).(*shard) }
	one, two := "L1=1KiB/4/64B", "L1=1KiB/4/64B,LL=4KiB/4/64B"
	s := fresh(one, two)
	for i, c := range s.counts() {
		c.Evictions = uint64(i + 1)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again := fresh(one, two)
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	for i, c := range again.counts() {
		if c.Evictions != uint64(i+1) {
			t.Errorf("level %d: %d evictions, want %d", i, c.Evictions, i+1)
		}
	}
	for _, other := range []*shard{fresh(two), fresh(two, two)} {
		if json.Unmarshal(text, other) == nil {
			t.Errorf("counts of 3 levels were read for %d", len(other.counts()))
		}
	}
}
