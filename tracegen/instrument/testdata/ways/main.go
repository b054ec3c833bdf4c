// Ways ends in the way that its argument says.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"spoor/tracegen/spmd"
)

func main() {
	way := os.Args[1]
	if way == "silent" {
		return
	}
	if way == "early" {
		os.Exit(3)
	}
	spmd.Main(func(r *spmd.Rank) error {
		x := spmd.Private(r, "x", make([]int, 8))
		return end(r, way, x)
	})
	fmt.Println("seed", spmd.Seed())
	switch way {
	case "late":
		os.Exit(4)
	case "crash":
		var none *int
		*none = 1
	case "twice":
		spmd.Main(func(*spmd.Rank) error { return nil })
	}
}

func end(r *spmd.Rank, way string, x []int) error {
	if r.ID() != 1 {
		return wait(r, way, x)
	}
	switch way {
	case "error":
		return errors.New("no more heat")
	case "panic":
		x[len(x)+x[0]] = 1 // line 45: the tests name it
	case "deadlock":
		return nil
	case "exit":
		os.Exit(5)
	case "sleep":
		time.Sleep(time.Minute)
	}
	return wait(r, way, x)
}

func wait(r *spmd.Rank, way string, x []int) error {
	for way == "long" {
		for i := range x {
			x[i]++
		}
	}
	r.Barrier()
	return nil
}
