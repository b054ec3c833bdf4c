package comm

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Values in a map are those in an array, and in order.
func TestPerLink(t *testing.T) {
	few, many := NewPerLink[int](Full(1<<10)), NewPerLink[int](Full(1<<10+1))
	if few.sparse != nil || many.sparse == nil {
		t.Fatal("the array ends elsewhere")
	}
	r := rand.New(rand.NewPCG(2, 2))
	for range 1000 {
		l, n := Link(r.IntN(50)), r.IntN(9)
		*few.At(l) += n
		*many.At(l) += n
	}
	last := Link(-1)
	for l, n := range many.All() {
		if *n != *few.At(l) || l <= last {
			t.Errorf("link %d after %d: %d and %d", l, last, *n, *few.At(l))
		}
		last = l
	}
	if len(many.sparse) != 50 {
		t.Error(len(many.sparse))
	}
}

// On a mesh of one row, the link in its middle is the busiest.
func TestCarry(t *testing.T) {
	flows := []Flow{{0, 3, 2, 64}, {1, 2, 1, 100}, {3, 0, 1, 32}, {2, 2, 9, 999}}
	got := Carry(Mesh(1, 4), flows)
	want := Traffic{Net: Mesh(1, 4), Messages: 4, Bytes: 196, Hops: 2.5, Neighbours: 0.25,
		Busiest: 1 * 4, MostMessages: 3, MostBytes: 164}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Gap() != 3 || got.gapTime(1) != 164 || BisectionGap(got.Net) != 2 || got.bisectionTime(1) != 98 {
		t.Errorf("gaps %v %v %v %v", got.Gap(), got.gapTime(1), BisectionGap(got.Net), got.bisectionTime(1))
	}
	if got := Carry(Mesh(1, 4), []Flow{{2, 3, 1, 8}, {1, 2, 1, 8}}); got.Busiest != 1*4 {
		t.Errorf("the first of two equal links is %d", got.Busiest)
	}
	if none := Carry(Mesh(1, 4), flows[3:]); none.Messages != 0 || none.Hops != 0 {
		t.Errorf("got %+v", none)
	}
}

// On a mesh of one row, the links in its middle are the busiest. Who sends little over them may have to wait long for that, who sends
// much need not.
func TestGapsOfCarriedTraffic(t *testing.T) {
	flows := []Flow{{0, 3, 2, 64}, {1, 2, 1, 100}, {3, 0, 1, 32}, {2, 2, 9, 999}}
	sends, receives := Gaps(Mesh(1, 4), flows)
	for p, want := range [][2]float64{{3. / 2, 1. / 1}, {3. / 1, 0}, {0, 3. / 1}, {1. / 1, 3. / 2}} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got := [2]float64{sends[p], receives[p]}; got != want {
				t.Errorf("processor %d: %v, want %v", p, got, want)
			}
		})
	}
	// All ask processor 0: it has no gap that its own links do not ask for.
	var all []Flow
	for p := 1; p < 4; p++ {
		all = append(all, Flow{p, 0, 10, 10}, Flow{0, p, 10, 10})
	}
	sends, receives = Gaps(Mesh(1, 4), all)
	if sends[0] != 1 || receives[0] != 1 || sends[3] != 3 || receives[1] != 3 {
		t.Errorf("sends %v, receives %v", sends, receives)
	}
}
