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

// Sides of matrices of scans and statements [hur1999, figs. 11 and 14].
const (
	leastSide = 50
	mostOther = 1000
)

// Plan returns the points: as many test as training points, drawn in the same way and independently. look selects
// a quick measurement.
func Plan(seed uint64, look bool) (list []packing.Point) {
	r := rand.New(rand.NewPCG(seed, 4))
	add := func(number int, draw func(i int) packing.Point) {
		if look {
			number = max(number/quick, leastQuick)
		}
		for i := 0; i < 2*number; {
			p := draw(i)
			if p.Set = timing.Train; i%2 == 1 {
				p.Set = timing.Test
			}
			if !slices.Contains(list, p) {
				list = append(list, p)
				i++
			}
		}
	}
	add(transfers, func(i int) packing.Point { return transfer(r, i/2%2 == 0) })
	add(2*scans, func(i int) packing.Point { return scan(r, i/2%2 == 0) })
	add(len(Statements)*statements, func(i int) packing.Point { return statement(r, Statements[i/2%len(Statements)]) })
	return list
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

// scan returns a scan that passes on the last column or the last row of a matrix.
//
// Differs: in [hur1999, sec. 6] matrices are square. Operations are then proportional to n^2, and models with both
// terms cannot separate them.
func scan(r *rand.Rand, horizontal bool) packing.Point {
	height, width := side(r), side(r)
	p := packing.Point{Experiment: packing.Scan, Stride: unit.Bytes(width), Ops: height * width, Rows: 1, Cols: width}
	if horizontal {
		p.Rows, p.Cols = height, 1
		return block(p, width-1)
	}
	return block(p, width*(height-1))
}

// side returns a random side of a matrix of scans and statements.
func side(r *rand.Rand) int64 { return leastSide + r.Int64N(mostOther-leastSide+1) }

// statement returns a statement over arrays, or over 1 to 200 columns of them, as for borders.
func statement(r *rand.Rand, s Statement) packing.Point {
	height, width := side(r), side(r)
	p := packing.Point{Experiment: packing.Array, Stride: unit.Bytes(width), Rows: height, Cols: width, Blocks: s.Arrays}
	base := int64(0)
	if r.IntN(2) == 0 {
		p.Cols = 1 + r.Int64N(min(mostLines, width))
		base = r.Int64N(width - p.Cols + 1)
	}
	p.Accesses, p.Ops = s.Accesses*p.Rows*p.Cols, s.Ops*p.Rows*p.Cols
	return block(p, base)
}
