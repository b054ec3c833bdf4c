package coherence

import (
	"math/rand/v2"
	"testing"
)

// TestLines compares the table of lines with a map, through several growths.
func TestLines(t *testing.T) {
	const procs = 3
	table, want := NewTable(procs), map[uint64][procs]uint8{}
	r := rand.New(rand.NewPCG(4, 1))
	for range 50000 {
		line := r.Uint64N(8000)
		if r.IntN(8) == 0 {
			line = 1<<62 - 1 - line
		}
		got := table.Lookup(line)
		if [procs]uint8(got) != want[line] {
			t.Fatalf("line %d: %v, want %v", line, got, want[line])
		}
		got[r.IntN(procs)] = uint8(r.IntN(6))
		want[line] = [procs]uint8(got)
	}
	if table.Count != len(want) {
		t.Errorf("%d lines, want %d", table.Count, len(want))
	}
}

// Lines that are made to crowd are spread as others are, and found.
func TestCrowdedLines(t *testing.T) {
	const inverse = 0xF1DE83E19937733D // of the factor
	table, r := NewTable(1), rand.New(rand.NewPCG(1, 1))
	made := table.factor
	var lines []uint64
	for len(lines) < 2000 {
		if line := r.Uint64() >> 20 * inverse; line < 1<<62 {
			lines = append(lines, line)
			table.Lookup(line)[0] = uint8(len(lines))
		}
	}
	if table.factor == made {
		t.Error("the hash is that for which lines were made")
	}
	for i, line := range lines {
		if at := table.Get(line); at == nil || at[0] != uint8(i+1) {
			t.Fatalf("line %#x: %v, want %d", line, at, uint8(i+1))
		}
	}
}
