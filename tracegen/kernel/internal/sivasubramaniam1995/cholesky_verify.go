package sivasubramaniam1995

import (
	"fmt"
	"math"
	"slices"
)

// Verify multiplies the factors and compares every element of A - L L' with the bound g |L||L'| of any order of
// operations, g = (n+4) u/(1 - (n+4) u). The bound applies once to the factorization [higham2002, thm. 10.3; 4 is
// for the conversions of sums] and once to the product computed here. One unit of sums is added for each supernode,
// because its products are rounded to it.
func (f *cholesky) Verify() error {
	s := &f.super
	n := len(s.owner)
	a := make([][]symmetricElement, n) // columns of A in the order of L
	for _, e := range f.matrix().elements {
		i, j := s.place[e.row], s.place[e.column]
		a[min(i, j)] = append(a[min(i, j)], symmetricElement{max(i, j), min(i, j), e.value})
	}
	before := make([][]int32, n) // of each row: the columns of L that contain it
	for column := range int32(n) {
		for _, row := range s.below(column) {
			before[row] = append(before[row], column)
		}
	}
	g := float64(n+4) * 0x1p-53 / (1 - float64(n+4)*0x1p-53)
	rest, size := make([]float64, n), make([]float64, n) // of one column: A - L L', |L||L'|
	for j := range int32(n) {
		for _, e := range a[j] {
			rest[e.row] += e.value
		}
		for _, k := range before[j] {
			f.subtractColumn(rest, size, j, k)
		}
		for _, i := range s.below(j) {
			if bound := 2*g*size[i] + float64(len(f.due))*choleskyUnit; !(math.Abs(rest[i]) <= bound) {
				return fmt.Errorf("element (%d,%d) of A - LL' is %.3g, more than %.3g", i, j, rest[i], bound)
			}
			rest[i], size[i] = 0, 0
		}
	}
	return nil
}

// below returns the rows of a column of L, from the diagonal down.
func (s *supernodes) below(column int32) []int32 {
	owner := s.owner[column]
	return s.rowsOf(owner)[column-s.first[owner]:]
}

// subtractColumn subtracts the contribution of column k of L from column j of the rest.
func (f *cholesky) subtractColumn(rest, size []float64, j, k int32) {
	rows, from := f.super.below(k), f.super.index(k, k)
	at, _ := slices.BinarySearch(rows, j)
	for b, i := range rows[at:] {
		product := f.value[from+at] * f.value[from+at+b]
		rest[i] -= product
		size[i] += math.Abs(product)
	}
}
