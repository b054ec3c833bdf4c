package reuse

import (
	"iter"
	"math"
)

// table gives lines places, as [lines.Table] does.
type table interface {
	MakeRoom() error
	Find(lines []uint64, place []uint32)
	Places() int
	All() iter.Seq2[uint64, uint32]
}

// numbered is the table of lines that others have given places, so many by now: these are their names, too.
type numbered struct{ places int }

func newNumberedStack(cores int) *Stack {
	s := NewParallelStack(cores)
	s.lines, s.check = new(numbered), math.MaxInt
	return s
}

// MakeRoom never fails: there are no new lines.
func (n *numbered) MakeRoom() error { return nil }

// Find tells the places of lines.
func (n *numbered) Find(lines []uint64, place []uint32) {
	for i, l := range lines {
		place[i] = uint32(l)
	}
}

// Places is how many places there are.
func (n *numbered) Places() int { return n.places }

// All yields all lines with their places.
func (n *numbered) All() iter.Seq2[uint64, uint32] {
	return func(yield func(uint64, uint32) bool) {
		for at := range n.places {
			if !yield(uint64(at), uint32(at)) {
				return
			}
		}
	}
}
