package cache

import "spoor/traces/trace"

// op is an operation of a processor, used as an index of counts.
type op uint8

const (
	loads op = iota
	stores
	ifetches
	ops
)

func opOf(o trace.Op) op { return op(o - trace.Load) }

// Counts counts the events at a level.
type Counts struct {
	Uses, Misses [ops]uint64 // of lines, by load, store, ifetch
	Split        uint64      // misses beyond the first of a reference that crosses lines

	Evictions     uint64 // lines that another line replaced
	Invalidations uint64 // lines removed because an inclusive level evicted them
	Writebacks    uint64 // lines that were dirty when they left
	Writethroughs uint64 // writes passed on at once

	Around        uint64 // misses that loaded no line
	Prefetches    uint64 // uses of lines by prefetches, which are in no other count of uses
	PrefetchFills uint64 // those that missed, which are in no other count of misses
	Flushed       uint64 // lines removed by a flush

	Clean   uint64 // clean lines evicted to the next level, which is exclusive
	Passed  uint64 // bytes of dirty lines of levels above that this level did not have and passed on
	Through uint64 // bytes of writes passed on at once

	Compulsory, Capacity, Conflict uint64 // the misses by cause
	FullMisses                     uint64 // misses of a fully associative LRU cache of the same size
	OPTMisses                      uint64
}

func (c *Counts) add(d *Counts) {
	for i := range c.Uses {
		c.Uses[i] += d.Uses[i]
		c.Misses[i] += d.Misses[i]
	}
	c.Split += d.Split
	c.Evictions += d.Evictions
	c.Invalidations += d.Invalidations
	c.Writebacks += d.Writebacks
	c.Writethroughs += d.Writethroughs
	c.Prefetches += d.Prefetches
	c.PrefetchFills += d.PrefetchFills
	c.Flushed += d.Flushed
	c.Around += d.Around
	c.Clean += d.Clean
	c.Passed += d.Passed
	c.Through += d.Through
	c.Compulsory += d.Compulsory
	c.Capacity += d.Capacity
	c.Conflict += d.Conflict
	c.FullMisses += d.FullMisses
	c.OPTMisses += d.OPTMisses
}

// read returns the bytes read from the next level, in lines of the given size.
func (c *Counts) read(line uint64) uint64 {
	return (total(c.Misses) + c.PrefetchFills - c.Around) * line
}

// held returns the number of lines present, if every miss loads one and no other level takes any.
func (c *Counts) held() uint64 {
	return total(c.Misses) + c.PrefetchFills - c.Evictions - c.Flushed
}

// written returns the bytes written to the next level.
func (c *Counts) written(line uint64) uint64 {
	return (c.Writebacks+c.Clean)*line + c.Passed + c.Through
}

// total returns the sum over the operations.
func total(n [ops]uint64) uint64 { return n[loads] + n[stores] + n[ifetches] }

// blame counts a miss by its cause.
func (c *Counts) blame(why cause) {
	switch why {
	case compulsory:
		c.Compulsory++
	case capacity:
		c.Capacity++
	case conflict:
		c.Conflict++
	}
}
