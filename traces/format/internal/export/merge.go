package export

import (
	"spoor/traces/heap"
	"spoor/traces/trace"
)

// MergeRefs calls put with each reference of procs, merged by instructions executed;
// ties are ordered by processor. It is not the interleaved order of package analysis: a format
// has no place for events, so no processor waits for another one.
func MergeRefs(src trace.Source, procs []trace.Proc, put func(c *Cursor) error) error {
	var next heap.Heap[uint64, trace.Proc, uint8, *Cursor]
	defer func() {
		for _, c := range next {
			c.Value.Stop()
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
		next.Push(heap.Item[uint64, trace.Proc, uint8, *Cursor]{Key: c.Pos, Tie: p, Value: c})
	}
	for len(next) > 0 {
		first := next[0]
		c := first.Value
		if err := put(c); err != nil {
			return err
		}
		if err := c.Advance(); err != nil {
			return err
		}
		if c.Refs == nil {
			c.Stop()
			next.Pop()
		} else {
			first.Key = c.Pos
			next.ReplaceFirst(first)
		}
	}
	return nil
}
