// Command life plays Conway's game on a torus of bytes. Goroutines have bands of rows, and meet after each generation.
//
//	life GOROUTINES SIDE GENERATIONS
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

func step(old, new []byte, side, from, to int) {
	for y := from; y < to; y++ {
		up, down := (y+side-1)%side*side, (y+1)%side*side
		for x := range side {
			l, r := (x+side-1)%side, (x+1)%side
			n := old[up+l] + old[up+x] + old[up+r] + old[y*side+l] + old[y*side+r] + old[down+l] + old[down+x] + old[down+r]
			new[y*side+x] = 0
			if n == 3 || n == 2 && old[y*side+x] == 1 {
				new[y*side+x] = 1
			}
		}
	}
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "life: give GOROUTINES SIDE GENERATIONS")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	side, _ := strconv.Atoi(os.Args[2])
	generations, _ := strconv.Atoi(os.Args[3])
	old, new := make([]byte, side*side), make([]byte, side*side)
	for i := range old {
		old[i] = byte(i * i % 7 % 2)
	}
	for range generations {
		var bands sync.WaitGroup
		for i := range n {
			bands.Go(func() { step(old, new, side, side*i/n, side*(i+1)/n) })
		}
		bands.Wait()
		old, new = new, old
	}
	alive := 0
	for _, c := range old {
		alive += int(c)
	}
	fmt.Println(alive)
}
