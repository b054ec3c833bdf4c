// Command paths finds shortest paths in a weighted graph. Goroutines relax the edges of their vertices until nothing changes. Each
// vertex has a distance that others lower under one of a few locks.
//
//	paths GOROUTINES VERTICES DEGREE
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

type graph struct {
	degree   int
	to       []int32
	weight   []int32
	distance []int32
	lock     [32]sync.Mutex
}

func build(vertices, degree int) *graph {
	g := &graph{degree: degree, to: make([]int32, vertices*degree), weight: make([]int32, vertices*degree), distance: make([]int32, vertices)}
	s := uint32(21)
	for i := range g.to {
		s = s*1664525 + 1013904223
		g.to[i], g.weight[i] = int32(int(s>>8)%vertices), int32(1+s>>28)
	}
	for v := range g.distance {
		g.distance[v] = 1 << 30
	}
	g.distance[0] = 0
	return g
}

func (g *graph) relax(from, to int) (changed bool) {
	for v := from; v < to; v++ {
		for e := v * g.degree; e < (v+1)*g.degree; e++ {
			u, d := g.to[e], g.distance[v]+g.weight[e]
			if g.distance[u] <= d {
				continue
			}
			l := &g.lock[int(u)%len(g.lock)]
			l.Lock()
			if d < g.distance[u] {
				g.distance[u] = d
				changed = true
			}
			l.Unlock()
		}
	}
	return changed
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "paths: give GOROUTINES VERTICES DEGREE")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	vertices, _ := strconv.Atoi(os.Args[2])
	degree, _ := strconv.Atoi(os.Args[3])
	g := build(vertices, degree)
	changes := make(chan bool, n)
	for changed := true; changed; {
		for i := range n {
			go func() { changes <- g.relax(vertices*i/n, vertices*(i+1)/n) }()
		}
		changed = false
		for range n {
			changed = <-changes || changed
		}
	}
	var sum int64
	for _, d := range g.distance {
		sum += int64(d)
	}
	fmt.Println(sum)
}
