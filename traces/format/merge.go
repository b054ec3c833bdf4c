package format

import (
	"container/heap"

	"spoor/traces/trace"
)

// mergeRefs calls put with each reference of procs, merged by instructions executed;
// ties are ordered by processor.
func mergeRefs(src trace.Source, procs []trace.Proc, put func(c *cursor) error) error {
	var next mergeHeap
	defer func() {
		for _, c := range next {
			c.stop()
		}
	}()
	for _, p := range procs {
		c, err := newCursor(src, p)
		if err != nil || c.refs == nil {
			c.stop()
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
		if err := c.advance(); err != nil {
			return err
		}
		if c.refs == nil {
			c.stop()
			heap.Pop(&next)
		} else if len(next) > 1 {
			heap.Fix(&next, 0)
		}
	}
	return nil
}

// mergeHeap has the cursor of the earliest reference first.
type mergeHeap []*cursor

func (h mergeHeap) Len() int { return len(h) }
func (h mergeHeap) Less(i, j int) bool {
	return h[i].pos < h[j].pos || h[i].pos == h[j].pos && h[i].proc < h[j].proc
}
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *mergeHeap) Push(x any)   { *h = append(*h, x.(*cursor)) }
func (h *mergeHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
