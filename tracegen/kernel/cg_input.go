package kernel

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"spoor/tracegen/workload"
)

const (
	cgRightSide = 1   // every element of b, as of the benchmark's first one
	cgCondition = 0.1 // the benchmark's "rcond", its reciprocal condition number
)

// cgElement is a non-zero of the matrix.
type cgElement struct {
	row, column int32
	value       float64
}

// cgMatrix is a symmetric positive definite n x n matrix with exactly so many
// non-zeros, in order of rows and columns. As in the NAS benchmark it is 0.1 I plus
// the sum over k of w_k v_k v_k', where v_k is sparse: 1/2 at k, uniform in 0..1 at
// random other places; w falls geometrically from 1 to 0.1. So the non-zeros are
// cliques of random vertices. A vector has as many non-zeros as n vectors need, and
// fewer at the end, so as to meet the number exactly; more vectors follow after n,
// of weight 0.1, while their cliques overlap too much.
func cgMatrix(n, nonzeros int, seed uint64) []cgElement {
	m := cgSum{n: n, missing: (nonzeros - n) / 2, upper: map[[2]int32]float64{}, diagonal: make([]float64, n),
		cursor: [2]int32{0, 1}, rng: workload.Generator(seed)}
	size := 1
	for cgPairs(size)*n < m.missing {
		size++
	}
	for k := 0; k < n || m.missing > 0; k++ {
		weight := math.Pow(cgCondition, min(1, float64(k)/float64(n)))
		for cgPairs(size) > m.missing {
			size--
		}
		v := m.vector(k%n, size)
		if before := m.missing; !m.add(v, weight) && before > 0 {
			m.add(m.nextMissing(), weight)
		}
	}
	return m.elements()
}

// cgPairs is how many pairs there are of size things.
func cgPairs(size int) int { return size * (size - 1) / 2 }

// cgSum is a sum of outer products in the making.
type cgSum struct {
	n, missing int                  // pairs that must still become non-zero
	upper      map[[2]int32]float64 // above the diagonal, without 0.1 I
	diagonal   []float64
	rng        *rand.Rand
	cursor     [2]int32 // pairs before this one are non-zero
}

// vector is 1/2 at k and random at size-1 other places.
func (m *cgSum) vector(k, size int) []cgElement {
	v := []cgElement{{row: int32(k), value: 0.5}}
	for len(v) < size {
		at := int32(m.rng.IntN(m.n))
		if !slices.ContainsFunc(v, func(e cgElement) bool { return e.row == at }) {
			v = append(v, cgElement{row: at, value: 1 - m.rng.Float64()})
		}
	}
	return v
}

// add adds weight v v' and reports whether that made a pair non-zero.
func (m *cgSum) add(v []cgElement, weight float64) bool {
	before := len(m.upper)
	for i, a := range v {
		m.diagonal[a.row] += weight * a.value * a.value
		for _, b := range v[:i] {
			m.upper[[2]int32{min(a.row, b.row), max(a.row, b.row)}] += weight * a.value * b.value
		}
	}
	m.missing -= len(m.upper) - before
	return len(m.upper) > before
}

// nextMissing is a vector whose pair is the first that is zero: there is one when
// pairs are missing. It is what ends the search in a matrix that is nearly full.
func (m *cgSum) nextMissing() []cgElement {
	for c := &m.cursor; ; c[1]++ {
		if int(c[1]) >= m.n {
			c[0], c[1] = c[0]+1, c[0]+2
		}
		if _, there := m.upper[*c]; !there {
			return []cgElement{{row: c[0], value: 0.5}, {row: c[1], value: 0.5}}
		}
	}
}

// elements are the non-zeros of the whole matrix in order.
func (m *cgSum) elements() []cgElement {
	all := make([]cgElement, 0, m.n+2*len(m.upper))
	for i, d := range m.diagonal {
		all = append(all, cgElement{int32(i), int32(i), cgCondition + d})
	}
	for at, value := range m.upper {
		all = append(all, cgElement{at[0], at[1], value}, cgElement{at[1], at[0], value})
	}
	slices.SortFunc(all, func(a, b cgElement) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.column, b.column))
	})
	return all
}
