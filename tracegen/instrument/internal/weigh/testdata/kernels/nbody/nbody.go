// Package nbody moves bodies by their gravity.
package nbody

import "math"

type vector struct{ x, y, z float64 }

func (a vector) plus(b vector, k float64) vector {
	return vector{a.x + k*b.x, a.y + k*b.y, a.z + k*b.z}
}

type body struct {
	at, speed vector
	mass      float64
}

// Run moves bodies for some steps and returns the energy.
func Run() float64 {
	bodies := make([]body, 40)
	for i := range bodies {
		f := float64(i)
		bodies[i] = body{vector{math.Sin(f), math.Cos(f), f / 40}, vector{}, 1 + f/10}
	}
	for range 20 {
		step(bodies, 1e-3)
	}
	return energy(bodies)
}

func step(bodies []body, dt float64) {
	for i := range bodies {
		b := &bodies[i]
		for j := i + 1; j < len(bodies); j++ {
			c := &bodies[j]
			d := b.at.plus(c.at, -1)
			r2 := d.x*d.x + d.y*d.y + d.z*d.z
			f := dt / (r2 * math.Sqrt(r2))
			b.speed = b.speed.plus(d, -f*c.mass)
			c.speed = c.speed.plus(d, f*b.mass)
		}
	}
	for i := range bodies {
		b := &bodies[i]
		b.at = b.at.plus(b.speed, dt)
	}
}

func energy(bodies []body) float64 {
	e := 0.0
	for i, b := range bodies {
		e += b.mass * (b.speed.x*b.speed.x + b.speed.y*b.speed.y + b.speed.z*b.speed.z) / 2
		for _, c := range bodies[i+1:] {
			d := b.at.plus(c.at, -1)
			e -= b.mass * c.mass / math.Sqrt(d.x*d.x+d.y*d.y+d.z*d.z)
		}
	}
	return e
}
