package windtunnel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/calibrate/param"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// alikeSamples is quanta of targets that execute for as long as chance has it, of 100 cycles at most.
func alikeSamples(targets, quanta int) *Samples {
	r := rand.New(rand.NewPCG(11, 3))
	return sampled(targets, quanta, func(_, _ int) float64 { return 50 + 50*math.Sqrt(r.Float64()) })
}

func sampled(targets, quanta int, time func(q, target int) float64) *Samples {
	s := &Samples{Targets: targets}
	for q := range quanta {
		for i := range targets {
			x := time(q, i)
			s.times, s.active = append(s.times, x), append(s.active, x > 0)
		}
	}
	return s
}

// parametersOf are those of a run all quanta of which are sampled, on a host where operations cost nothing.
func parametersOf(s *Samples) *Parameters {
	_, all := s.ordered()
	n, quanta := float64(len(s.times)), float64(s.quanta())
	p := &Parameters{Targets: s.Targets, Mu: unit.Cycles(all.time / n), Quantum: 100, Active: all.active / quanta, Running: all.running / quanta,
		SigmaActive: math.NaN(), SigmaRunning: math.NaN(), Kinds: s.kinds(), Sampled: s}
	p.Sigma = unit.Cycles(math.Sqrt(all.squares / quanta / float64(s.Targets-1)))
	return p
}

