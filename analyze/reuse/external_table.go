package reuse

import (
	"iter"
	"math"
)

// table assigns places to lines, like [lines.Table].
type table interface {
	MakeRoom() error
	Find(lines []uint64, place []uint32)
	Places() int
	All() iter.Seq2[uint64, uint32]
}

// externalTable is for lines whose places another table has assigned. The lines are named by their places, so
// far this many.
type externalTable struct{ places int }

func newExternalStack(cores int) *Stack {
	s := newParallelStack(cores)
	s.lines, s.checkPlacesAt = new(externalTable), math.MaxInt
	return s
}

// MakeRoom never fails, because there are no new lines.
func (n *externalTable) MakeRoom() error { return nil }

// Find sets the places of lines.
func (n *externalTable) Find(lines []uint64, place []uint32) {
	for i, l := range lines {
		place[i] = uint32(l)
	}
}

// Places returns the number of places.
func (n *externalTable) Places() int { return n.places }

// All yields all lines with their places.
func (n *externalTable) All() iter.Seq2[uint64, uint32] {
	return func(yield func(uint64, uint32) bool) {
		for at := range n.places {
			if !yield(uint64(at), uint32(at)) {
				return
			}
		}
	}
}
