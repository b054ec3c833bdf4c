package marshalling

import (
	"math/rand/v2"
	"slices"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// Numbers of points of each set.
const (
	transfers  = 100 // [hur1999, sec. 4.4]
	scans      = 15  // horizontal, and vertical
	statements = 6   // of each
	quick      = 10  // a quick measurement has one point in so many
	leastQuick = 6   // at least
)

// Sides of matrices of scans [hur1999, sec. 6] and statements [hur1999, fig. 14].
const (
	leastSide = 50
	mostScan  = 2000
	mostOther = 1000
)

// Plan is a set of points to measure.
type Plan struct {
	Name, What string
	points     func(d *draws)
}

// Plans lists the plans. The first is the default.
var Plans = []Plan{
	{"models", "random points of all experiments, as many test as training points: 100 of transfers", models},
	{"many", "200 random training and 200 random test points of transfers alone, for a learning curve", many},
	{"figures", "square matrices: 1, 2 and 5 rows and columns, scans, and A = A + B [hur1999, figs. 2, 11]", figures},
}

// draws are points that are drawn, or laid out, for a plan.
type draws struct {
	r    *rand.Rand
	look bool // a quick measurement
	list []packing.Point
}

// Points returns the points of a plan: as many test as training points, drawn in the same way and independently, or
// in turns from a grid. look selects a quick measurement.
func (p Plan) Points(seed uint64, look bool) []packing.Point {
	d := &draws{r: rand.New(rand.NewPCG(seed, 4)), look: look}
	p.points(d)
	return d.list
}

// add draws a number of training points, and of test points. Training and test points alternate.
func (d *draws) add(number int, draw func(i int) packing.Point) {
	if d.look {
		number = max(number/quick, leastQuick)
	}
	for i := 0; i < 2*number; {
		p := draw(i)
		if p.Set = timing.Train; i%2 == 1 {
			p.Set = timing.Test
		}
		if !slices.Contains(d.list, p) {
			d.list = append(d.list, p)
			i++
		}
	}
}

func models(d *draws) {
	d.add(transfers, func(i int) packing.Point { return transfer(d.r, i/2%2 == 0) })
	d.add(2*scans, func(i int) packing.Point { return scan(d.r, i/2%2 == 0) })
	d.add(len(Statements)*statements, func(i int) packing.Point { return statement(d.r, Statements[i/2%len(Statements)]) })
}

func many(d *draws) {
	d.add(2*transfers, func(i int) packing.Point { return transfer(d.r, i/2%2 == 0) })
}

// Sides of square matrices in plan figures: sides of them, from transferStep to most of mostSide, and from leastSide to mostScan. An
// odd step varies how rows are aligned.
const (
	sides        = 26
	transferStep = 151
	scanStep     = (mostScan - leastSide) / (sides - 1)
)

func figures(d *draws) {
	step := 1
	if d.look {
		step = quick
	}
	for i := 0; i < sides; i += step {
		set := timing.Train
		if i%2 == 1 {
			set = timing.Test
		}
		side := int64(i+1) * transferStep
		for _, n := range []int64{1, 2, 5} {
			p := packing.Point{Experiment: packing.Transfer, Stride: unit.Bytes(side), Set: set, Rows: n, Cols: side}
			d.list = append(d.list, block(p, 0))
			p.Rows, p.Cols = side, n
			d.list = append(d.list, block(p, 0))
		}
		side = leastSide + int64(i)*scanStep
		a := packing.Point{Experiment: packing.Array, Stride: unit.Bytes(side), Set: set, Rows: side, Cols: side, Accesses: 3 * side * side, Ops: side * side, Blocks: 2}
		for _, p := range []packing.Point{scanOf(side, side, true), scanOf(side, side, false), block(a, 0)} {
			p.Set = set
			d.list = append(d.list, p)
		}
	}
}

// block fills in the layout of a point.
func block(p packing.Point, base int64) packing.Point {
	p.Item, p.Count, p.Blocks = Item, 1, max(p.Blocks, 1)
	p.Stride, p.Base = p.Stride*Item, uint64(base*Item)
	p.Bytes = unit.Bytes(p.Rows * p.Cols * Item)
	return p
}

// transfer returns 1 to 200 rows or columns of a matrix of 1 x 1 to 4000 x 4000 items.
func transfer(r *rand.Rand, rows bool) packing.Point {
	height, width := 1+r.Int64N(mostSide), 1+r.Int64N(mostSide)
	p := packing.Point{Experiment: packing.Transfer, Stride: unit.Bytes(width)}
	if rows {
		p.Rows, p.Cols = 1+r.Int64N(min(mostLines, height)), width
		return block(p, width*r.Int64N(height-p.Rows+1))
	}
	p.Rows, p.Cols = height, 1+r.Int64N(min(mostLines, width))
	return block(p, r.Int64N(width-p.Cols+1))
}

// scan returns a scan of a random matrix.
//
// Differs: in [hur1999, sec. 6] matrices are square, as in plan figures. Operations are then proportional to n^2, and
// models with both terms cannot separate them.
func scan(r *rand.Rand, horizontal bool) packing.Point {
	return scanOf(side(r, mostScan), side(r, mostScan), horizontal)
}

// scanOf returns a scan that passes on the last column or the last row of a matrix.
func scanOf(height, width int64, horizontal bool) packing.Point {
	p := packing.Point{Experiment: packing.Scan, Stride: unit.Bytes(width), Ops: height * width, Rows: 1, Cols: width}
	if horizontal {
		p.Rows, p.Cols = height, 1
		return block(p, width-1)
	}
	return block(p, width*(height-1))
}

// side returns a random side of a matrix of scans and statements.
func side(r *rand.Rand, most int64) int64 { return leastSide + r.Int64N(most-leastSide+1) }

// statement returns a statement over arrays, or over 1 to 200 columns of them, as for borders.
func statement(r *rand.Rand, s Statement) packing.Point {
	height, width := side(r, mostOther), side(r, mostOther)
	p := packing.Point{Experiment: packing.Array, Stride: unit.Bytes(width), Rows: height, Cols: width, Blocks: s.Arrays}
	base := int64(0)
	if r.IntN(2) == 0 {
		p.Cols = 1 + r.Int64N(min(mostLines, width))
		base = r.Int64N(width - p.Cols + 1)
	}
	p.Accesses, p.Ops = s.Accesses*p.Rows*p.Cols, s.Ops*p.Rows*p.Cols
	return block(p, base)
}
