package marshal

import (
	"math/rand/v2"
	"spoor/traces/trace"
	"testing"
)

// Pages that are made to crowd are spread as others are, and their lines found.
func TestCrowdedPages(t *testing.T) {
	const inverse = 0xF1DE83E19937733D // of the factor
	s, r := newLineSet(64, trace.DataOps), rand.New(rand.NewPCG(1, 1))
	var lines []uint64
	for len(lines) < 4000 {
		if page := r.Uint64() >> 20 * inverse; page < 1<<52 {
			lines = append(lines, page<<pageShift)
			s.use(page << pageShift)
		}
	}
	if s.factor == golden {
		t.Error("the hash is that for which pages were made")
	}
	for _, line := range lines {
		if !s.has(line) || s.has(line+1) {
			t.Fatalf("line %#x: %v, and its neighbour %v", line, s.has(line), s.has(line+1))
		}
	}
}
