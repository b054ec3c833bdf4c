// Package heap is the priority queue of all stages.
//
// It is not container/heap: that calls a method through an interface for each comparison and each move, and allocates
// for each value. Keys are numbers here, because the compiler inlines comparisons of numbers. It does not inline a
// method of a type parameter: a heap of values with a Less method takes 1.6 times as long.
package heap

import "cmp"

// serial is a number of a sequence that may wrap around. Numbers in a heap differ by less than half of the range.
type serial interface {
	~uint8 | ~uint32 | ~uint64
}

// Item is an element of a heap. Items are ordered by Key, then by Tie, then by Turn.
type Item[K, T cmp.Ordered, S serial, V any] struct {
	Value V
	Key   K
	Turn  S
	Tie   T
}

// Before reports whether a comes before b.
func (a *Item[K, T, S, V]) Before(b *Item[K, T, S, V]) bool {
	return a.Key < b.Key || a.Key == b.Key && (a.Tie < b.Tie || a.Tie == b.Tie && a.Turn-b.Turn > b.Turn-a.Turn)
}

// Heap is a binary heap. The first item is at index 0.
type Heap[K, T cmp.Ordered, S serial, V any] []Item[K, T, S, V]

// Push adds an item in O(log n).
func (h *Heap[K, T, S, V]) Push(x Item[K, T, S, V]) {
	q := append(*h, x)
	*h = q
	i := len(q) - 1
	for i > 0 && x.Before(&q[(i-1)/2]) {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = x
}

// Pop removes the first item in O(log n). The heap must not be empty.
func (h *Heap[K, T, S, V]) Pop() Item[K, T, S, V] {
	q := *h
	first, last := q[0], q[len(q)-1]
	var none Item[K, T, S, V]
	q[len(q)-1] = none // the heap refers to it no longer
	*h = q[:len(q)-1]
	if len(*h) > 0 {
		h.sink(0, last)
	}
	return first
}

// ReplaceFirst puts an item in place of the first one in O(log n). It is faster than Pop and Push.
func (h Heap[K, T, S, V]) ReplaceFirst(x Item[K, T, S, V]) { h.sink(0, x) }

// Init makes a heap of items in any order, in O(n).
func (h Heap[K, T, S, V]) Init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i, h[i])
	}
}

// sink places an item at index i or below.
func (h Heap[K, T, S, V]) sink(i int, x Item[K, T, S, V]) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].Before(&h[child]) {
			child++
		}
		c := h[child]
		// This is !c.Before(&x). Without the address of x, its keys stay in registers.
		if x.Key < c.Key || x.Key == c.Key && (x.Tie < c.Tie || x.Tie == c.Tie && x.Turn-c.Turn >= c.Turn-x.Turn) {
			break
		}
		h[i] = c
		i = child
	}
	h[i] = x
}
