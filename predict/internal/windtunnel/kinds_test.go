package windtunnel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func timeOf(t *testing.T, model string, p *Parameters, k, hosts int) Time {
	t.Helper()
	m, err := Named(model)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCalculator(m, p)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.time(k, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Quanta of one kind are bounded's.
func TestOneKindIsBounded(t *testing.T) {
	for _, hosts := range []int{1, 4, 32} {
		t.Run(fmt.Sprint(hosts), func(t *testing.T) {
			if a, b := timeOf(t, "kinds", parameters(), 32/hosts, hosts), timeOf(t, "bounded", parameters(), 32/hosts, hosts); a != b {
				t.Errorf("%d hosts: %+v, want %+v", hosts, a, b)
			}
		})
	}
}

// Kinds add up to all quanta, whatever these are.
func TestKindsAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	s := &Samples{Targets: 5}
	for range 333 {
		share := r.Float64()
		for range s.Targets {
			x := 0.0
			if r.Float64() < share {
				x = 100 * r.Float64()
			}
			s.times, s.active = append(s.times, x), append(s.active, x > 0)
		}
	}
	var weight, mu, square, active float64
	kinds := s.kinds()
	for i, k := range kinds {
		weight, mu, active = weight+k.Weight, mu+k.Weight*k.Mu, active+k.Weight*k.Active
		square += k.Weight * k.Sigma * k.Sigma
		if i > 0 && k.Mu < kinds[i-1].Mu {
			t.Error("kinds do not rise")
		}
	}
	for what, got := range map[string]float64{"weight": weight, "mu": mu, "sigma": square, "active": active} {
		within(t, what, got, 1, 1e-9)
	}
}

// Where all targets execute in one half of the quanta, and none in the other, no host is slower than another: that is what a
// mean quantum cannot know. Where one target executes at a time, the slowest host is the only one.
func TestKindsOfAMixture(t *testing.T) {
	for _, c := range []struct {
		name    string
		busy    func(q, i int) bool
		slowest float64 // of 8 hosts with a target each, over the mean, in quanta of 100 cycles
		within  float64
	}{
		{"all or none", func(q, _ int) bool { return q%2 == 0 }, 1, 1e-9},
		{"all, or one in turn", func(q, i int) bool { return q%2 == 0 || q/2%8 == i }, (100 + 100) / (100 + 12.5), 0.2},
	} {
		s := &Samples{Targets: 8}
		n := 0.0
		for q := range 1600 {
			for i := range s.Targets {
				x := 0.0
				if c.busy(q, i) {
					x, n = 100, n+1
				}
				s.times, s.active = append(s.times, x), append(s.active, x > 0)
			}
		}
		all := sums{}
		for q := range s.quanta() {
			all.add(s.sums(q))
		}
		p := &Parameters{Targets: 8, Quantum: 100, SigmaActive: math.NaN(), SigmaRunning: math.NaN(), Kinds: s.kinds()}
		p.Mu = p.within(100 * n / float64(len(s.times)))
		p.Sigma = p.within(math.Sqrt(all.squares / float64(7*s.quanta())))
		got := timeOf(t, "kinds", p, 1, 8)
		ratio := float64(got.processing()) / float64(p.Mu)
		if math.Abs(ratio-c.slowest) > c.within*c.slowest {
			t.Errorf("%s: the slowest takes %v times the mean, want %v", c.name, ratio, c.slowest)
		}
	}
}
