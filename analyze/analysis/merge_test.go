package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Instructions of many references are added eight at a time, up to a limit or all, and are those of one after the other.
func TestWithinIsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for range 2000 {
		instr := make([]uint32, r.IntN(40))
		sum := uint64(0)
		for i := range instr {
			instr[i] = r.Uint32() >> r.UintN(33)
			sum += uint64(instr[i])
		}
		if got := uint64(SumInstr(instr)); got != sum {
			t.Fatalf("%d execute %d, not %d", instr, got, sum)
		}
		for _, most := range []uint64{0, 1, sum / 2, sum - min(sum, 1), sum, math.MaxUint64} {
			n, executed := 0, uint64(0)
			for n < len(instr) && executed+uint64(instr[n]) <= most {
				executed += uint64(instr[n])
				n++
			}
			if got, of := PrefixWithin(instr, most); got != n || of != executed {
				t.Fatalf("%d: %d execute %d of at most %d instructions, not %d that execute %d", instr, got, of, most, n, executed)
			}
		}
	}
}
