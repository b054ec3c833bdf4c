package falsafi1997

import (
	"fmt"
	"math"
)

// Verify compares positions and velocities, to the bit, with the method on one processor, written directly from its
// definition. There, the tree is made from the top, by dividing the bodies of a cube among its octants, and forces
// are recursive.
func (f *barnes) Verify() error {
	bodies := barnesInput(len(f.bodies), f.seed)
	for step := range f.steps {
		kick := f.dt
		if step == 0 {
			kick = f.dt / 2
		}
		root := serialTree(bodies)
		for i := range bodies {
			bodies[i].acc = root.gravity(&bodies[i], f.theta)
		}
		for i := range bodies {
			b := &bodies[i]
			b.vel = plus(b.vel, times(b.acc, kick))
			b.pos = plus(b.pos, times(b.vel, f.dt))
		}
	}
	for i, want := range bodies {
		if got := f.bodies[i]; got.pos != want.pos || got.vel != want.vel {
			return fmt.Errorf("body %d is at %v with velocity %v, serially at %v with %v", i, got.pos, got.vel, want.pos, want.vel)
		}
	}
	return nil
}

// octree is a cell, or a body if it has no parts.
type octree struct {
	body         *body
	parts        []*octree
	mass         float64
	centreOfMass vector
	cube         vector // its centre
	half         float64
}

func serialTree(bodies []body) *octree {
	half, all := 1.0, make([]*body, len(bodies))
	for i := range bodies {
		all[i] = &bodies[i]
		for _, v := range []float64{bodies[i].pos.x, bodies[i].pos.y, bodies[i].pos.z} {
			for math.Abs(v) >= half {
				half *= 2
			}
		}
	}
	return divide(all, vector{}, half)
}

func divide(bodies []*body, cube vector, half float64) *octree {
	t := &octree{cube: cube, half: half}
	var weighted vector
	for _, x := range []float64{-1, 1} {
		for _, y := range []float64{-1, 1} {
			for _, z := range []float64{-1, 1} {
				var inside []*body
				for _, b := range bodies {
					if b.pos.x >= cube.x == (x > 0) && b.pos.y >= cube.y == (y > 0) && b.pos.z >= cube.z == (z > 0) {
						inside = append(inside, b)
					}
				}
				if part := octantOf(inside, plus(cube, times(vector{x, y, z}, half/2)), half/2); part != nil {
					t.parts = append(t.parts, part)
					t.mass += part.mass
					weighted = plus(weighted, times(part.centreOfMass, part.mass))
				}
			}
		}
	}
	t.centreOfMass = vector{weighted.x / t.mass, weighted.y / t.mass, weighted.z / t.mass}
	return t
}

func octantOf(bodies []*body, cube vector, half float64) *octree {
	switch len(bodies) {
	case 0:
		return nil
	case 1:
		return &octree{body: bodies[0], mass: bodies[0].mass, centreOfMass: bodies[0].pos}
	default:
		return divide(bodies, cube, half)
	}
}

// masses calls yield for the masses that act on b: bodies, and cells that are far enough away for theta.
func (t *octree) masses(b *body, theta float64, yield func(*octree)) {
	if t.body == b {
		return
	}
	away := plus(t.centreOfMass, times(b.pos, -1))
	inside := plus(b.pos, times(t.cube, -1))
	near := max(math.Abs(inside.x), math.Abs(inside.y), math.Abs(inside.z)) <= t.half
	if t.body == nil && (near || 4*t.half*t.half >= theta*theta*square(away)) {
		for _, part := range t.parts {
			part.masses(b, theta, yield)
		}
		return
	}
	yield(t)
}

// gravity returns the acceleration of b.
func (t *octree) gravity(b *body, theta float64) (acc vector) {
	t.masses(b, theta, func(m *octree) {
		away := plus(m.centreOfMass, times(b.pos, -1))
		s := square(away) + barnesSoftening*barnesSoftening
		acc = plus(acc, times(away, m.mass/(s*math.Sqrt(s))))
	})
	return acc
}
