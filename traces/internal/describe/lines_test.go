package describe

import (
	"math/rand/v2"
	"testing"

	"spoor/traces/testsize"
)

func TestLineSetIsASet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	all, every := newLineSet(), map[uint64]bool{}
	for round := range testsize.Cases(200, 40) {
		if round%20 == 0 {
			all, every = newLineSet(), map[uint64]bool{}
		}
		fast, naive, pages := newLineSet(), map[uint64]bool{}, map[uint64]bool{}
		for range rng.IntN(300) {
			addr, size := rng.Uint64()>>(1+rng.IntN(63)), uint16(1+rng.IntN(1<<(1+rng.IntN(16))-1))
			if rng.IntN(8) == 0 {
				addr = -uint64(size) // up to the last byte
			}
			fast.touch(addr, size)
			for i := range uint64(size) {
				if i%64 != 0 && i != uint64(size)-1 {
					continue
				}
				naive[(addr+i)/64], pages[(addr+i)/4096], every[(addr+i)/64] = true, true, true
			}
		}
		if lines, in := fast.count(), fast.pages(); lines != uint64(len(naive)) || in != uint64(len(pages)) {
			t.Fatalf("%d lines in %d pages, want %d in %d", lines, in, len(naive), len(pages))
		}
		if all.merge(fast); all.count() != uint64(len(every)) {
			t.Fatalf("%d lines of all, want %d", all.count(), len(every))
		}
	}
}
