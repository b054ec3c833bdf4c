package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// playOverlap is the rule of predict/internal/memsys for one processor, missing at random: it returns the mean wait per miss.
func playOverlap(r *rand.Rand, o overlap, miss, gap float64, misses int) float64 {
	type pending struct{ done, room float64 }
	var under []pending
	now, waited := 0.0, 0.0
	wait := func(t float64) {
		if t <= 0 {
			return
		}
		now, waited = now+t, waited+t
		for i := range under {
			under[i].room += t
		}
	}
	for range misses {
		next := r.ExpFloat64() * gap // instructions to the next miss
		for next > 0 || len(under) > 0 && under[0].done <= now {
			if len(under) == 0 {
				now, next = now+next, 0
				continue
			}
			first := under[0]
			if first.done <= now {
				under = under[1:]
				continue
			}
			if stop := min(first.done, first.room); stop > now {
				step := min(next, stop-now)
				now, next = now+step, next-step
				if next == 0 {
					break
				}
			}
			if first.done > now && first.room <= now {
				wait(first.done - now)
			}
		}
		if len(under) > 0 && float64(len(under)) == o.outstanding {
			wait(under[0].done - now)
			under = under[1:]
		}
		under = append(under, pending{now + miss, now + o.window})
	}
	return waited / float64(misses)
}

// The part of misses that is waited for, by its rule played with random misses.
func TestWaitedIsWhatTheRuleWaits(t *testing.T) {
	for _, row := range []struct {
		o         overlap
		miss, gap float64
		tolerance float64 // of a miss
	}{
		{overlap{outstanding: 8, window: 32}, 80, 1000, 0.01},
		{overlap{outstanding: 8, window: 32}, 80, 100, 0.02},
		{overlap{outstanding: 8, window: 32}, 80, 20, 0.02},
		{overlap{outstanding: 100, window: 32}, 80, 4, 0.02},
		{overlap{outstanding: 4, window: 32}, 80, 4, 0.03},
		{overlap{outstanding: 1, window: 32}, 80, 200, 0.15}, // one under way alone: the next miss waits too, if it comes in time
		{overlap{outstanding: 8, window: 100}, 80, 200, 0.01},
		{overlap{outstanding: 8, window: 100}, 80, 20, 0.02},
		{overlap{outstanding: 8, window: 10}, 300, 50, 0.02},
	} {
		t.Run(fmt.Sprint(row.gap), func(t *testing.T) {
			got := row.o.exposure(row.miss, row.gap).share()
			want := playOverlap(rand.New(rand.NewPCG(1, 9)), row.o, row.miss, row.gap, 200_000) / row.miss
			if math.Abs(got-want) > row.tolerance {
				t.Errorf("%+v, misses of %v every %v: %.4f is waited for, the rule has %.4f", row.o, row.miss, row.gap, got, want)
			}
		})
	}
}

func TestWaitedAtItsEnds(t *testing.T) {
	for _, row := range []struct {
		o               overlap
		miss, gap, want float64
	}{
		{overlap{}, 80, 10, 1}, // in order
		{overlap{outstanding: 8, window: 32}, 80, math.Inf(1), 0.6}, // alone: the window is not waited for
		{overlap{outstanding: 8, window: 90}, 80, math.Inf(1), 0},   // all of it is
		{overlap{outstanding: 8, window: 32}, 80, 0, 1.0 / 8},       // as many as may be under way, for one
		{overlap{outstanding: 8, window: 32}, 0, 10, 1},
		{overlap{outstanding: 100, window: 32}, 80, 32, 0.3},             // two together
		{overlap{outstanding: 100, window: 32, group: 1.5}, 80, 32, 0.4}, // three for two groups
		{overlap{outstanding: 8, window: 32, group: 0.5}, 80, 0, 1},      // each apart
	} {
		t.Run(fmt.Sprintf("%v %v %v", row.miss, row.gap, row.want), func(t *testing.T) {
			if got := row.o.exposure(row.miss, row.gap).share(); !near(got, row.want, 1e-12) {
				t.Errorf("%+v, misses of %v every %v: %v, want %v", row.o, row.miss, row.gap, got, row.want)
			}
		})
	}
}

// By hand: an access to memory comes through the levels before it, so that a window which hides either alone does not hide both.
func TestHierarchyIsWaitedForAsAWhole(t *testing.T) {
	far := func(float64) float64 { return math.Inf(1) }
	for _, row := range []struct {
		o               overlap
		inner           []float64
		memory          float64
		inside, exposed float64
	}{
		{overlap{}, []float64{5, 3}, 1, 5*20 + 3*10, 1},                                        // in order: every miss, each level of it
		{overlap{outstanding: 8, window: 90}, []float64{1, 1}, 1, 30 * 20.0 / 110, 20.0 / 110}, // 20 of 110 are waited for
		{overlap{outstanding: 8, window: 25}, []float64{3, 1}, 0, 5, 85.0 / 110},               // two found behind 20, and one behind 30, of which 5 are waited for
	} {
		t.Run(fmt.Sprint(row.inside), func(t *testing.T) {
			c := costs{inner: []float64{20, 10}, memory: 80, overlap: row.o}
			inside, outside := c.hierarchy(row.inner, row.memory, math.Inf(1), far)
			if !near(inside, row.inside, 1e-12) || !near(outside.share(), row.exposed, 1e-12) {
				t.Errorf("%+v, misses %v and %v: %v and %v, want %v and %v", row.o, row.inner, row.memory, inside, outside.share(), row.inside, row.exposed)
			}
		})
	}
}
