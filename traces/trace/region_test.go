package trace

import (
	"fmt"
	"math"
	"testing"
)

func TestHomes(t *testing.T) {
	for _, c := range []struct {
		home          Home
		offset, bytes uint64
		procs         int
		want          Proc
		ok            bool
	}{
		{Home{}, 0, 100, 4, 0, false},
		{Home{Kind: BlockHome}, 0, 100, 4, 0, true},
		{Home{Kind: BlockHome}, 24, 100, 4, 0, true},
		{Home{Kind: BlockHome}, 25, 100, 4, 1, true},
		{Home{Kind: BlockHome}, 99, 100, 4, 3, true},
		{Home{Kind: BlockHome}, 9, 10, 4, 3, true}, // parts of 3 bytes, the last of 1
		{Home{Kind: BlockHome}, 1, 2, 4, 1, true},  // more processors than bytes
		{Home{Kind: BlockHome}, math.MaxUint64 - 1, math.MaxUint64, 2, 1, true},
		{Home{Kind: CyclicHome, Bytes: 64}, 63, 1000, 3, 0, true},
		{Home{Kind: CyclicHome, Bytes: 64}, 64 * 5, 1000, 3, 2, true},
		{Home{Kind: CyclicHome}, 0, 1000, 3, 0, false},
		{Home{Kind: ExplicitHome, Procs: []Proc{7, 5}}, 49, 100, 8, 7, true},
		{Home{Kind: ExplicitHome, Procs: []Proc{7, 5}}, 50, 100, 8, 5, true},
		{Home{Kind: ExplicitHome}, 50, 100, 8, 0, false},
		{Home{Kind: BlockHome}, 100, 100, 4, 0, false}, // outside
		{Home{Kind: BlockHome}, 0, 100, 0, 0, false},
	} {
		t.Run(fmt.Sprintf("%v %v %v", c.offset, c.procs, c.ok), func(t *testing.T) {
			if got, ok := c.home.Of(c.offset, c.bytes, c.procs); got != c.want || ok != c.ok {
				t.Errorf("%+v: byte %d of %d on %d is at %d (%v), want %d (%v)", c.home, c.offset, c.bytes, c.procs, got, ok, c.want, c.ok)
			}
		})
	}
}

func TestHomeKindsHaveNames(t *testing.T) {
	for k := AnyHome; k < endHomeKind; k++ {
		if back, ok := ParseHomeKind(k.String()); back != k || !ok {
			t.Errorf("%d is called %q, which is %d", k, k, back)
		}
	}
	if _, ok := ParseHomeKind("invalid"); ok || endHomeKind.String() != "invalid" {
		t.Error("an invalid kind has a name")
	}
}
