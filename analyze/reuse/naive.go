package reuse

import "slices"

// Naive is the definition of the stack distance: the lines in the order of their last
// use, newest first; the distance of a use is the position of its line. It is the
// oracle of Stack.
type Naive struct{ lines []uint64 }

// Touch uses a line and returns its distance, or Cold.
func (n *Naive) Touch(line uint64) int64 {
	at := slices.Index(n.lines, line)
	if at < 0 {
		n.lines = slices.Insert(n.lines, 0, line)
		return Cold
	}
	copy(n.lines[1:at+1], n.lines[:at])
	n.lines[0] = line
	return int64(at)
}
