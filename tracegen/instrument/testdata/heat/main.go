// Heat computes how heat spreads in a square plate whose upper edge is kept hot. It
// is a program of a user's own: plain Go, written to the interface of package spmd.
//
//	$ go run . -size 32 -steps 20
//	$ tracegen --package . --procs 4 -o heat -- -size 32 -steps 20
package main

import (
	"flag"
	"fmt"

	"example.com/heat/stencil"
	"spoor/tracegen/spmd"
)

const (
	up   = 1 // tags of the rows that travel to the rank above ...
	down = 2 // ... and below
)

func main() {
	size := flag.Int("size", 64, "rows and columns of the plate")
	steps := flag.Int("steps", 10, "steps in time")
	flag.Parse()
	total := 0.0
	spmd.Main(func(r *spmd.Rank) error {
		sum := heat(r, *size, *steps)
		if r.ID() == 0 {
			total = sum
		}
		return nil
	})
	fmt.Printf("heat after %d steps: %.6f\n", *steps, total)
}

// heat runs the steps on this rank's share of the rows, and returns the sum over
// the whole plate.
func heat(r *spmd.Rank, size, steps int) float64 {
	lo, hi := r.Share(size)
	rows := hi - lo
	now := spmd.Private(r, "now", make([]float64, (rows+2)*size))
	next := spmd.Private(r, "next", make([]float64, (rows+2)*size))
	if r.ID() == 0 {
		for i := range size {
			now[i], next[i] = 100, 100
		}
	}
	for range steps {
		exchange(r, now, rows, size)
		stencil.Step(next, now, rows, size)
		now, next = next, now
	}
	sum := []float64{stencil.Sum(now[size : (rows+1)*size])}
	spmd.AllReduce(r, sum, func(a, b float64) float64 { return a + b })
	return sum[0]
}

// exchange copies the outermost rows of this rank into the neighbours' halo.
func exchange(r *spmd.Rank, a []float64, rows, size int) {
	above, below := r.ID()-1, r.ID()+1
	if above >= 0 {
		spmd.Send(r, above, up, a[size:2*size])
	}
	if below < r.Procs() {
		spmd.Send(r, below, down, a[rows*size:(rows+1)*size])
		spmd.Recv(r, below, up, a[(rows+1)*size:])
	}
	if above >= 0 {
		spmd.Recv(r, above, down, a[:size])
	}
}
