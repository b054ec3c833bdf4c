package reuse

import "slices"

// Naive is the definition of the stack distance. It keeps the lines in the order of their last use, newest
// first. The distance of a use is the position of its line. Tests compare Stack with it.
type Naive struct{ lines []uint64 }

// Touch uses a line. It returns the distance, or Cold.
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

// NaiveHoled is the definition of the stack with holes: a list of lines and holes by depth. Tests compare
// HoledStack with it.
type NaiveHoled struct {
	entries []entry
	lost    map[uint64]int64 // depth at which a line was last removed
}

// entry is a line, or a hole.
type entry struct {
	line   uint64
	isHole bool
}

// Use uses a line. It returns the distance, and the depth at which the line was removed since its last use.
// Either is Cold if there is none.
func (n *NaiveHoled) Use(line uint64) (distance, lost int64) {
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
		return Cold, lost
	}
	return int64(at), Cold
}

// Flush invalidates a line, if it is in the stack. The next use of the line returns Flushed as its depth.
func (n *NaiveHoled) Flush(line uint64) {
	if slices.Contains(n.entries, entry{line: line}) {
		n.Remove(line)
		n.lost[line] = Flushed
	}
}

// Remove invalidates a line, if it is in the stack.
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

// naiveSample is the definition of sampled distances. Only lines whose hash is at most a limit are used. Each
// use counts 1/rate times. Tests compare [Sampling] without bursts with it.
type naiveSample struct {
	Naive
	Hash  func(line uint64) uint64
	Last  uint64 // largest hash of a kept line
	Asked uint64 // the lowest value of Last while there are Least lines
	Least int    // 0: Last is constant
	Lines int    // at most this many kept lines; 0: no limit
	Uses  map[uint64]float64
	Cold  float64

	since int // kept uses since the last check of the number of lines
}

// Touch uses a line.
func (n *naiveSample) Touch(line uint64) {
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
