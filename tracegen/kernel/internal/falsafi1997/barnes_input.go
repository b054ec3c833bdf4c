package falsafi1997

import (
	"math"
	"math/rand/v2"

	"spoor/tracegen/kernel/internal/workload"
)

// barnesInput returns a Plummer model: a spherical cluster in equilibrium, of mass 1 and energy -1/4, at rest
// [aarseth1974].
// It is cut at the radius that excludes 0.1 % of the mass.
func barnesInput(n int, seed uint64) []body {
	const scale = 3 * math.Pi / 16 // length unit of energy -1/4, relative to the model's own unit
	rng := workload.Generator(seed)
	bodies := make([]body, n)
	var pos, vel vector
	for i := range bodies {
		radius := 1 / math.Sqrt(math.Pow(0.999*(1-rng.Float64()), -2.0/3)-1)
		speed := math.Sqrt2 * plummerSpeed(rng) / math.Pow(1+radius*radius, 0.25)
		b := &bodies[i]
		b.mass, b.cost = 1/float64(n), 1
		b.pos = times(direction3(rng), scale*radius)
		b.vel = times(direction3(rng), speed/math.Sqrt(scale))
		pos, vel = plus(pos, b.pos), plus(vel, b.vel)
	}
	for i := range bodies {
		bodies[i].pos = plus(bodies[i].pos, times(pos, -1/float64(n)))
		bodies[i].vel = plus(bodies[i].vel, times(vel, -1/float64(n)))
	}
	return bodies
}

// plummerSpeed returns the speed of a body relative to the escape speed. Its density is x^2 (1-x^2)^(7/2), with a
// maximum below 0.1.
func plummerSpeed(rng *rand.Rand) float64 {
	for {
		x := rng.Float64()
		if 0.1*rng.Float64() < x*x*math.Pow(1-x*x, 3.5) {
			return x
		}
	}
}

// direction3 returns a uniform direction on the unit sphere.
func direction3(rng *rand.Rand) vector {
	for {
		v := vector{2*rng.Float64() - 1, 2*rng.Float64() - 1, 2*rng.Float64() - 1}
		if s := square(v); s > 0.01 && s <= 1 {
			return times(v, 1/math.Sqrt(s))
		}
	}
}

func plus(a, b vector) vector { return vector{a.x + b.x, a.y + b.y, a.z + b.z} }

func times(a vector, f float64) vector {
	return vector{float64(a.x * f), float64(a.y * f), float64(a.z * f)}
}
