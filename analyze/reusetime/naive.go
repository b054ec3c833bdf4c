package reusetime

import "slices"

// NaiveTimes is the definition of the times: of each use, the distance in uses from the latest use of
// the same line before it; if there is none, the use's own position, from 1; and of each
// line the position of its last use, counted from the end. It is the oracle of the counter.
func NaiveTimes(stream []uint64) (reuse, first, last []uint64) {
	for i, line := range stream {
		before, after := -1, false
		for j, other := range stream {
			if other == line && j < i {
				before = j
			}
			after = after || other == line && j > i
		}
		if before >= 0 {
			reuse = append(reuse, uint64(i-before))
		} else {
			first = append(first, uint64(i+1))
		}
		if !after {
			last = append(last, uint64(len(stream)-i))
		}
	}
	return reuse, first, last
}

// NaiveFootprint is the definition of n-w+1 times the average footprint: the distinct lines of every
// window of w uses of a stream of n, added up.
func NaiveFootprint(stream []uint64, w int) (sum int) {
	for i := range len(stream) - w + 1 {
		sum += distinct(stream[i : i+w])
	}
	return sum
}

// NaiveWorkingSet is the definition of n times the average working set: the distinct lines of the w uses
// up to each use, or of as many as there are, added up.
func NaiveWorkingSet(stream []uint64, w int) (sum int) {
	for i := range stream {
		sum += distinct(stream[max(0, i+1-w) : i+1])
	}
	return sum
}

func distinct(lines []uint64) int {
	return len(slices.Compact(slices.Sorted(slices.Values(lines))))
}
