package table

// Set is a set of small numbers, in no particular order.
type Set struct {
	All []int32
	is  []bool
}

// NewSet returns an empty set for numbers below n.
func NewSet(n int) Set { return Set{is: make([]bool, n)} }

// Add adds a number.
func (s *Set) Add(i int32) {
	if !s.is[i] {
		s.is[i] = true
		s.All = append(s.All, i)
	}
}

// Clear removes all numbers.
func (s *Set) Clear() {
	for _, i := range s.All {
		s.is[i] = false
	}
	s.All = s.All[:0]
}
