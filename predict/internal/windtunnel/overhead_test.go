package windtunnel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"spoor/analyze/footprint"
)

func TestMostActive(t *testing.T) {
	for _, row := range []struct {
		k    int
		prob float64
		p    int
		want float64
	}{{8, .7, 4, 6.8621}, {1, .7, 32, 1.0}, {32, .7, 1, 22.4}, {4, 0, 8, 0}, {4, 1, 8, 4}, {1, .5, 2, .75}} {
		within(t, "E[max B]", mostActive(row.k, row.prob, row.p), row.want, 1e-4)
	}
	for _, k := range []int{1, 2, 7, 32, 500} { // the sum as it stands, with another distribution function
		for _, prob := range []float64{1e-6, .1, .5, .9, 1 - 1e-6} {
			for _, p := range []int{1, 2, 32, 1000} {
				want := 0.0
				for x := 0; x <= k; x++ {
					want += 1 - math.Pow(distuv.Binomial{N: float64(k), P: prob}.CDF(float64(x)), float64(p))
				}
				within(t, "eq. 2", mostActive(k, prob, p), want, 1e-7)
			}
		}
	}
}

func TestDirect(t *testing.T) {
	p := &Parameters{Switch: 60, Underflows: 1.5, Underflow: 40, FloatingPt: 30}
	if got := p.direct(4, 2); got != 4*(60+60)+2*30 { // eq. 3
		t.Error(got)
	}
}

// Printed interference of two targets, of which footprints are equal, is twice that of eq. 13 or 7. Numbers are
// from sums in exact arithmetic; as printed, with the sum from m = 1 (-12.66 of 64 sets, -43.74 of 256) and P{Y=0} once too
// often (0.6235 of 64 sets, 0.4571 of 256).
func TestPrintedInterference(t *testing.T) {
	printed, _ := Named("printed")
	paper, _ := Named("paper")
	for _, row := range []struct {
		sets, ways           int
		f                    Footprints
		printed, paper, zero float64 // of each; zero: what eq. 14 makes of one target
	}{
		{64, 1, Footprints{10, 20, 20}, -52.56, 1.04, math.NaN()},
		{64, 1, Footprints{40, 10, 10}, math.NaN(), math.NaN(), math.NaN()},
		{256, 1, Footprints{100, 100, 100}, -160.76, 5.96, math.NaN()},
		{1, 64, Footprints{10, 10, 10}, -3.99, -3.99, math.NaN()},
		{1, 64, Footprints{20, 0, 0}, -11.706, -11.706, -11.706},
		{2048, 1, Footprints{800, 500, 500}, math.NaN(), math.NaN(), -1736.7},
	} {
		t.Run(fmt.Sprintf("%v %v", row.sets, row.printed), func(t *testing.T) {
			l := &Level{Shape: footprint.Shape{Sets: row.sets, Ways: row.ways}, Miss: 1, Trace: row.f}
			for _, m := range []struct {
				model Model
				want  float64
			}{{printed, row.printed}, {paper, row.paper}} {
				got, err := l.interference(m.model, 2)
				if err != nil {
					t.Fatal(err)
				}
				if !math.IsNaN(m.want) {
					within(t, m.model.Name, got/2, m.want, 4e-3)
				}
			}
			if got, err := l.interference(paper, 1); got != 0 || err != nil {
				t.Errorf("one target: %v, %v", got, err)
			}
			if got, err := l.interference(printed, 1); err != nil || !math.IsNaN(row.zero) && math.Abs(got-row.zero) > 0.1 {
				t.Errorf("one target as printed: %v, %v, want %v", got, err, row.zero)
			}
		})
	}
	l := &Level{Shape: footprint.Shape{Sets: 64, Ways: 4}, Miss: 1}
	if _, err := l.interference(printed, 2); err == nil {
		t.Error("the paper has no such cache")
	}
}

// simulatedInterference is M(k) of k processes that take turns in one LRU cache, where every block lies in
// a random set, the same for all who share it: what their projections have lost when they run again.
func simulatedInterference(r *rand.Rand, s footprint.Shape, f Footprints, k int) float64 {
	type block struct{ owner, number int } // owner -1: shared
	place := map[block]int{}
	sets := make([][]block, s.Sets)
	has := func(set []block, b block) int {
		for i, x := range set {
			if x == b {
				return i
			}
		}
		return -1
	}
	set := func(b block) *[]block {
		at, ok := place[b]
		if !ok {
			at = r.IntN(s.Sets)
			place[b] = at
		}
		return &sets[at]
	}
	footprints := make([][]block, k)
	for p := range footprints {
		own := int(f.Average)
		if p == 0 {
			own = int(f.Largest)
		}
		for i := range int(f.Shared) {
			footprints[p] = append(footprints[p], block{-1, i})
		}
		for i := range own {
			footprints[p] = append(footprints[p], block{p, i})
		}
	}
	resident := func(p int) (n int) {
		for _, b := range footprints[p] {
			if has(*set(b), b) >= 0 {
				n++
			}
		}
		return n
	}
	left, lost := make([]int, k), 0
	const turns = 4
	for turn := range turns {
		for p, blocks := range footprints {
			if turn > 0 {
				lost += left[p] - resident(p)
			}
			r.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
			for _, b := range blocks {
				at := set(b)
				if i := has(*at, b); i >= 0 {
					*at = append((*at)[:i], (*at)[i+1:]...)
				} else if len(*at) == s.Ways {
					*at = (*at)[1:]
				}
				*at = append(*at, b)
			}
			left[p] = resident(p)
		}
	}
	return float64(lost) / (turns - 1)
}

// Interference of several targets against caches that are simulated.
func TestInterferenceAgainstSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	bounded, _ := Named("bounded")
	for _, row := range []struct {
		shape footprint.Shape
		f     Footprints
		k     int
	}{
		{footprint.Shape{Sets: 1, Ways: 64}, Footprints{10, 10, 20}, 2}, {footprint.Shape{Sets: 1, Ways: 64}, Footprints{10, 10, 20}, 8},
		{footprint.Shape{Sets: 1, Ways: 64}, Footprints{5, 40, 50}, 3}, {footprint.Shape{Sets: 256, Ways: 1}, Footprints{30, 20, 40}, 2},
		{footprint.Shape{Sets: 256, Ways: 1}, Footprints{30, 20, 40}, 8}, {footprint.Shape{Sets: 256, Ways: 1}, Footprints{0, 60, 60}, 4},
		{footprint.Shape{Sets: 64, Ways: 4}, Footprints{30, 20, 40}, 8}, {footprint.Shape{Sets: 256, Ways: 1}, Footprints{50, 0, 0}, 4},
	} {
		l := &Level{Shape: row.shape, Miss: 1, Turn: row.f}
		got, err := l.interference(bounded, row.k)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		const runs = 40
		for range runs {
			want += simulatedInterference(r, row.shape, row.f, row.k) / runs
		}
		if math.Abs(got-want) > 0.05*want+0.7 {
			t.Errorf("%v %+v, %d targets: model %v, simulated %v", row.shape, row.f, row.k, got, want)
		}
	}
}
