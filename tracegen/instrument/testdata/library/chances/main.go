// Chances draws random numbers of several distributions.
package main

import (
	"math"
	"math/rand"
	random "math/rand/v2"
	"os"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		g, c := random.New(random.NewPCG(1, 2)), random.New(random.NewChaCha8([32]byte{1}))
		old := rand.New(rand.NewSource(3))
		x := spmd.Private(r, "x", make([]float64, 1<<14))
		for i := range x {
			x[i] = g.NormFloat64() + g.ExpFloat64() + c.Float64() + old.Float64()
			x[i] += math.Sqrt(float64(g.IntN(100))) + math.Log(1+g.Float64())
		}
		g.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		p := old.Perm(1 << 12)
		x[0] = float64(p[0])
		return nil
	})
}
