package replay

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"spoor/traces/unit"
)

// TestClockIsExact compares At with rational arithmetic, at positions from the
// first instruction to days of them.
func TestClockIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, c := range []struct {
		f          unit.Hertz
		cpi, touch unit.Cycles
	}{{2.4e9, 1, 4}, {200e6, 1, 1}, {200e6, 0.97, 3}, {3e9, 1.0 / 3, 0}, {1e9, 0, 1}, {1.7e6, 1, 0.5}} {
		t.Run(fmt.Sprintf("%v %v", c.f, c.cpi), func(t *testing.T) {
			clock, err := NewClock(c.f, c.cpi, c.touch)
			if err != nil {
				t.Fatal(err)
			}
			for range 2000 {
				instr, touches := r.Uint64()>>(24+r.UintN(40)), r.Uint64()>>(26+r.UintN(38))
				want := periodsExactly(c.cpi, c.f, instr)
				want.Add(want, periodsExactly(c.touch, c.f, touches))
				got := new(big.Rat).SetInt64(int64(clock.At(instr, touches)))
				off, _ := got.Sub(got, want).Float64()
				if math.Abs(off) > 0.5000001 {
					t.Fatalf("%+v: %d instructions, %d touches: off by %g ps", c, instr, touches, off)
				}
			}
		})
	}
}

func periodsExactly(c unit.Cycles, f unit.Hertz, n uint64) *big.Rat {
	ps := new(big.Rat).SetFloat64(float64(c))
	ps.Mul(ps, big.NewRat(1e12, 1))
	ps.Quo(ps, new(big.Rat).SetFloat64(float64(f)))
	return ps.Mul(ps, new(big.Rat).SetInt(new(big.Int).SetUint64(n)))
}

func TestClockWorked(t *testing.T) {
	clock, err := NewClock(2.4e9, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		instr, touches uint64
		want           unit.Picos
	}{
		{0, 0, 0},
		{1, 0, 417},   // 416.67
		{2, 0, 833},   // 833.33: not twice 417
		{12, 0, 5000}, // exactly
		{1, 1, 2083},  // 5 periods
		{2_400_000_000_000, 0, 1_000_000_000_000_000}, // 1000 s, to the picosecond
	} {
		t.Run(fmt.Sprint(c.want), func(t *testing.T) {
			if got := clock.At(c.instr, c.touches); got != c.want {
				t.Errorf("%d instructions, %d touches: %d ps, want %d", c.instr, c.touches, got, c.want)
			}
		})
	}
}

func TestClockErrors(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		f          unit.Hertz
		cpi, touch unit.Cycles
	}{
		{0, 1, 1}, {-1, 1, 1}, {unit.Hertz(nan), 1, 1}, {unit.Hertz(math.Inf(1)), 1, 1},
		{1e9, -1, 1}, {1e9, unit.Cycles(nan), 1}, {1e9, 1, unit.Cycles(math.Inf(1))}, {1, 1, 1}, {1e9, 1e9, 0},
	} {
		t.Run(fmt.Sprintf("%v %v", c.f, c.cpi), func(t *testing.T) {
			if _, err := NewClock(c.f, c.cpi, c.touch); err == nil {
				t.Errorf("%+v is accepted", c)
			}
		})
	}
}
