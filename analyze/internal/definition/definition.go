// Package definition has the definitions of stack distances, which the tests of fast algorithms compare with.
package definition

import "slices"

// The distances that are none, as in package reuse.
const (
	none    = -1 // of a first use
	removed = -2 // of a use of a line that was flushed
)

// Stack is the definition of the stack distance. It keeps the lines in the order of their last use, newest
// first. The distance of a use is the position of its line. Tests compare reuse.Stack with it.
type Stack struct{ Order []uint64 }

// Touch uses a line. It returns the distance, or -1 at the first use.
func (n *Stack) Touch(line uint64) int64 {
	at := slices.Index(n.Order, line)
	if at < 0 {
		n.Order = slices.Insert(n.Order, 0, line)
		return none
	}
	copy(n.Order[1:at+1], n.Order[:at])
	n.Order[0] = line
	return int64(at)
}

// Holed is the definition of the stack with holes: a list of lines and holes by depth. Tests compare
// reuse.HoledStack with it.
type Holed struct {
	entries []entry
	lost    map[uint64]int64 // depth at which a line was last removed
}

// entry is a line, or a hole.
type entry struct {
	line   uint64
	isHole bool
}

// Use uses a line. It returns the distance, and the depth at which the line was removed since its last use.
// Either is -1 if there is none.
func (n *Holed) Use(line uint64) (distance, lost int64) {
	at := slices.Index(n.entries, entry{line: line})
	hole := slices.IndexFunc(n.entries, func(e entry) bool { return e.isHole })
	end := at // of the entries that are pushed down
	if at < 0 || hole >= 0 && hole < at {
		end = hole
	}
	if end < 0 {
		n.entries = append(n.entries, entry{})
		end = len(n.entries) - 1
	}
	if at >= 0 {
		n.entries[at].isHole = true
	}
	copy(n.entries[1:end+1], n.entries[:end])
	n.entries[0] = entry{line: line}
	if lost, ok := n.lost[line]; ok && at < 0 {
		return none, lost
	}
	return int64(at), none
}

// Flush invalidates a line, if it is in the stack. The next use of the line returns -2 as its depth.
func (n *Holed) Flush(line uint64) {
	if slices.Contains(n.entries, entry{line: line}) {
		n.Remove(line)
		n.lost[line] = removed
	}
}

// Remove invalidates a line, if it is in the stack.
func (n *Holed) Remove(line uint64) {
	at := slices.Index(n.entries, entry{line: line})
	if at < 0 {
		return
	}
	if n.lost == nil {
		n.lost = map[uint64]int64{}
	}
	n.entries[at], n.lost[line] = entry{isHole: true}, int64(at)
}
