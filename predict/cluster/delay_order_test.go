package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/phases"
	"spoor/traces/unit"
)

func TestNeighbours(t *testing.T) {
	counted := &phases.TrafficProfile{Delays: []unit.Instructions{0, 100, 150, 4000}}
	for _, c := range []struct {
		delay float64
		want  []int
		same  bool
	}{{100, []int{2}, true}, {149.5, []int{1}, true}, {120, []int{1, 2}, false}, {201, []int{2}, false}, {1000, nil, false}, {4001, nil, true}, {9000, nil, false}, {10, nil, false}} {
		t.Run(fmt.Sprint(c.delay), func(t *testing.T) {
			o := order{counted, c.delay}
			if got := o.neighbours(); !slices.Equal(got, c.want) || o.same() != c.same {
				t.Errorf("delay %v: %v, %v; want %v, %v", c.delay, got, o.same(), c.want, c.same)
			}
		})
	}
}

// A prediction says that nothing was counted for the machine's own delay, and which one that is.
func TestOrdersSayWhatToCount(t *testing.T) {
	m := clumpMachine(t, `target = "clump"`, `target = "cow"`, "processors = 2", "processors = 1")
	run := measuredApart(t, record(2, 200, scatter(20, 4096, 0.3)), m)
	got, err := MVA{}.Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(got.Warnings, func(e error) bool { return strings.Contains(e.Error(), "run analyze with --delay 4571") }) {
		t.Error(got.Warnings)
	}
}

// However unequal customers are, the bus is held for no more than all of the time, and nobody waits for longer than all others hold it.
func TestFillHoldsNothingLonger(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		n := 2 + r.IntN(8)
		customers := make([]customer, n)
		all := 0.0
		for i := range customers {
			customers[i] = customer{think: float64(r.IntN(3)) * 100 * r.ExpFloat64(), holds: [3]hold{{float64(r.IntN(3)), 1}}}
			b, _ := customers[i].moments()
			all += b
		}
		w, busy := make([]float64, n), 0.0
		for i := range w {
			w[i] = float64(r.IntN(2)) * r.ExpFloat64()
		}
		capUtilization(customers, w)
		for i := range w {
			b, _ := customers[i].moments()
			if w[i] > all-b+1e-9 {
				t.Fatalf("%+v: customer %d waits %v of %v", customers, i, w[i], all-b)
			}
			if b > 0 {
				busy += b / customers[i].cycle(w[i])
			}
		}
		if busy > 1+1e-9 {
			t.Fatalf("%+v: busy for %v of the time", customers, busy)
		}
	}
}
