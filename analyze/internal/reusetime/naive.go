package reusetime

import "slices"

// NaiveTimes is the definition of the times. The reuse time of a use is the number of uses since the previous
// use of the same line. The first time of a line is the position of its first use, from 1. The last time of a
// line is the position of its last use, from the end. Tests compare the counter with it.
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

// NaiveFootprint is the definition of n-w+1 times the average footprint: the sum of the distinct lines of
// every window of w uses in a stream of n.
func NaiveFootprint(stream []uint64, w int) (sum int) {
	for i := range len(stream) - w + 1 {
		sum += distinct(stream[i : i+w])
	}
	return sum
}

// NaiveWorkingSet is the definition of n times the average working set. It is the sum over all uses of the
// distinct lines among the last w uses, or among all so far if these are fewer.
func NaiveWorkingSet(stream []uint64, w int) (sum int) {
	for i := range stream {
		sum += distinct(stream[max(0, i+1-w) : i+1])
	}
	return sum
}

func distinct(lines []uint64) int {
	return len(slices.Compact(slices.Sorted(slices.Values(lines))))
}
