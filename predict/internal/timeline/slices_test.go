package timeline

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// Rank 0 computes 7 and sends for 5; rank 1 waits up to 50, receives for 5 and computes for 500. 560 ps are 140 slices of 4.
func TestSlicesByHand(t *testing.T) {
	s := NewSlices(2)
	run(t, model, [][]program.Op{{op(program.Send, 7, 1, 10)}, {op(program.Recv, 9, 0, 0), op(program.Compute, 500, 0, 0)}}, s)
	if s.Width() != 4 || len(s.Rank(0)) != 3 || len(s.Rank(1)) != 139 {
		t.Fatalf("slices of %d, %d and %d of them", s.Width(), len(s.Rank(0)), len(s.Rank(1)))
	}
	want := []Parts{{observe.Computing: 4}, {observe.Computing: 3, observe.Overhead: 1}, {observe.Overhead: 4}}
	if got := s.Rank(0); !reflect.DeepEqual(got, want) {
		t.Errorf("rank 0: got %v, want %v", got, want)
	}
	// 9 computed; up to 12 for what is not sent, and then for what is on its way, up to 50.
	if got, want := s.Rank(1)[2:4], []Parts{{observe.Computing: 1, observe.Waiting: 3}, {observe.Latency: 4}}; !reflect.DeepEqual(got, want) {
		t.Errorf("rank 1: got %v, want %v", got, want)
	}
}

// Slices that grew are those that had been so wide from the beginning, in whatever order spans come.
func TestSlicesGrow(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	longest := NewSlices(1) // that a run can be
	longest.Span(0, observe.Computing, 0, math.MaxInt64)
	if w := longest.Width(); w != 1<<55 || longest.Rank(0)[255][observe.Computing] != w-1 {
		t.Errorf("slices of %d, the last %v", w, longest.Rank(0)[255])
	}
	for range 50 {
		type span struct {
			rank     int32
			what     observe.Part
			from, to unit.Picos
		}
		var spans []span
		for rank := range int32(3) {
			at := unit.Picos(0)
			for range random.IntN(40) {
				from := at
				at += unit.Picos(random.Int64N(1 << random.IntN(30)))
				spans = append(spans, span{rank, 1 + observe.Part(random.IntN(int(observe.Waiting))), from, at})
			}
		}
		random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		s, end := NewSlices(3), unit.Picos(1)
		for _, x := range spans {
			s.Span(x.rank, x.what, x.from, x.to)
			end = max(end, x.to)
		}
		if s.Width()*MostSlices < end || s.Width() > 1 && s.Width()*MostSlices/2 >= end {
			t.Errorf("%d slices of %d for %d", MostSlices, s.Width(), end)
		}
		for rank := range 3 {
			for i, got := range s.Rank(rank) {
				var want Parts
				for _, x := range spans {
					if lo, hi := max(x.from, unit.Picos(i)*s.Width()), min(x.to, unit.Picos(i+1)*s.Width()); int(x.rank) == rank && lo < hi {
						want[x.what] += hi - lo
					}
				}
				if got != want {
					t.Fatalf("rank %d, slice %d: got %v, want %v", rank, i, got, want)
				}
			}
		}
	}
}

// Slices add up to what the engine says of each rank.
func TestSlicesAddUp(t *testing.T) {
	ops := [][]program.Op{{op(program.Send, 7, 1, 10), op(program.Recv, 90, 1, 0)}, {op(program.Recv, 9, 0, 0), op(program.Send, 1000, 0, 200)}}
	s := NewSlices(2)
	res := run(t, model, ops, s)
	for rank := range ops {
		var sum Parts
		for _, parts := range s.Rank(rank) {
			for k, v := range parts {
				sum[k] += v
			}
		}
		for k, v := range res.Ranks[rank].Parts {
			if v != sum[k] {
				t.Errorf("rank %d, %v: slices have %d, the result %d", rank, observe.Part(k), sum[k], v)
			}
		}
	}
}
