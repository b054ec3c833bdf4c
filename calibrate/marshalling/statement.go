package marshalling

import (
	"fmt"

	"spoor/calibrate/fit/timing"
)

// Statement is one over whole arrays, A = x or A = x op y, with scalars and arrays x and y [hur1999, eq. 12].
//
// Differs: op is an addition, and not a multiplication as well.
type Statement struct {
	Name                string
	Accesses, Ops       int64 // of an item
	Arrays              int64
	items               func(a, b, c []int32) // a row
	first, second, last int64                 // which arrays these are
}

// Statements are all of them. No two have the same accesses, operations and arrays.
var Statements = []Statement{
	{"A = s", 1, 0, 1, func(a, _, _ []int32) {
		for j := range a {
			a[j] = scalar
		}
	}, 0, 0, 0},
	{"A = B", 2, 0, 2, func(a, b, _ []int32) {
		b = b[:len(a)]
		for j := range a { // and not copy, which is in assembly, as all others are loops that the compiler made
			a[j] = b[j]
		}
	}, 0, 1, 1},
	{"A = A + s", 2, 1, 1, func(a, _, _ []int32) {
		for j := range a {
			a[j] += scalar
		}
	}, 0, 0, 0},
	{"A = B + s", 2, 1, 2, func(a, b, _ []int32) {
		b = b[:len(a)]
		for j := range a {
			a[j] = b[j] + scalar
		}
	}, 0, 1, 1},
	{"A = A + B", 3, 1, 2, add, 0, 0, 1},
	{"A = B + C", 3, 1, 3, add, 0, 1, 2},
}

const scalar = 7

func add(a, b, c []int32) {
	b, c = b[:len(a)], c[:len(a)]
	for j := range a {
		a[j] = b[j] + c[j]
	}
}

// apart is how far arrays are apart, in items: a multiple of pages, so that all of them lie alike. Arrays are smaller.
const apart = Matrix / Item / 3 >> 12 << 12

// StatementOf is the statement whose time a point is.
func StatementOf(p *timing.Point) (Statement, error) {
	items := p.Rows * p.Cols
	for _, s := range Statements {
		if s.Accesses*items == p.Accesses && s.Ops*items == p.Ops && s.Arrays == p.Blocks {
			return s, nil
		}
	}
	return Statement{}, fmt.Errorf("no statement has %d accesses and %d operations in %d blocks of %d x %d items", p.Accesses, p.Ops, p.Blocks, p.Rows, p.Cols)
}

// Run does the statement for a part of arrays that lie in a matrix.
func (s Statement) Run(matrix []int32, l Layout) {
	for row, at := l.Rows, l.Base; row > 0; row-- {
		of := func(array int64) []int32 { return matrix[array*apart+at:][:l.Cols] }
		s.items(of(s.first), of(s.second), of(s.last))
		at += l.Stride
	}
}
