package sivasubramaniam1995

import (
	"math/rand/v2"

	"spoor/tracegen/kernel/internal/workload"
)

// dome is a roof of bars: rings of joints around a centre, in two layers. Each joint may move in three directions.
type dome struct {
	rings, spokes, braces int
}

const (
	domeLayers  = 2
	domeFreedom = 3 // directions
)

func (d dome) joints() int { return d.rings * d.spokes * domeLayers }

func (d dome) joint(ring, spoke, layer int) int32 {
	return int32((ring*d.spokes+spoke%d.spokes)*domeLayers + layer)
}

// bars joins every joint with the next one of its ring, the next one of its spoke, and the one in the other layer.
// It also joins a random percentage of the other pairs of adjacent joints. Adjacent means next to each other on a
// ring, a spoke or a diagonal, in the same layer or in different ones.
func (d dome) bars(rng *rand.Rand) [][2]int32 {
	var bars, others [][2]int32
	for ring := range d.rings {
		for spoke := range d.spokes {
			bars = append(bars, [2]int32{d.joint(ring, spoke, 0), d.joint(ring, spoke, 1)})
			for _, step := range [][2]int{{0, 1}, {1, 0}, {1, 1}} {
				if ring+step[0] == d.rings {
					continue
				}
				for layer := range domeLayers {
					from := d.joint(ring, spoke, layer)
					same := [2]int32{from, d.joint(ring+step[0], spoke+step[1], layer)}
					across := [2]int32{from, d.joint(ring+step[0], spoke+step[1], 1-layer)}
					if step[0]+step[1] == 1 {
						bars = append(bars, same)
					} else {
						others = append(others, same)
					}
					others = append(others, across)
				}
			}
		}
	}
	rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return append(bars, others[:(len(others)*d.braces+50)/100]...)
}

// sparseSymmetric is a symmetric matrix of square blocks. It holds the elements of the lower triangle, and which
// blocks are not zero.
type sparseSymmetric struct {
	freedom    int // rows and columns of a block
	elements   []symmetricElement
	neighbours [][]int32 // of each block row, in the whole matrix, without itself
}

type symmetricElement struct {
	row, column int32
	value       float64
}

// domeMatrix returns a stiffness matrix of the dome: 0.1 I plus the sum over bars of v v', scaled to a unit
// diagonal. The vector v is random at the six freedoms of the bar's joints.
func domeMatrix(d dome, seed uint64) sparseSymmetric {
	rng := workload.Generator(seed)
	m := sparseSymmetric{freedom: domeFreedom, neighbours: make([][]int32, d.joints())}
	diagonal := make([][domeFreedom][domeFreedom]float64, d.joints())
	for i := range diagonal {
		for k := range domeFreedom {
			diagonal[i][k][k] = 0.1
		}
	}
	for _, bar := range d.bars(rng) {
		a, b := min(bar[0], bar[1]), max(bar[0], bar[1])
		m.neighbours[a], m.neighbours[b] = append(m.neighbours[a], b), append(m.neighbours[b], a)
		v, w := domeForces(rng), domeForces(rng)
		for i := range domeFreedom {
			for j := range domeFreedom {
				diagonal[a][i][j] += v[i] * v[j]
				diagonal[b][i][j] += w[i] * w[j]
				m.add(b, a, i, j, w[i]*v[j])
			}
		}
	}
	for joint := range diagonal {
		for i := range domeFreedom {
			for j := range i + 1 {
				m.add(int32(joint), int32(joint), i, j, diagonal[joint][i][j])
			}
		}
	}
	m.scaleToUnitDiagonal()
	return m
}

// domeForces returns a random vector in -1..1 without zeros.
func domeForces(rng *rand.Rand) (v [domeFreedom]float64) {
	for i := range v {
		v[i] = 1 - rng.Float64()
		if rng.IntN(2) == 0 {
			v[i] = -v[i]
		}
	}
	return v
}

// add adds element (i,j) of block (row,column).
func (m *sparseSymmetric) add(row, column int32, i, j int, value float64) {
	m.elements = append(m.elements, symmetricElement{row*domeFreedom + int32(i), column*domeFreedom + int32(j), value})
}
