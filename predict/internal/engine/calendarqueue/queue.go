// Package calendarqueue lists ranks by the window of time in which they act next.
package calendarqueue

import (
	"math"
	"math/bits"

	"spoor/traces/heap"
	"spoor/traces/unit"
)

// Queue divides time into windows of one width. Ranks that act in one of the next windows are in a ring of lists. The
// others are in a heap. A rank may still be in lists of other windows; the caller knows which one counts.
type Queue struct {
	Width unit.Picos
	Now   int64 // window

	inverse uint64 // see Window
	shift   uint8
	ring    [ringSize][]int32
	filled  [ringSize / 64]uint64                          // which lists of the ring have, or had, ranks
	spare   [][]int32                                      // emptied lists, for reuse; the last one is still in a cache
	far     heap.Heap[unit.Picos, uint8, uint32, struct{}] // by next and rank
}

const (
	ringSize = 1 << 10

	None      = int64(-1)            // no window
	NoFurther = int64(math.MaxInt64) // after all windows
)

// New returns an empty queue, before the first window.
func New(width unit.Picos) *Queue {
	c := &Queue{Width: width, Now: None}
	if width > 2 {
		n := bits.Len64(uint64(width - 1))
		c.inverse, _ = bits.Div64(1<<n>>2, 0, uint64(width))
		c.inverse, c.shift = c.inverse+1, uint8(n-2)
	}
	return c
}

// Window returns the window of a time before 2^62 ps. It multiplies by the reciprocal of the width, because a division
// takes longer than the rest. The result is exact: the product of the reciprocal and the width, of L bits, is at most
// 2^L more than 2^(62+L).
func (c *Queue) Window(t unit.Picos) int64 {
	if c.inverse == 0 {
		return int64(t / c.Width)
	}
	product, _ := bits.Mul64(uint64(t), c.inverse)
	return int64(product >> c.shift)
}

// Add enters a rank that acts at a time, in the window w, which is not before the present one.
func (c *Queue) Add(rank int32, at unit.Picos, w int64) {
	if w-c.Now >= ringSize {
		c.far.Push(heap.Item[unit.Picos, uint8, uint32, struct{}]{Key: at, Turn: uint32(rank)})
		return
	}
	i := w % ringSize
	c.enter(i, rank)
	c.filled[i/64] |= 1 << (i % 64)
}

// enter puts a rank into the i-th list. A new list reuses an emptied one.
func (c *Queue) enter(i int64, rank int32) {
	if n := len(c.spare); n > 0 && c.ring[i] == nil {
		c.ring[i], c.spare = c.spare[n-1], c.spare[:n-1]
	}
	c.ring[i] = append(c.ring[i], rank)
}

// Advance goes to the next window for which a rank is entered, and reports false if it is not before end. It moves the
// ranks of that window from the heap to its list.
func (c *Queue) Advance(end int64) bool {
	i := (c.Now + 1) % ringSize
	next := c.Now + 1 + c.gap(i)
	if next > c.Now+ringSize {
		next = NoFurther // the ring has none
	}
	if len(c.far) > 0 {
		next = min(next, int64(c.far[0].Key/c.Width))
	}
	if next >= end {
		return false
	}
	c.Now = next
	i = c.Now % ringSize
	c.filled[i/64] &^= 1 << (i % 64)
	for len(c.far) > 0 && int64(c.far[0].Key/c.Width) == c.Now {
		c.enter(i, int32(c.far.Pop().Turn))
	}
	return true
}

// List returns the ranks of the present window. Ranks that are entered there meanwhile are not in it.
func (c *Queue) List() []int32 { return c.ring[c.Now%ringSize] }

// Clear empties the list of the present window.
func (c *Queue) Clear() {
	i := c.Now % ringSize
	c.ring[i], c.spare = nil, append(c.spare, c.ring[i][:0])
}

// First returns the first later window in which a rank acts, or NoFurther. acts reports whether a rank acts in a window.
func (c *Queue) First(acts func(rank int32, window int64) bool) int64 {
	next, ring := NoFurther, c.Now+1+ringSize
	if len(c.far) > 0 {
		next = int64(c.far[0].Key / c.Width)
	}
	for w := c.Now + 1; w < min(next, ring); w++ {
		if w += c.gap(w % ringSize); w >= min(next, ring) {
			break
		}
		i := w % ringSize
		for _, rank := range c.ring[i] {
			if acts(rank, w) {
				return w
			}
		}
		c.ring[i] = c.ring[i][:0]
		c.filled[i/64] &^= 1 << (i % 64)
	}
	return next
}

// gap returns how many lists of the ring have no ranks, from the i-th on.
func (c *Queue) gap(i int64) int64 {
	for n := int64(0); n < ringSize+64; {
		word := c.filled[(i+n)%ringSize/64] >> ((i + n) % 64)
		if word != 0 {
			return n + int64(bits.TrailingZeros64(word))
		}
		n += 64 - (i+n)%64
	}
	return ringSize
}
