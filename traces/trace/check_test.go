package trace

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPlainEventsAreLegal compares the check without branches with that of each event: what it accepts is legal, and it refuses
// nothing that programs have.
func TestPlainEventsAreLegal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	narrow := []int32{None, 0, 5, math.MaxInt32 - 1, -2, math.MinInt32}
	wide := []int64{0, 1, math.MaxInt64, -1, math.MinInt64}
	for range 200_000 {
		usual := random.IntN(4) > 0
		pick := func(n int) int {
			if usual {
				return random.IntN(n/2 + 1)
			}
			return random.IntN(n)
		}
		rows := make([]Event, random.IntN(3))
		total := []uint64{0, 9, math.MaxUint64}[pick(3)]
		for i := range rows {
			rows[i] = Event{Kind: Kind(1 + pick(int(endKind)+2)), Refs: []uint64{0, 9, 9, 10, math.MaxUint64}[pick(5)],
				Peer: narrow[pick(6)], Tag: narrow[pick(6)], Group: narrow[pick(6)], Request: narrow[pick(6)],
				Bytes: wide[pick(5)], Addr: wide[pick(5)], Count: wide[pick(5)], Block: wide[pick(5)], Work: wide[pick(5)], Stride: wide[pick(5)]}
			if random.IntN(50) == 0 {
				rows[i].Kind = 0
			}
		}
		last, problem := uint64(0), ""
		for i := range rows {
			if problem == "" {
				problem = eventProblem(&rows[i], last, total)
			}
			last = rows[i].Refs
		}
		if plain := plainEvents(rows, 0, total); plain && problem != "" || !plain && problem == "" && last < math.MaxInt64 {
			t.Fatalf("%+v of %d references: plain %v, but %q", rows, total, plain, problem)
		}
	}
}
