package falsafi1997

import (
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Barnes simulates bodies under their gravity by the Barnes-Hut method, like the program of that name in SPLASH
// [singh1992; falsafi1997, tab. 2].
// The method is that of [barnes1986].
// Each step
//
//   - finds the cube around the origin that holds all bodies;
//   - inserts the bodies into an octree with one body in a leaf. Ranks insert at
//     the same time: they descend without locks, and lock the cell they change;
//   - finds mass and centre of mass of the cells, from the leaves up. A rank starts
//     at its share of the lowest cells. It goes on to the parent if it is the last
//     to arrive there; a lock on the parent decides this;
//   - divides the bodies among ranks, in the order of the tree, so that each part
//     had about as many interactions in the previous step (costzones);
//   - computes the accelerations. A cell acts as one mass at its centre of mass if
//     its side is less than theta times its distance, and the body is not in it.
//     Otherwise its children act;
//   - moves the bodies by the leapfrog method, with velocities half a step behind
//     positions.
//
// There are 4 barriers in each step: before the bodies are inserted, before and after cells are summed up, and
// before bodies are moved. Only the numbers of the tree's cells depend on the order of insertion. Children are
// visited in the order of their octants. Therefore positions and velocities have the same bits on any number of
// ranks.
//
// Differs: cells have no quadrupole moments. The numbers of cells come from one counter with a lock; in SPLASH
// every process has its own. A rank sums up cells of its share of these numbers; in SPLASH it sums up the cells
// that it made, and waits for children.
var Barnes = workload.Kernel{
	Name: "barnes", Paper: "falsafi1997",
	Doc: "gravitational N-body problem, Barnes-Hut method (SPLASH)",
	Params: []workload.Param{
		{Name: "bodies", Default: 1024, Min: 1, Max: 1 << 20, Doc: "how many bodies there are"},
		{Name: "steps", Default: 10, Min: 1, Max: 1000, Doc: "time steps"},
		{Name: "theta", Default: 1000, Min: 0, Max: 2000, Doc: "least side of a cell that is opened over its distance, in thousandths"},
	},
	Small: workload.Values{"bodies": 64, "steps": 2},
	Make:  newBarnes,
}

const (
	barnesStep      = 0.025 // time, with a gravitational constant of 1
	barnesSoftening = 0.05  // length: forces are those at a distance sqrt(d^2 + softening^2)
	barnesLevels    = 48    // of the tree; this many halvings of the cube are exact
	barnesStack     = 8 * (1 + barnesLevels)
)

type vector struct{ x, y, z float64 }

type body struct {
	mass     float64
	pos, vel vector
	acc      vector
	cost     int // interactions in the previous step, and one
	work     int // the same for this step
}

// cell is a cube of the tree. A child is 0 for none, c > 0 for cell c, or ^b for body b.
type cell struct {
	mass    float64
	pos     vector // centre of mass
	centre  vector
	half    float64 // of the side
	cost    int     // of the bodies in it
	parent  int32
	inner   int32 // children that are cells
	arrived int32 // number of these that have been summed up
	child   [8]int32
}

type barnes struct {
	steps  int
	dt     float64 // length of a step
	theta  float64
	seed   uint64
	bodies []body
	cells  []cell    // cell 0 is the root
	used   []int32   // one element: cells in use
	reach  []float64 // greatest coordinate of each rank's bodies
}

func newBarnes(v workload.Values, procs int, seed uint64) workload.Instance {
	n := v["bodies"]
	return &barnes{steps: v["steps"], dt: barnesStep, theta: float64(v["theta"]) / 1000, seed: seed,
		bodies: barnesInput(n, seed), cells: make([]cell, 2*n+64), used: make([]int32, 1), reach: make([]float64, procs)}
}

// Program moves the bodies.
func (f *barnes) Program(r *spmd.Rank) error {
	bodies, cells := spmd.Shared(r, "bodies", f.bodies), spmd.Shared(r, "cells", f.cells)
	used, reach := spmd.Shared(r, "used", f.used), spmd.Shared(r, "reach", f.reach)
	mine := spmd.Private(r, "mine", make([]int32, len(bodies)))
	stack := spmd.Private(r, "stack", make([]int32, barnesStack))
	lo, hi := r.Share(len(bodies))
	count := 0
	for b := lo; b < hi; b++ {
		mine[count] = int32(b)
		count++
	}
	for step := range f.steps {
		reach[r.ID()] = greatestCoordinate(bodies, mine[:count])
		if r.ID() == 0 {
			cells[0], used[0] = cell{}, 1
		}
		r.Barrier()
		half := cubeAround(reach)
		if r.ID() == 0 {
			cells[0].half = half
		}
		for _, b := range mine[:count] {
			if err := insert(r, bodies, cells, used, half, b); err != nil {
				return err
			}
		}
		r.Barrier()
		sumUp(r, bodies, cells, int(used[0]))
		r.Barrier()
		count = zone(r, bodies, cells, stack, mine)
		for _, b := range mine[:count] {
			attract(bodies, cells, stack, b, f.theta)
		}
		r.Barrier()
		kick := f.dt
		if step == 0 {
			kick /= 2
		}
		for _, b := range mine[:count] {
			move(bodies, b, kick, f.dt)
		}
	}
	return nil
}

func greatestCoordinate(bodies []body, mine []int32) float64 {
	var most float64
	for _, b := range mine {
		p := bodies[b].pos
		most = max(most, math.Abs(p.x), math.Abs(p.y), math.Abs(p.z))
	}
	return most
}

// cubeAround returns half the side of the cube. It is a power of two, so that its halves and the centres of cells
// are exact.
func cubeAround(reach []float64) float64 {
	half := 1.0
	for _, most := range reach {
		for most >= half {
			half *= 2
		}
	}
	return half
}

// attract computes the acceleration of body b.
func attract(bodies []body, cells []cell, stack []int32, b int32, theta float64) {
	p := bodies[b].pos
	var acc vector
	work := 1
	top := 1
	stack[0] = 0
	for top > 0 {
		top--
		node := stack[top]
		if node == ^b {
			continue
		}
		var m float64
		var d vector
		if node < 0 {
			q := bodies[^node].pos
			m, d = bodies[^node].mass, vector{q.x - p.x, q.y - p.y, q.z - p.z}
		} else {
			q := cells[node].pos
			m, d = cells[node].mass, vector{q.x - p.x, q.y - p.y, q.z - p.z}
			side := 2 * cells[node].half
			if float64(side*side) >= float64(theta*theta)*square(d) || holds(cells[node].centre, cells[node].half, p) {
				top = push(cells, stack, top, node)
				continue
			}
		}
		s := square(d) + barnesSoftening*barnesSoftening
		g := m / (s * math.Sqrt(s))
		acc.x += float64(g * d.x)
		acc.y += float64(g * d.y)
		acc.z += float64(g * d.z)
		work++
	}
	bodies[b].acc, bodies[b].work = acc, work
}

func square(v vector) float64 { return float64(v.x*v.x) + float64(v.y*v.y) + float64(v.z*v.z) }

// holds reports whether p is in the cube around centre.
func holds(centre vector, half float64, p vector) bool {
	return math.Abs(p.x-centre.x) <= half && math.Abs(p.y-centre.y) <= half && math.Abs(p.z-centre.z) <= half
}

// move changes the velocity of a body for the time kick, then its position for the time drift.
func move(bodies []body, b int32, kick, drift float64) {
	p, v, a := bodies[b].pos, bodies[b].vel, bodies[b].acc
	v.x += float64(a.x * kick)
	v.y += float64(a.y * kick)
	v.z += float64(a.z * kick)
	p.x += float64(v.x * drift)
	p.y += float64(v.y * drift)
	p.z += float64(v.z * drift)
	bodies[b].pos, bodies[b].vel, bodies[b].cost = p, v, bodies[b].work
}

// results returns the coordinates of all positions and velocities.
func (f *barnes) results() []float64 {
	var out []float64
	for _, b := range f.bodies {
		out = append(out, b.pos.x, b.pos.y, b.pos.z, b.vel.x, b.vel.y, b.vel.z)
	}
	return out
}

func (f *barnes) Digest() string { return workload.Digest(f.results()) }

// Counts predicts the barriers; see Barnes.
func (f *barnes) Counts() workload.Counts { return workload.Counts{Barriers: 4 * uint64(f.steps)} }
