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

// NaiveSample is the definition of sampled distances: only lines whose hash is not above a limit go to the list, and
// what is found stands for the inverse of the rate. It is the oracle of what [Sampling] finds without bursts.
type NaiveSample struct {
	Naive
	Hash  func(line uint64) uint64
	Last  uint64 // hash of a kept line at most
	Asked uint64 // that Last falls to while there are Least lines
	Least int    // for that; 0: Last is Asked
	Lines int    // at most so many; 0: as many as there are
	Uses  map[uint64]float64
	Cold  float64

	since int // kept uses since the last check for too many lines
}

// Touch uses a line.
func (n *NaiveSample) Touch(line uint64) {
	if n.Hash(line) > n.Last {
		return
	}
	rate := (float64(n.Last) + 1) / (1 << 64)
	if d := n.Naive.Touch(line); d == Cold {
		n.Cold += 1 / rate
	} else {
		n.Uses[uint64(float64(d)/rate)] += 1 / rate
	}
	most, end := n.Lines, uint64(0)
	if n.Last > n.Asked {
		most, end = (n.Least+2)/3*4, n.Asked
	}
	pace := most / 16
	if n.since++; most == 0 || n.since < pace {
		return
	}
	n.since = 0
	if len(n.lines)+pace <= most {
		return
	}
	var hashes []uint64
	for _, l := range n.lines {
		hashes = append(hashes, n.Hash(l))
	}
	slices.Sort(hashes)
	n.Last = max(hashes[most/4*3]-1, end)
	n.lines = slices.DeleteFunc(n.lines, func(l uint64) bool { return n.Hash(l) > n.Last })
}
