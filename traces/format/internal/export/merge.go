package export

import (
	"container/heap"

	"spoor/traces/trace"
)

// MergeRefs calls put with each reference of procs, merged by instructions executed;
// ties are ordered by processor.
func MergeRefs(src trace.Source, procs []trace.Proc, put func(c *Cursor) error) error {
	var next mergeHeap
	defer func() {
		for _, c := range next {
			c.Stop()
		}
	}()
	for _, p := range procs {
		c, err := NewCursor(src, p)
		if err != nil || c.Refs == nil {
			c.Stop()
			if err != nil {
				return err
			}
			continue
		}
		next = append(next, c)
	}
	heap.Init(&next)
	for len(next) > 0 {
		c := next[0]
		if err := put(c); err != nil {
			return err
		}
		if err := c.Advance(); err != nil {
			return err
		}
		if c.Refs == nil {
			c.Stop()
			heap.Pop(&next)
		} else if len(next) > 1 {
			heap.Fix(&next, 0)
		}
	}
	return nil
}

// mergeHeap has the cursor of the earliest reference first.
type mergeHeap []*Cursor

func (h mergeHeap) Len() int { return len(h) }
func (h mergeHeap) Less(i, j int) bool {
	return h[i].Pos < h[j].Pos || h[i].Pos == h[j].Pos && h[i].Proc < h[j].Proc
}
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *mergeHeap) Push(x any)   { *h = append(*h, x.(*Cursor)) }
func (h *mergeHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
