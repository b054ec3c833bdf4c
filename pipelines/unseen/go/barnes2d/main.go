// Command barnes2d moves bodies in a plane by a tree of quadrants: one goroutine builds the tree, and all walk it.
//
//	barnes2d GOROUTINES BODIES STEPS
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
)

type body struct{ x, y, vx, vy float64 }

type quadrant struct {
	x, y, side   float64
	mass, mx, my float64
	body         *body
	child        [4]*quadrant
}

func (q *quadrant) add(b *body) {
	q.mass, q.mx, q.my = q.mass+1, q.mx+b.x, q.my+b.y
	if q.mass == 1 {
		q.body = b
		return
	}
	if q.side < 1e-6 {
		return
	}
	if old := q.body; old != nil {
		q.body = nil
		q.below(old)
	}
	q.below(b)
}

func (q *quadrant) below(b *body) {
	i, half := 0, q.side/2
	x, y := q.x, q.y
	if b.x >= x+half {
		i, x = 1, x+half
	}
	if b.y >= y+half {
		i, y = i+2, y+half
	}
	if q.child[i] == nil {
		q.child[i] = &quadrant{x: x, y: y, side: half}
	}
	q.child[i].add(b)
}

func (q *quadrant) pull(b *body) {
	if q == nil || q.body == b {
		return
	}
	dx, dy := q.mx/q.mass-b.x, q.my/q.mass-b.y
	r := math.Sqrt(dx*dx + dy*dy + 1e-4)
	if q.body == nil && q.side > 0.7*r {
		for _, c := range q.child {
			c.pull(b)
		}
		return
	}
	f := 1e-5 * q.mass / (r * r * r)
	b.vx, b.vy = b.vx+f*dx, b.vy+f*dy
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "barnes2d: give GOROUTINES BODIES STEPS")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	number, _ := strconv.Atoi(os.Args[2])
	steps, _ := strconv.Atoi(os.Args[3])
	bodies := make([]body, number)
	for i := range bodies {
		bodies[i].x, bodies[i].y = math.Mod(float64(i)*0.618034, 1), math.Mod(float64(i)*0.7548777, 1)
	}
	for range steps {
		root := &quadrant{x: -1, y: -1, side: 3}
		for i := range bodies {
			root.add(&bodies[i])
		}
		var parts sync.WaitGroup
		for k := range n {
			parts.Go(func() {
				for i := number * k / n; i < number*(k+1)/n; i++ {
					root.pull(&bodies[i])
				}
			})
		}
		parts.Wait()
		for i := range bodies {
			b := &bodies[i]
			b.x, b.y = b.x+0.01*b.vx, b.y+0.01*b.vy
		}
	}
	fmt.Printf("%.6f\n", bodies[0].x)
}
