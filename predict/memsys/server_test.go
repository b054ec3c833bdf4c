package memsys

import (
	"math/rand/v2"
	"testing"

	"spoor/traces/unit"
)

// naiveServer knows of every picosecond whether it is taken.
type naiveServer map[unit.Picos]bool

func (n naiveServer) take(at, hold unit.Picos) unit.Picos {
	for ; ; at++ {
		free := true
		for t := at; t < at+max(1, hold); t++ {
			free = free && !n[t]
		}
		if free {
			break
		}
	}
	for t := at; t < at+hold; t++ {
		n[t] = true
	}
	return at
}

// TestServerIsNaive: requests out of the order of time, none before what is settled.
func TestServerIsNaive(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		fast, naive := server{}, naiveServer{}
		settled, busy := unit.Picos(0), unit.Picos(0)
		for i := range 200 {
			settled += unit.Picos(r.IntN(4))
			at, hold := settled+unit.Picos(r.IntN(30)), unit.Picos(r.IntN(6))
			busy += hold
			if got, want := fast.take(at, hold, settled), naive.take(at, hold); got != want {
				t.Fatalf("seed %d, request %d at %d for %d: starts at %d, want %d", seed, i, at, hold, got, want)
			}
		}
		if fast.busy != busy {
			t.Fatalf("seed %d: busy for %d, want %d", seed, fast.busy, busy)
		}
	}
}
