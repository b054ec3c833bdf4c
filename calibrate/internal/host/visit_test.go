package host

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/traces/unit"
)

// A launch has its share of the budget, if one can wait, and begins at once if those before it took longer.
func TestLaunchesAreSpread(t *testing.T) {
	for _, c := range []struct {
		takes, budget unit.Seconds
		wait          bool
		want          []float64 // when launches begin, in seconds
	}{
		{1, 20, true, []float64{0, 4, 8, 12, 16}},
		{1, 20, false, []float64{0, 1, 2, 3, 4}},
		{4.5, 20, true, []float64{0, 5, 9, 14, 18}},
		{8, 20, true, []float64{0, 8, 16}}, // no launch begins after the budget, if there were three
	} {
		t.Run(fmt.Sprint(c.want), func(t *testing.T) {
			h := &scripted{sentinels: always(1e-7)}
			var begun []float64
			v := Visit{Host: h, Rules: Hasty, Points: 1, Launches: 5, Budget: c.budget, Step: func() { h.now += c.takes },
				Launch: func(int) error { begun = append(begun, float64(int(h.now+0.5))); return nil },
				Trial: func(int, *rand.Rand) (Trial, error) {
					return func() unit.Seconds { return 1e-6 }, nil
				},
			}
			if c.wait {
				v.Wait = func(_ context.Context, d unit.Seconds) error { h.now += d; return nil }
			}
			if _, launches, err := v.Run(context.Background()); err != nil || launches != len(c.want) || !slices.Equal(begun, c.want) {
				t.Errorf("%+v: %d launches, at %v, %v", c, launches, begun, err)
			}
		})
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Sleep(ctx, 1000); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := Sleep(context.Background(), 0); err != nil {
		t.Error(err)
	}
}
