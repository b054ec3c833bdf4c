package main

import (
	"fmt"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(r *spmd.Rank) error { // every rank runs this function
		a := spmd.Alloc[float64](r, "a", 1<<16) // one array for all ranks
		sums := spmd.Alloc[float64](r, "sums", r.Procs())
		lo, hi := r.Share(len(a)) // this rank's part
		sum := 0.0
		for i := lo; i < hi; i++ {
			a[i] = float64(i)
			sum += a[i]
		}
		sums[r.ID()] = sum
		r.Barrier()
		if r.ID() == 0 {
			total := 0.0
			for _, s := range sums {
				total += s
			}
			fmt.Println("sum:", total)
		}
		return nil
	})
}
