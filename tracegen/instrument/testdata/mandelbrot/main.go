// Mandelbrot counts the points of a grid that belong to the Mandelbrot set. Ranks share the image. They take its
// rows from a queue, because nobody knows how long one takes; or, with -dealt, each has as many as any other.
package main

import (
	"flag"
	"fmt"

	"spoor/tracegen/spmd"
)

func main() {
	size := flag.Int("size", 64, "points on a side of the grid")
	dealt := flag.Bool("dealt", false, "deal the rows out beforehand")
	flag.Parse()
	spmd.Main(func(r *spmd.Rank) error {
		steps := spmd.Alloc[int32](r, "steps", *size**size)
		if *dealt {
			for row, hi := r.Share(*size); row < hi; row++ {
				compute(steps, *size, row)
			}
		} else {
			takeRows(r, steps, *size)
		}
		r.Barrier()
		if r.ID() == 0 {
			fmt.Println(inside(steps), "points")
		}
		return nil
	})
}

// takeRows computes rows as long as there are any.
func takeRows(r *spmd.Rank, steps []int32, size int) {
	rows := make([]int, size)
	for i := range rows {
		rows[i] = i
	}
	queue := spmd.NewQueue(r, "rows", size, rows...)
	for {
		row, ok := queue.Take(r)
		if !ok {
			return
		}
		compute(steps, size, row)
	}
}

const most = 200 // steps of a point that stays

// compute counts the steps of the points of a row.
func compute(steps []int32, size, row int) {
	for col := range size {
		c := complex(3*float64(col)/float64(size)-2.25, 3*float64(row)/float64(size)-1.5)
		z, n := c, int32(0)
		for n < most && real(z)*real(z)+imag(z)*imag(z) < 4 {
			z = z*z + c
			n++
		}
		steps[row*size+col] = n
	}
}

// inside is how many points stay.
func inside(steps []int32) (points int) {
	for _, n := range steps {
		if n == most {
			points++
		}
	}
	return points
}
