package locality

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// precise is the definition in 500 bits: one less the probabilities of less than ways lines.
func precise(distance, sets, ways int64) float64 {
	number := func(n int64) *big.Float { return new(big.Float).SetPrec(500).SetInt64(n) }
	p := number(1)
	p.Quo(p, number(sets))
	q := number(1)
	q.Sub(q, p)
	term := number(1)
	for square, n := new(big.Float).Set(q), distance; n > 0; n >>= 1 {
		if n&1 == 1 {
			term.Mul(term, square)
		}
		square.Mul(square, square)
	}
	miss := number(1)
	for i := range ways {
		miss.Sub(miss, term)
		term.Mul(term, p.Quo(p, q).Mul(p, number(distance-i)).Quo(p, number(i+1)))
		p.Quo(number(1), number(sets))
	}
	f, _ := miss.Float64()
	return f
}

func TestMissProbabilityIsExact(t *testing.T) {
	for _, c := range [][3]int64{ // distance, sets, ways
		{1, 2, 1}, {100, 64, 8}, {512, 64, 8}, {700, 64, 8}, {10_000, 512, 2}, {37, 3, 13}, {1000, 7, 100}, {1000, 7, 143},
		{1 << 20, 1 << 16, 16}, {1 << 24, 1 << 20, 16}, {1 << 32, 1 << 28, 16}, {1 << 32, 1 << 20, 16}, {1 << 31, 1 << 25, 64},
		{1 << 32, 1 << 20, 4096}, {1 << 32, 1 << 20, 4000}, {1 << 32, 1 << 20, 4300}, {20, 1 << 20, 16}, {1 << 16, 1 << 16, 1}, {1 << 32, 1 << 30, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			want := precise(c[0], c[1], c[2])
			got := missProbability(c[0], c[1], c[2])
			// Rounding of as many factors as there are ways, and of the logarithm of (1-p)^n.
			if limit := 1e-15 * float64(16+c[2]+2*c[0]/c[1]); !(math.Abs(got/want-1) < limit) {
				t.Errorf("distance %d, %d sets of %d: %v, want %v, %.1g off", c[0], c[1], c[2], got, want, got/want-1)
			}
		})
	}
}

func TestMissProbabilityAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		distance, sets, ways int64
		want                 float64
	}{
		{0, 64, 1, 0}, {7, 64, 8, 0}, {7, 1, 8, 0}, {8, 1, 8, 1}, {1 << 32, 1, 8, 1}, {1 << 32, 64, 8, 1}, {1, 4, 1, 0.25}, {2, 4, 2, 0.0625},
	} {
		t.Run(fmt.Sprintf("%v %v", c.distance, c.sets), func(t *testing.T) {
			if got := missProbability(c.distance, c.sets, c.ways); math.Abs(got-c.want) > 1e-15 {
				t.Errorf("%+v: %v", c, got)
			}
		})
	}
}

// slow is the definition of corrected.
func slow(uses []uint64, sets, ways int64) (misses float64) {
	for d, n := range uses {
		misses += float64(n) * missProbability(int64(d), sets, ways)
	}
	return misses
}

func checkCorrected(t *testing.T, uses []uint64, sets, ways int64) {
	t.Helper()
	got, want := corrected(uses, sets, ways), slow(uses, sets, ways)
	if !(math.Abs(got-want) <= 1e-9*want+1e-12) { // a block of additions of one rounding error each; what is negligible
		t.Errorf("%d distances, %d sets of %d: %v misses, want %v", len(uses), sets, ways, got, want)
	}
}

func TestCorrectedIsTheSum(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	uses := make([]uint64, 50_000)
	for range 100_000 {
		uses[r.IntN(1+r.IntN(len(uses)))]++
	}
	for _, s := range []Shape{{1, 1}, {1, 512}, {2, 1024}, {3, 5}, {64, 1}, {64, 8}, {512, 2}, {1000, 16}, {4096, 16}, {1 << 20, 1}, {1 << 20, 8}, {1, 1 << 20}} {
		checkCorrected(t, uses, s.Sets, s.Ways)
	}
	checkCorrected(t, nil, 64, 8)
	checkCorrected(t, []uint64{5}, 64, 1)
}

func FuzzCorrected(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0, 255}, uint16(64), uint16(2), uint16(3))
	f.Add([]byte{9, 9}, uint16(1), uint16(1), uint16(1000))
	f.Fuzz(func(t *testing.T, counts []byte, sets, ways, stride uint16) {
		uses := make([]uint64, min(len(counts)*(1+int(stride)), 1<<14))
		for i, n := range counts {
			if at := i * (1 + int(stride)); at < len(uses) {
				uses[at] = uint64(n)
			}
		}
		checkCorrected(t, uses, 1+int64(sets), 1+int64(ways))
	})
}

// What the correction of a few million distances costs, beside adding them up.
func BenchmarkCorrected(b *testing.B) {
	uses := make([]uint64, 4<<20)
	for i := range uses {
		uses[i] = uint64(i)
	}
	sum := 0.0
	b.Run("sum", func(b *testing.B) {
		for range b.N {
			for _, n := range uses {
				sum += float64(n)
			}
		}
		b.ReportMetric(float64(len(uses))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mdist/s")
	})
	b.Run("65536x16", func(b *testing.B) {
		for range b.N {
			sum += corrected(uses, 1<<16, 16)
		}
		b.ReportMetric(float64(len(uses))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mdist/s")
	})
}