func placedOn(t *testing.T, s *Samples, p Placement, hosts int, set func(*Parameters)) Time {
	t.Helper()
	m, _ := Named("placed")
	in := parametersOf(s)
	if set != nil {
		set(in)
	}
	c, err := newCalculator(m, in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.on(p).time(s.Targets/hosts, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What no model of targets that are alike can know, by hand: of 8 targets, 3 and 7 execute all the time and the others for 75 of 100 cycles. In turn on four hosts
// both come to one. Two that take turns are never slow together, and two that execute together always are.
func TestPlacedByHand(t *testing.T) {
	block, cyclic := Placements[0], Placements[1]
	uneven := sampled(8, 320, func(_, i int) float64 {
		if i%4 == 3 {
			return 100
		}
		return 75
	})
	turns := sampled(4, 320, func(q, i int) float64 { return 100 * float64((q+i)%2) })    // 0 and 2, then 1 and 3
	halves := sampled(4, 320, func(q, i int) float64 { return 100 * float64((q+i/2)%2) }) // 0 and 1, then 2 and 3
	coins := sampled(2, 3200, func(q, i int) float64 { return 100 * float64(q>>i&1) })    // all four equally often
	for name, c := range map[string]struct {
		s    *Samples
		p    Placement
		want float64
	}{
		"uneven in blocks":  {uneven, block, 175},
		"uneven in turn":    {uneven, cyclic, 200},
		"turns in blocks":   {turns, block, 100},
		"turns in turn":     {turns, cyclic, 200},
		"halves in blocks":  {halves, block, 200},
		"halves in turn":    {halves, cyclic, 100},
		"independent coins": {coins, block, 75},
	} {
		hosts := map[int]int{2: 2, 4: 2, 8: 4}[c.s.Targets]
		got := placedOn(t, c.s, c.p, hosts, nil)
		within(t, name, float64(got.processing()), c.want, 0.003)
	}
}

// Of targets that are alike and independent, it is what bounded has.
func TestPlacedOfTargetsThatAreAlike(t *testing.T) {
	s := alikeSamples(32, 1600)
	for hosts := 2; hosts <= 32; hosts *= testsize.Cases(2, 16) {
		want := timeOf(t, "bounded", parametersOf(s), 32/hosts, hosts)
		for _, p := range Placements {
			within(t, p.Name, float64(placedOn(t, s, p, hosts, nil).total()), float64(want.total()), 0.01)
		}
	}
}

// The slowest host is not faster than the one that is slowest on average, nor slower than all together; the same samples have the same time; what
// switches cost is between what the mean host and all targets of one pay; and without it there is processing alone.
func TestPlacedHoldsItsLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s := sampled(8, 400, func(q, i int) float64 {
		if r.Float64() < 0.1*float64(1+i) {
			return 100 * r.Float64()
		}
		return 0
	})
	for hosts := 2; hosts <= 8; hosts *= 2 {
		for _, p := range Placements {
			k := 8 / hosts
			most, of := make([]float64, hosts), p.Of(k, hosts)
			for at, x := range s.times {
				most[of[at%8]] += x / 400
			}
			got := placedOn(t, s, p, hosts, nil)
			if x, all := float64(got.processing()), 8*float64(parametersOf(s).Mu); x < most[hosts-1] || x > all || x > 100*float64(k) || got.total() != got.processing() {
				t.Errorf("%s on %d: %+v; the mean of the last host is %v, of all %v", p.Name, hosts, got, most[hosts-1], all)
			}
			if again := placedOn(t, s, p, hosts, nil); again != got {
				t.Errorf("%s on %d: %+v and %+v", p.Name, hosts, got, again)
			}
			with := placedOn(t, s, p, hosts, func(in *Parameters) { in.Switch, in.FloatingPt = 10, 5 })
			if x := float64(with.Switch); x < 15*parametersOf(s).Active/float64(hosts)*0.99 || x > 15*float64(k) || with.Work != got.Work || with.Interference() != 0 {
				t.Errorf("%s on %d: %+v", p.Name, hosts, with)
			}
		}
	}
}

// The factor of a matrix is its root, if rows depend on each other too.
func TestRoot(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, rank := range []int{1, 3, 7, 12} {
		t.Run(fmt.Sprint(rank), func(t *testing.T) {
			const n = 7
			a := make([]float64, n*n)
			for range rank {
				v := make([]float64, n)
				for i := range v {
					v[i] = r.NormFloat64()
				}
				for i := range n {
					for j := range n {
						a[i*n+j] += v[i] * v[j]
					}
				}
			}
			f := append([]float64(nil), a...)
			root(f, n)
			for i := range n {
				for j := range i + 1 {
					sum := 0.0
					for k := range j + 1 {
						sum += f[i*n+k] * f[j*n+k]
					}
					if math.Abs(sum-a[i*n+j]) > 1e-6*float64(rank) {
						t.Errorf("rank %d: row %d, column %d is %v, want %v", rank, i, j, sum, a[i*n+j])
					}
				}
			}
		})
	}
}

// Marginals have the mean and the standard deviation that they are made of, and keep to their bounds.
func TestMarginals(t *testing.T) {
	for _, c := range []struct{ mean, sd, most float64 }{{75, 20, 100}, {50, 50, 100}, {50, 49, 100}, {3, 15, 100}, {400, 1, 800}, {400, 1e-3, 800}, {7, 0, 9}, {0, 0, 9}, {9, 0, 9}, {1, 1, 1600}} {
		t.Run(fmt.Sprintf("%v %v", c.mean, c.sd), func(t *testing.T) {
			m := newMarginal(c.mean, c.sd, c.most)
			var sum, squares float64
			const n = 200_000
			for i := range n {
				x := m.at(math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/n-1))
				if x < 0 || x > c.most {
					t.Fatalf("%+v: %v", c, x)
				}
				sum += x / n
				squares += (x - c.mean) * (x - c.mean) / n
			}
			if sd := math.Sqrt(squares); math.Abs(sum-c.mean) > 2e-3*c.mean+0.01*c.sd || math.Abs(sd-c.sd) > 0.01*c.sd {
				t.Errorf("%+v: mean %v, standard deviation %v", c, sum, sd)
			}
		})
	}
}

// Two halves of quanta are all of them, in blocks of the root of their number; what is measured of one is predicted from the other, and its interval holds
// it where all quanta are alike.
func TestHalves(t *testing.T) {
	s := alikeSamples(2, 400)
	r := &Run{Samples: s, Parameters: *parametersOf(s)}
	halves := r.halves()
	if a, b := halves[0].Samples, halves[1].Samples; a.quanta() != 200 || b.quanta() != 200 || a.times[0] != s.times[0] || b.times[0] != s.times[20*2] {
		t.Fatalf("%d and %d quanta", a.quanta(), b.quanta())
	}
	if a, b := halves[0].Parameters.Mu, halves[1].Parameters.Mu; a == b || math.Abs(float64(a+b)/2-float64(r.Parameters.Mu)) > 1e-9 {
		t.Errorf("mu of %v and %v, of all %v", a, b, r.Parameters.Mu)
	}
	r.Params = &param.Set{}
	rows, err := newMeasured(r).CrossValidate()
	inside, all := 0, 0
	for _, row := range rows {
		if m, _ := Named(row.Model); m.kinds {
			if all++; row.inside() {
				inside++
			}
		}
	}
	if err != nil || all != 2*2*2 || inside < all-1 {
		t.Errorf("%d of %d inside, %v", inside, all, err)
	}
	few := &Run{Samples: alikeSamples(2, 40)}
	if _, err := newMeasured(few).CrossValidate(); err == nil || !strings.Contains(err.Error(), "too few samples") {
		t.Error(err)
	}
}
