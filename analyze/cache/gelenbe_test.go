package cache

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"spoor/traces/trace"
)

// gelenbe is the miss ratio of one set of so many ways whose lines leave at random, or in the order in which they came, where uses
// are independent and of line i with probability p[i]: lines D are there with a probability proportional to the product
// of theirs [gelenbe1973].
func gelenbe(p []float64, ways int) float64 {
	all, missed := 0.0, 0.0
	for set := range uint(1) << len(p) {
		if bits.OnesCount(set) != ways {
			continue
		}
		product, outside := 1.0, 0.0
		for i, x := range p {
			if set>>i&1 == 1 {
				product *= x
			} else {
				outside += x
			}
		}
		all += product
		missed += product * outside
	}
	return missed / all
}

// Random replacement and FIFO miss as often as they should, and LRU, which is better here, does not.
func TestRandomIsGelenbe(t *testing.T) {
	const uses, ways = 400_000, 3
	weights := []float64{0.35, 0.25, 0.15, 0.1, 0.06, 0.04, 0.03, 0.02}
	want := gelenbe(weights, ways)
	r := rand.New(rand.NewPCG(4, 4))
	refs := trace.Refs{}
	for range uses {
		line, u := 0, r.Float64()
		for line < len(weights)-1 && u >= weights[line] {
			u -= weights[line]
			line++
		}
		refs.Append(1, uint64(line)*64, 8, trace.Load)
	}
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{refs}}
	for _, policy := range []string{"random", "fifo", "lru"} {
		t.Run(policy, func(t *testing.T) {
			a := &Analysis{Specs: parse(t, "L1=192B/3/64B/"+policy), Seed: 3}
			got := float64(total(simulate(t, m, a)[0][0][0].Misses)) / uses
			// Four standard deviations of independent misses, and twice that for they are not quite.
			near := math.Abs(got-want) < 8*math.Sqrt(want*(1-want)/uses)
			if near != (policy != "lru") {
				t.Errorf("%s misses %.4f of the uses, random replacement %.4f", policy, got, want)
			}
		})
	}
}
