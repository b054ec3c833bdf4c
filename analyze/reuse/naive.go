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

// NaiveHoled is the definition of the stack with holes: the lines and holes by depth. It is the oracle of
// HoledStack.
type NaiveHoled struct {
	entries []entry
	lost    map[uint64]int64 // depth at which a line was taken out the last time
}

// entry is a line, or a hole.
type entry struct {
	line   uint64
	isHole bool
}

// Use uses a line. What it returns besides the distance is where the line was taken out since its last use; either
// is Cold if there is none.
func (n *NaiveHoled) Use(line uint64) (distance, lost int64) {
	at := slices.Index(n.entries, entry{line: line})
	hole := slices.IndexFunc(n.entries, func(e entry) bool { return e.isHole })
	end := at // of what is pushed down
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
		return Cold, lost
	}
	return int64(at), Cold
}

// Remove takes a line out, if it is there.
func (n *NaiveHoled) Remove(line uint64) {
	at := slices.Index(n.entries, entry{line: line})
	if at < 0 {
		return
	}
	if n.lost == nil {
		n.lost = map[uint64]int64{}
	}
	n.entries[at], n.lost[line] = entry{isHole: true}, int64(at)
}
