package reuse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/internal/definition"
	"spoor/analyze/internal/lines"
)

// Scattered lines get pages of their own, and neighbours share pages again when there are enough of them.
// Neither changes any distance or the order of lines, with and without slots for the newest lines.
func TestPagesFollowLines(t *testing.T) {
	for _, hot := range []uint64{1, 4} {
		r := rand.New(rand.NewPCG(1, hot))
		var stream []uint64
		for phase, n := range []uint64{200, 400, 3600, 3000} {
			every, phase := []uint64{1, 64}[phase%2], uint64(phase)
			for i := range n {
				stream = append(stream, phase<<40+i*every)
				for i := uint64(0); i < hot; i++ {
					stream = append(stream, phase<<40+r.Uint64N(i+1)*every)
				}
			}
		}
		check(t, stream, 1000)
		for _, c := range []*workers{nil, newWorkers(2, 0)} {
			s, naive := newCareful(c), new(definition.Stack)
			var seen []lines.Sharing
			for part := range slices.Chunk(stream, 200) {
				if err := s.Touch(part); err != nil {
					t.Fatal(err)
				}
				for _, l := range part {
					naive.Touch(l)
				}
				seen = append(seen, s.lines.(*lines.Table).Sharing())
			}
			if got := slices.Compact(seen); !slices.Equal(got, []lines.Sharing{lines.Neighbours, lines.Alone, lines.Neighbours, lines.Alone}) {
				t.Errorf("lines shared pages by %v", got)
			}
			if c == nil {
				if got := s.order(); !slices.Equal(got, reversed(naive.Order)) {
					t.Error("lines are in another order")
				}
			}
		}
	}
}

func reversed(lines []uint64) []uint64 {
	lines = slices.Clone(lines)
	slices.Reverse(lines)
	return lines
}

// What is kept by place is no more than a few words a line, wherever lines lie.
func TestPlacesAreBoundedByLines(t *testing.T) {
	for _, every := range []uint64{1, 3, 4, 6, 8, 16, 64, 1 << 40} {
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			s := newCareful(nil)
			for n := uint64(1); n <= 30_000; n++ {
				if err := s.Touch([]uint64{n * every}); err != nil {
					t.Fatal(err)
				}
				if n > 500 && len(s.slots) > 9*int(n) {
					t.Fatalf("%d slots for %d lines, every %d", len(s.slots), n, every)
				}
			}
			if of := s.lines.(*lines.Table).Sharing(); (of == lines.Neighbours) != (every <= 5) {
				t.Errorf("lines share pages by %d where every %d is used", of, every)
			}
		})
	}
}
