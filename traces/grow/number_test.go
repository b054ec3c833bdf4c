package grow

import "testing"

// samplesOf are the values of a function of the rank, the number of ranks and the round.
func samplesOf(value func(rank, ranks, round int) int64, counts ...int) (all []sample) {
	for _, n := range counts {
		for rank := range n {
			for round := range 3 {
				p := placeOf(grid{}, rank, n)
				all = append(all, sample{place: &p, round: round, rounds: 3, peer: -1, value: value(rank, n, round)})
			}
		}
	}
	return all
}

// The formula of recorded numbers gives those of other numbers of ranks.
func TestFormulas(t *testing.T) {
	for name, f := range map[string]func(rank, ranks, round int) int64{
		"constant":              func(_, _, _ int) int64 { return 42 },
		"by rank":               func(rank, _, _ int) int64 { return int64(10 + 3*rank) },
		"by round":              func(_, _, round int) int64 { return int64(7 + round) },
		"divided":               func(_, n, _ int) int64 { return int64(1<<20) / int64(n) },
		"divided, rounded down": func(_, n, _ int) int64 { return 8 * (100000 / int64(n)) },
		"divided, rounded up":   func(_, n, _ int) int64 { return 8 * ((100000 + int64(n) - 1) / int64(n)) },
		"per rank":              func(_, n, _ int) int64 { return int64(24 * n) },
		"halved in each round":  func(_, _, round int) int64 { return 4096 >> round },
		"the first get more":    func(rank, n, _ int) int64 { return 4 * (1003/int64(n) + int64(btoi(rank < 1003%n))) },
		"blocks": func(rank, n, _ int) int64 {
			return 4 * (int64(rank+1)*1003/int64(n) - int64(rank)*1003/int64(n))
		},
		"affine in the ranks": func(_, n, _ int) int64 { return int64(16 + 5*n) },
	} {
		t.Run(name, func(t *testing.T) {
			n, ok := fit(samplesOf(f, 4, 6, 9))
			if !ok {
				t.Fatal("no formula")
			}
			for _, s := range samplesOf(f, 17, 64) {
				if got, _ := n.at(&s); got != s.value {
					t.Fatalf("rank %d of %d, round %d: got %d, want %d (%+v)", s.place.rank, s.place.ranks, s.round, got, s.value, n)
				}
			}
		})
	}
}

func TestNoFormula(t *testing.T) {
	if n, ok := fit(samplesOf(func(rank, n, _ int) int64 { return int64(mix(int32(rank), int32(n)) % 1000) }, 4, 6, 9)); ok {
		t.Errorf("random numbers have the formula %+v", n)
	}
}

// The sides of a balanced grid multiply to the number of ranks, and their sum is the least of all.
func TestBalancedGrids(t *testing.T) {
	for n := 1; n <= 200; n++ {
		sum := 3 * n
		for a := 1; a <= n; a++ {
			for b := 1; b <= n/a; b++ {
				if n%(a*b) == 0 {
					sum = min(sum, a+b+n/(a*b))
				}
			}
		}
		s := balanced(n, 3)
		if s[0]*s[1]*s[2] != n || s[0]+s[1]+s[2] != sum || s[0] < s[1] || s[1] < s[2] {
			t.Errorf("%d ranks: %v, but the least sum is %d", n, s, sum)
		}
	}
}

// In a fold, partners are each other's partners, and each active rank has one.
func TestFolds(t *testing.T) {
	for n := 2; n < 70; n++ {
		f := foldOf(n)
		for bit := 1; bit < f.active; bit *= 2 {
			active := 0
			for x := range n {
				y, ok := f.partner(x, bit)
				if !ok {
					continue
				}
				active++
				if z, ok := f.partner(y, bit); !ok || z != x || y == x || y >= n {
					t.Errorf("%d ranks, bit %d: %d has the partner %d, which has %d", n, bit, x, y, z)
				}
			}
			if active != f.active {
				t.Errorf("%d ranks, bit %d: %d active ranks, want %d", n, bit, active, f.active)
			}
		}
	}
}
