package sivasubramaniam1995

import (
	"math"
	"math/rand/v2"
	"slices"

	"spoor/tracegen/kernel/internal/workload"
)

const (
	cgRightSide = 1   // every element of b, like the benchmark's first b
	cgCondition = 0.1 // the benchmark's "rcond", its reciprocal condition number
)

// cgElement is a non-zero of the matrix.
type cgElement struct {
	row, column int32
	value       float64
}

// cgMatrix returns a symmetric positive definite n x n matrix with exactly the given number of non-zeros, in order
// of rows and columns. Like in the NAS benchmark, it is 0.1 I plus the sum over k of w_k v_k v_k'. The vector v_k
// is sparse: 1/2 at k, and uniform in 0..1 at random other places. The weight w falls geometrically from 1 to 0.1.
// So the non-zeros are cliques of random vertices. Each vector has as many non-zeros as n vectors need. Cliques
// overlap, so pairs are missing after n vectors; vectors with two non-zeros add them.
func cgMatrix(n, nonzeros int, seed uint64) []cgElement {
	m := cgSum{n: n, missing: (nonzeros - n) / 2, upper: make(map[uint64]float64, nonzeros/2),
		diagonal: make([]float64, n), rng: workload.Generator(seed)}
	size := 1
	for cgPairs(size)*n < m.missing {
		size++
	}
	for k := range n {
		for cgPairs(size) > m.missing {
			size--
		}
		m.add(m.vector(k, size), math.Pow(cgCondition, float64(k)/float64(n)))
	}
	m.addMissing()
	return m.elements()
}

// cgPairs returns the number of pairs of size things.
func cgPairs(size int) int { return size * (size - 1) / 2 }

// cgSum is an unfinished sum of outer products.
type cgSum struct {
	n, missing int                // number of pairs that must still become non-zero
	upper      map[uint64]float64 // above the diagonal, by cgPlace
	diagonal   []float64
	rng        *rand.Rand
}

// vector returns a vector with 1/2 at k and random values at size-1 other places.
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

// add adds weight v v'.
func (m *cgSum) add(v []cgElement, weight float64) {
	before := len(m.upper)
	for i, a := range v {
		m.diagonal[a.row] += weight * a.value * a.value
		for _, b := range v[:i] {
			m.upper[cgPlace(min(a.row, b.row), max(a.row, b.row))] += weight * a.value * b.value
		}
	}
	m.missing -= len(m.upper) - before
}

// addMissing adds vectors of 1/2 at two places, chosen from the pairs that are zero. It tries random pairs if half
// of them succeed, and otherwise uses a list.
func (m *cgSum) addMissing() {
	pair := func(i, j int32) []cgElement { return []cgElement{{row: i, value: 0.5}, {row: j, value: 0.5}} }
	for m.missing > 0 && 4*(len(m.upper)+m.missing) < m.n*m.n {
		i, j := int32(m.rng.IntN(m.n)), int32(m.rng.IntN(m.n))
		if _, there := m.upper[cgPlace(i, j)]; i < j && !there {
			m.add(pair(i, j), cgCondition)
		}
	}
	if m.missing == 0 {
		return
	}
	var zero [][2]int32
	for i := range int32(m.n) {
		for j := i + 1; j < int32(m.n); j++ {
			if _, there := m.upper[cgPlace(i, j)]; !there {
				zero = append(zero, [2]int32{i, j})
			}
		}
	}
	m.rng.Shuffle(len(zero), func(i, j int) { zero[i], zero[j] = zero[j], zero[i] })
	for _, at := range zero[:m.missing] {
		m.add(pair(at[0], at[1]), cgCondition)
	}
}

// cgPlace returns a number for element (row, column), in order of rows and columns.
func cgPlace(row, column int32) uint64 { return uint64(row)<<32 | uint64(column) }

// elements returns the non-zeros of the whole matrix in order.
func (m *cgSum) elements() []cgElement {
	places := make([]uint64, 0, m.n+2*len(m.upper))
	for i := range int32(m.n) {
		places = append(places, cgPlace(i, i))
	}
	for at := range m.upper {
		places = append(places, at, cgPlace(int32(at), int32(at>>32)))
	}
	slices.Sort(places)
	all := make([]cgElement, len(places))
	for k, at := range places {
		e := cgElement{row: int32(at >> 32), column: int32(at)}
		if e.row == e.column {
			e.value = cgCondition + m.diagonal[e.row]
		} else {
			e.value = m.upper[cgPlace(min(e.row, e.column), max(e.row, e.column))]
		}
		all[k] = e
	}
	return all
}
