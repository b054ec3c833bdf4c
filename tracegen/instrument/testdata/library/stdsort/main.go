// Stdsort sorts 65,536 random numbers with the standard library.
package main

import (
	"math/rand/v2"
	"os"
	"slices"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		a := spmd.Private(r, "a", make([]uint64, 1<<16))
		g := rand.New(rand.NewPCG(1, 2))
		for i := range a {
			a[i] = g.Uint64()
		}
		slices.Sort(a)
		return nil
	})
}
