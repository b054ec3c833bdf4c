package falsafi1997

import (
	"fmt"
	"math"
)

// Verify compares motions and energies, to the bit, with the method on one processor, written directly from its
// definition: atoms with vectors, all pairs of molecules, and all pairs of their atoms.
func (f *water) Verify() error {
	s := newSerialWater(waterInput(len(f.molecules), f.box, f.dt, f.seed), f.box, f.dt)
	for step := range f.steps + 1 {
		kinetic, potential := s.step(step == 0)
		if gotK, gotP := f.energies[2*step], f.energies[2*step+1]; gotK != kinetic || gotP != potential {
			return fmt.Errorf("step %d: energies are %d and %d, serially %d and %d", step, gotK, gotP, kinetic, potential)
		}
	}
	for i, a := range s.atoms {
		for k, want := range a.motion {
			m := f.molecules[i/3][k]
			if got := [3]float64(m[i%3*3 : i%3*3+3]); got != want {
				return fmt.Errorf("atom %d of molecule %d: derivative %d is %v, serially %v", i%3, i/3, k, got, want)
			}
		}
	}
	return nil
}

// atom is one of the three atoms of a molecule.
type atom struct {
	mass, charge float64
	motion       [waterOrders][3]float64
	force        [3]int64
}

// serialWater has the atoms O, H, H of each molecule.
type serialWater struct {
	atoms           []atom
	dt, box, cutoff float64
	potential       int64
}

func newSerialWater(molecules []molecule, box, dt float64) *serialWater {
	s := &serialWater{dt: dt, box: box, cutoff: math.Min(box/2, waterCutoff)}
	for _, m := range molecules {
		for i := range 3 {
			a := atom{mass: massH, charge: chargeH}
			if i == 0 {
				a.mass, a.charge = massO, chargeO
			}
			for k := range waterOrders {
				a.motion[k] = [3]float64(m[k][3*i : 3*i+3])
			}
			s.atoms = append(s.atoms, a)
		}
	}
	return s
}

// step predicts, unless it is the first, computes all forces, and corrects.
func (s *serialWater) step(first bool) (kinetic, potential int64) {
	if !first {
		for i := range s.atoms {
			s.atoms[i].predict()
		}
	}
	s.sumForces()
	for i := 0; i < len(s.atoms); i += 3 {
		var sum float64
		for j := i; j < i+3; j++ {
			s.atoms[j].correct(s.dt, first)
			for _, v := range s.atoms[j].motion[1] {
				sum += float64(s.atoms[j].mass / 2 * (v / s.dt) * (v / s.dt))
			}
		}
		kinetic += int64(sum * waterFixed)
		for axis := range 3 {
			shift := 0.0
			if p := s.atoms[i].motion[0][axis]; p < 0 {
				shift = s.box
			} else if p >= s.box {
				shift = -s.box
			}
			for j := i; j < i+3; j++ {
				s.atoms[j].motion[0][axis] += shift
			}
		}
	}
	return kinetic, s.potential
}

// predict uses binomial coefficients by repeated sums. Each of six passes adds to every derivative the one above
// it. Each pass leaves one more of the lowest derivatives unchanged.
func (a *atom) predict() {
	for axis := range 3 {
		var series [waterOrders]float64
		for k := range series {
			series[k] = a.motion[k][axis]
		}
		for done := range series {
			for k := len(series) - 2; k >= done; k-- {
				series[k] += series[k+1]
			}
		}
		for k := range series {
			a.motion[k][axis] = series[k]
		}
	}
}

func (a *atom) correct(dt float64, first bool) {
	for axis := range 3 {
		change := float64(a.force[axis])/waterFixed/a.mass*dt*dt/2 - a.motion[2][axis]
		if first {
			a.motion[2][axis] += change
			continue
		}
		for k, c := range gearCorrector {
			a.motion[k][axis] += float64(c * change)
		}
	}
}

// sumForces computes the forces on all atoms and the potential energy.
func (s *serialWater) sumForces() {
	s.potential = 0
	for i := range s.atoms {
		s.atoms[i].force = [3]int64{}
	}
	for i := 0; i < len(s.atoms); i += 3 {
		s.within(&s.atoms[i], &s.atoms[i+1], &s.atoms[i+2])
		for j := 0; j < i; j += 3 {
			for a := i; a < i+3; a++ {
				for b := j; b < j+3; b++ {
					s.between(&s.atoms[a], &s.atoms[b], a == i && b == j)
				}
			}
		}
	}
}

func (s *serialWater) within(o, h, g *atom) {
	type bond struct {
		p, q     *atom
		along    [3]float64
		distance float64
		change   float64
	}
	bonds := []bond{{p: h, q: o, change: lengthOH}, {p: g, q: o, change: lengthOH}, {p: g, q: h, change: lengthHH}}
	for k := range bonds {
		b := &bonds[k]
		b.along = difference(b.p.motion[0], b.q.motion[0])
		b.distance = norm(b.along)
		b.change = b.distance - b.change
	}
	d1, d2, d3 := bonds[0].change, bonds[1].change, bonds[2].change
	sum := func(a, x, b, y, c, z float64) float64 { return float64(a*x) + float64(b*y) + float64(c*z) }
	pull := []float64{
		sum(stretch, d1, stretchWithHH, d3, stretchBoth, d2),
		sum(stretch, d2, stretchWithHH, d3, stretchBoth, d1),
		sum(stretchHH, d3, stretchWithHH, d1+d2, 0, 0),
	}
	for k, b := range bonds {
		apply(b.p, b.q, -pull[k]/b.distance, b.along)
	}
	s.potential += int64(sum(pull[0], d1, pull[1], d2, pull[2], d3) / 2 * waterFixed)
}

func (s *serialWater) between(p, q *atom, oxygens bool) {
	along := difference(p.motion[0], q.motion[0])
	for axis := range along {
		for _, image := range []float64{along[axis] - s.box, along[axis] + s.box} {
			if math.Abs(along[axis]) > s.box/2 && math.Abs(image) < math.Abs(along[axis]) {
				along[axis] = image
			}
		}
	}
	r2, end2 := float64(along[0]*along[0])+float64(along[1]*along[1])+float64(along[2]*along[2]), s.cutoff*s.cutoff
	if r2 >= end2 {
		return
	}
	r := math.Sqrt(r2)
	charges := coulomb * chargeH * chargeH * (p.charge / chargeH) * (q.charge / chargeH)
	force := charges * (1/(r2*r) - 1/(end2*s.cutoff))
	energy := charges * (1/r + r2/(2*end2*s.cutoff) - 3/(2*s.cutoff))
	if oxygens {
		f, e := lennardJones(r2, end2)
		force, energy = force+f, energy+e
	}
	apply(p, q, force, along)
	s.potential += int64(energy * waterFixed)
}

func difference(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func norm(a [3]float64) float64 {
	return math.Sqrt(float64(a[0]*a[0]) + float64(a[1]*a[1]) + float64(a[2]*a[2]))
}

// apply adds opposite forces along a vector.
func apply(p, q *atom, factor float64, along [3]float64) {
	for axis, v := range along {
		p.force[axis] += int64(factor * v * waterFixed)
		q.force[axis] -= int64(factor * v * waterFixed)
	}
}
