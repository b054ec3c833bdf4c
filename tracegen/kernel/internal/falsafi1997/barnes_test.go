package falsafi1997

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

var barnesSizes = []workload.Values{{"bodies": 1, "steps": 2}, {"bodies": 40, "steps": 3}, {"bodies": 100, "steps": 3, "theta": 600}, {"bodies": 2, "steps": 2, "theta": 0}}

func spoilBarnes(inst workload.Instance) {
	b := &inst.(*barnes).bodies[17]
	b.pos.y = math.Nextafter(b.pos.y, 1)
}

func ranBarnes(t *testing.T, f *barnes, procs int) *barnes {
	t.Helper()
	if err := spmd.Native(context.Background(), procs, f.Program); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBarnesDoesNotDependOnRanks(t *testing.T) {
	set := workload.Values{"bodies": 200, "steps": 4}
	want := ranBarnes(t, kerneltest.Instance(t, Barnes, set, 1).(*barnes), 1).Digest()
	for _, procs := range kerneltest.ProcCounts {
		if got := ranBarnes(t, kerneltest.Instance(t, Barnes, set, procs).(*barnes), procs).Digest(); got != want {
			t.Errorf("%d ranks: result %s, on one %s", procs, got, want)
		}
	}
}

// direct is the acceleration of b as the sum over all other bodies, and the sum of
// the absolute values.
func direct(bodies []body, b *body) (acc vector, size float64) {
	for i := range bodies {
		if &bodies[i] == b {
			continue
		}
		away := plus(bodies[i].pos, times(b.pos, -1))
		s := square(away) + barnesSoftening*barnesSoftening
		a := times(away, bodies[i].mass/(s*math.Sqrt(s)))
		acc, size = plus(acc, a), size+math.Sqrt(square(a))
	}
	return acc, size
}

func (t *octree) bodies() []*body {
	if t.body != nil {
		return []*body{t.body}
	}
	var all []*body
	for _, part := range t.parts {
		all = append(all, part.bodies()...)
	}
	return all
}

// treeError bounds the error of a cell's attraction of b. The first moment of the
// cell about its centre of mass is zero, so by Taylor's theorem a body of mass m at
// distance r from the centre adds m r^2/2 times the greatest second derivative of
// the attraction along the line between them. At distance d from b, and with
// s^2 = d^2 + softening^2, this is
//
//	|-6 c e + (15 c^2 d^2/s^2 - 3) f| d/s^5 <= 9/s^4
//
// with unit vectors e along the line and f towards b, and c their product; and d is
// no less than the distance of the centre from b, less r. With r below sqrt(3)
// times the side, thus below sqrt(3) theta times the distance, the error falls with
// the square of theta.
func treeError(cell *octree, b *body) (bound float64) {
	distance := math.Sqrt(square(plus(cell.centreOfMass, times(b.pos, -1))))
	for _, part := range cell.bodies() {
		r2 := square(plus(part.pos, times(cell.centreOfMass, -1)))
		d := max(0, distance-math.Sqrt(r2))
		s2 := d*d + barnesSoftening*barnesSoftening
		bound += part.mass * r2 / 2 * 9 / (s2 * s2)
	}
	return bound
}

// TestBarnesIsNearDirectSummation holds the accelerations that the kernel computes
// to the bound of every cell that acts, and sums of n terms to n+8 roundings. The
// bound falls with the square of theta or faster, and it says something: at 0.3 it
// is below a tenth of the acceleration.
func TestBarnesIsNearDirectSummation(t *testing.T) {
	const n = 300
	var previous float64
	for _, theta := range []int{0, 150, 300, 600, 1000} {
		f := ranBarnes(t, kerneltest.Instance(t, Barnes, workload.Values{"bodies": n, "steps": 1, "theta": theta}, 3).(*barnes), 3)
		bodies := barnesInput(n, f.seed)
		root := serialTree(bodies)
		var bounds, sizes float64
		for i := range bodies {
			b := &bodies[i]
			want, size := direct(bodies, b)
			bound := (n + 8) * 0x1p-53 * size
			root.masses(b, f.theta, func(m *octree) { bound += treeError(m, b) })
			if e := math.Sqrt(square(plus(f.bodies[i].acc, times(want, -1)))); !(e <= bound) {
				t.Errorf("theta %d, body %d: acceleration off by %g, more than %g", theta, i, e, bound)
			}
			bounds, sizes = bounds+bound, sizes+math.Sqrt(square(want))
		}
		relative := bounds / sizes
		if theta == 300 && relative > 0.1 {
			t.Errorf("theta 300: the bound is %g of the acceleration", relative)
		}
		if theta > 150 && theta <= 600 && relative < 4*previous {
			t.Errorf("theta %d: the bound is %g of the acceleration, %g at half of that", theta, relative, previous)
		}
		previous = relative
	}
}

// momentum is the total of a system with velocities half a step behind positions.
func momentum(bodies []body) (p vector) {
	for _, b := range bodies {
		p = plus(p, times(b.vel, b.mass))
	}
	return p
}

// TestBarnesKeepsMomentum: with theta = 0 forces are equal and opposite but for
// rounding. No acceleration by mass m exceeds a m, a = 2/(3 sqrt(3) softening^2), so
// that sums of n terms change the momentum by (n+8) u a in each unit of time at most;
// each change of a velocity rounds once, by u times the velocity.
func TestBarnesKeepsMomentum(t *testing.T) {
	const n, steps = 150, 40
	f := ranBarnes(t, kerneltest.Instance(t, Barnes, workload.Values{"bodies": n, "steps": steps, "theta": 0}, 4).(*barnes), 4)
	var fastest float64
	for _, b := range f.bodies {
		fastest = max(fastest, math.Sqrt(square(b.vel)))
	}
	a := 2 / (3 * math.Sqrt(3) * barnesSoftening * barnesSoftening)
	bound := 0x1p-53 * ((n+8)*a*steps*barnesStep + 2*steps*fastest + 2*n*fastest)
	before, after := momentum(barnesInput(n, f.seed)), momentum(f.bodies)
	if e := math.Sqrt(square(plus(after, times(before, -1)))); !(e <= bound) {
		t.Errorf("the momentum changes by %g, more than %g", e, bound)
	}
}

// energy is the total at the time of the positions, which velocities are half a
// step behind.
func energy(bodies []body, dt float64) (total float64) {
	for i := range bodies {
		b := &bodies[i]
		acc, _ := direct(bodies, b)
		total += b.mass / 2 * square(plus(b.vel, times(acc, dt/2)))
		for j := range i {
			s := square(plus(bodies[j].pos, times(b.pos, -1))) + barnesSoftening*barnesSoftening
			total -= b.mass * bodies[j].mass / math.Sqrt(s)
		}
	}
	return total
}

// TestBarnesIsOfSecondOrder: half the step leaves a quarter of the error in
// energy.
func TestBarnesIsOfSecondOrder(t *testing.T) {
	var errors []float64
	for _, steps := range []int{20, 40, 80} {
		f := kerneltest.Instance(t, Barnes, workload.Values{"bodies": 60, "steps": steps, "theta": 0}, 2).(*barnes)
		f.dt = 0.2 / float64(steps)
		before := energy(f.bodies, 0)
		ranBarnes(t, f, 2)
		errors = append(errors, energy(f.bodies, f.dt)-before)
	}
	for i := 1; i < len(errors); i++ {
		if ratio := errors[i-1] / errors[i]; !(ratio > 3.5 && ratio < 4.5) {
			t.Errorf("errors in energy %g: quotient %g, not 4", errors, ratio)
		}
	}
}

func TestBarnesInputIsACluster(t *testing.T) {
	bodies := barnesInput(4000, 1)
	var pos vector
	for _, b := range bodies {
		pos = plus(pos, times(b.pos, b.mass))
	}
	if e := max(math.Sqrt(square(pos)), math.Sqrt(square(momentum(bodies)))); e > 1e-13 {
		t.Errorf("the cluster is not at rest in the origin, but off by %g", e)
	}
	if e := energy(bodies, 0); math.Abs(e+0.25) > 0.02 { // softening and the number of bodies tell
		t.Errorf("energy %g, of a Plummer model -1/4", e)
	}
}

// TestBarnesLocks: alone, a rank takes one lock to place each body; one to make each
// cell but the root, one for its number, and one when it has been summed up.
func TestBarnesLocks(t *testing.T) {
	const n = 120
	inst := kerneltest.Instance(t, Barnes, workload.Values{"bodies": n, "steps": 1}, 1)
	m, _ := kerneltest.Record(t, inst, 1)
	var count func(*octree) int
	count = func(t *octree) (cells int) {
		if t.body != nil {
			return 0
		}
		for _, part := range t.parts {
			cells += count(part)
		}
		return cells + 1
	}
	cells, locks := count(serialTree(barnesInput(n, inst.(*barnes).seed))), 0
	for _, e := range m.EventsOf[0].Rows {
		if e.Kind == trace.Lock {
			locks++
		}
	}
	if want := n + 3*(cells-1); locks != want {
		t.Errorf("%d locks for %d cells, want %d", locks, cells, want)
	}
}

// TestBarnesDividesTheWork: every body belongs to one rank, and costs are even but
// for that of one body.
func TestBarnesDividesTheWork(t *testing.T) {
	const procs = 5
	f := ranBarnes(t, kerneltest.Instance(t, Barnes, workload.Values{"bodies": 300, "steps": 2}, procs).(*barnes), procs)
	var owned []int32
	err := spmd.Native(context.Background(), procs, func(r *spmd.Rank) error {
		mine := make([]int32, len(f.bodies))
		mine = mine[:zone(r, f.bodies, f.cells, make([]int32, barnesStack), mine)]
		total, cost, most := 0, 0, 0
		for _, b := range f.bodies {
			total, most = total+b.cost, max(most, b.cost)
		}
		for _, b := range mine {
			cost += f.bodies[b].cost
		}
		if math.Abs(float64(cost)-float64(total)/procs) > float64(most) {
			t.Errorf("rank %d has a cost of %d of %d", r.ID(), cost, total)
		}
		r.Lock(0)
		owned = append(owned, mine...)
		r.Unlock(0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(owned)
	for i := range f.bodies {
		if len(owned) != len(f.bodies) || owned[i] != int32(i) {
			t.Fatalf("%d bodies, owned are %v", len(f.bodies), owned)
		}
	}
}

func TestBarnesNamesBodiesThatAreTooClose(t *testing.T) {
	for _, procs := range kerneltest.ProcCounts {
		f := kerneltest.Instance(t, Barnes, workload.Values{"bodies": 20}, procs).(*barnes)
		f.bodies[7].pos = f.bodies[3].pos
		err := spmd.Native(context.Background(), procs, f.Program)
		if err == nil || !strings.Contains(err.Error(), "too close") {
			t.Errorf("%d ranks: %v", procs, err)
		}
	}
}
