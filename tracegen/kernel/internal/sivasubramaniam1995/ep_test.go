package sivasubramaniam1995

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var epSizes = []workload.Values{{"numbers": 2}, {"numbers": 14}, {"numbers": 6000}}

func spoilEP(inst workload.Instance) {
	f := inst.(*ep)
	f.annuli[1]++
}

// TestEPIsTheBenchmarks holds class S to the counts and sums that the benchmark
// publishes, and to its tolerance [NPB 3.4, EP].
func TestEPIsTheBenchmarks(t *testing.T) {
	f := newEP(workload.Values{"numbers": 1 << 25}, 3, 1).(*ep)
	if err := spmd.Native(context.Background(), 3, f.Program); err != nil {
		t.Fatal(err)
	}
	if want := []int64{6140517, 5865300, 1100361, 68546, 1648, 17, 0, 0, 0, 0}; !slices.Equal(f.annuli, want) {
		t.Errorf("counts %v, want %v", f.annuli, want)
	}
	for i, want := range []float64{-3.247834652034740e3, -6.958407078382297e3} {
		if e := math.Abs((f.sums[i] - want) / want); !(e <= 1e-8) {
			t.Errorf("sum %v, want %v", f.sums[i], want)
		}
	}
}

func TestLogarithmIsTheLibrarys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	check := func(x float64) {
		got, want := logarithm(x), math.Log(x)
		ulp := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
		if !(math.Abs(got-want) <= 2*ulp) { // 1 of each
			t.Errorf("ln %v is %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1, 0x1p-89, 1 - 0x1p-53, 1 + 0x1p-52, math.Sqrt2, math.Sqrt2 / 2, 0.5, 2, math.MaxFloat64} {
		check(x)
	}
	for range 100000 {
		check(rng.Float64() * math.Ldexp(1, -rng.IntN(90)))
	}
}

// TestNASSkipIsManySteps of the generator, whose period is 2^44.
func TestNASSkipIsManySteps(t *testing.T) {
	x := uint64(epSeed)
	for n := range uint64(1000) {
		if got := nasSkip(epSeed, n); got != x {
			t.Fatalf("state %d is %d, want %d", n, got, x)
		}
		x = x * nasMultiplier % (1 << nasBits)
	}
	if got := nasSkip(epSeed, 1<<44); got != epSeed {
		t.Errorf("after 2^44 steps the state is %d", got)
	}
	if got := nasSkip(epSeed, 1<<43); got == epSeed {
		t.Error("the period is less than 2^44")
	}
}
