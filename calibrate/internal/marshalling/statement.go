package marshalling

import (
	"fmt"
	"slices"

	"spoor/calibrate/packing"
)

// Statement is a statement over whole arrays, A = x or A = x op y, with scalars or arrays x and y [hur1999, eq.
// 12].
//
// Differs: op is an addition only, never a multiplication.
type Statement struct {
	Name                string
	Accesses, Ops       int64 // of each item
	Arrays              int64
	items               func(a, b, c []int32) // performs it for a row
	first, second, last int64                 // indices of the arrays
}

// Statements lists all statements. No two have the same accesses, operations and arrays.
var Statements = []Statement{
	{"A = s", 1, 0, 1, func(a, _, _ []int32) {
		for j := range a {
			a[j] = scalar
		}
	}, 0, 0, 0},
	{"A = B", 2, 0, 2, func(a, b, _ []int32) {
		b = b[:len(a)]
		for j := range a { // not copy, which is assembly: all statements are loops that the compiler made
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

// apart is the distance of arrays in items: a multiple of pages, so that all have the same alignment. Arrays are
// smaller.
const apart = Matrix / Item / 3 >> 12 << 12

// Index returns the index of a point's statement in Statements; -1 if it is none of them.
func Index(p *packing.Point) int64 {
	items := p.Rows * p.Cols
	return int64(slices.IndexFunc(Statements, func(s Statement) bool {
		return s.Accesses*items == p.Accesses && s.Ops*items == p.Ops && s.Arrays == p.Blocks
	}))
}

// StatementOf returns the statement of a point.
func StatementOf(p *packing.Point) (Statement, error) {
	if i := Index(p); i >= 0 {
		return Statements[i], nil
	}
	return Statement{}, fmt.Errorf("no statement has %d accesses and %d operations in %d blocks of %d x %d items", p.Accesses, p.Ops, p.Blocks, p.Rows, p.Cols)
}

// Run performs the statement for a part of arrays that lie in a matrix.
func (s Statement) Run(matrix []int32, l Layout) {
	for row, at := l.Rows, l.Base; row > 0; row-- {
		of := func(array int64) []int32 { return matrix[array*apart+at:][:l.Cols] }
		s.items(of(s.first), of(s.second), of(s.last))
		at += l.Stride
	}
}
