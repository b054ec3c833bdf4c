package phases

import (
	"context"
	"iter"
	"math/rand/v2"
	"reflect"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// scattered is a table with its rows in batches of a few, in another order.
type scattered struct {
	*store.Table
	random *rand.Rand
}

func (s scattered) Batches() iter.Seq2[*store.Table, error] {
	return func(yield func(*store.Table, error) bool) {
		left := s.random.Perm(s.Rows())
		for len(left) > 0 {
			n := 1 + s.random.IntN(min(5, len(left)))
			if !yield(s.rows(left[:n]), nil) {
				return
			}
			left = left[n:]
		}
	}
}

func (s scattered) rows(of []int) *store.Table {
	out := &store.Table{Name: s.Name, Meta: s.Meta}
	for _, c := range s.Columns {
		switch d := c.Data.(type) {
		case []int32:
			c.Data = picked(d, of)
		case []int64:
			c.Data = picked(d, of)
		case []uint64:
			c.Data = picked(d, of)
		case []string:
			c.Data = picked(d, of)
		}
		out.Columns = append(out.Columns, c)
	}
	return out
}

func picked[T any](all []T, of []int) (out []T) {
	for _, i := range of {
		out = append(out, all[i])
	}
	return out
}

// However a table is cut, and in whatever order its rows come, it is the same profile.
func TestLoadInParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		a := &Analysis{Lines: []unit.Bytes{32, 64}, Sets: []int64{1, 4}, Window: 40, PerNode: []int{1}, Block: 128, Placements: placements, Networks: networks, Delays: []unit.Instructions{0, 50}}
		results, err := analysis.Run(context.Background(), randomTrace(random, 3, 2, 200), analysis.Options{}, a)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Load(results[0].Full, 64)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := Load(scattered{results[0].Full, random}, 64)
		if err != nil {
			t.Fatal(err)
		}
		for phase := range whole.Windows {
			for at := range whole.Windows[phase] {
				for p := range trace.Proc(3) {
					for _, sets := range a.Sets {
						want, err1 := whole.WindowCounts(p, phase, at, sets, 2)
						got, err2 := parts.WindowCounts(p, phase, at, sets, 2)
						if err1 != nil || err2 != nil || got != want || parts.Windows[phase][at] != whole.Windows[phase][at] {
							t.Fatalf("phase %d, window %d, processor %d: %+v, %v, want %+v, %v", phase, at, p, got, err2, want, err1)
						}
					}
				}
			}
		}
		for _, placement := range placements {
			want, err1 := LoadTraffic(results[0].Tables[1], 128, 1, placement, Switch)
			got, err2 := LoadTraffic(scattered{results[0].Tables[1], random}, 128, 1, placement, Switch)
			if err1 != nil || err2 != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("traffic differs: %v, %v", err1, err2)
			}
		}
	}
}
