package analysis

import "spoor/traces/trace"

// largeRef is the size of a reference from which the bytes of a chunk are limited too. Otherwise the lines of
// a chunk need much memory if references are large and lines are small.
const largeRef = 64

// mostBytes is the maximum number of bytes that the references of such a chunk touch, unless it has only one.
const mostBytes = 1 << 22

// anyLarge reports whether a reference is large.
func anyLarge(sizes []uint16) bool { return trace.AnySize(sizes, largeRef) }

// withinChunk returns how many references fit into a chunk.
func withinChunk(sizes []uint16) int {
	bytes := 0
	for i, n := range sizes {
		if bytes += int(n); bytes > mostBytes && i > 0 {
			return i
		}
	}
	return len(sizes)
}

// sumSizes returns the bytes that references touch.
func sumSizes(sizes []uint16) (bytes int) {
	for _, n := range sizes {
		bytes += int(n)
	}
	return bytes
}
