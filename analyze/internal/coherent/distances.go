package coherent

import (
	"spoor/analyze/reuse"
	"spoor/traces/unit"
)

// Distances counts the uses of lines of one size by one processor.
type Distances struct {
	Line unit.Bytes
	Uses []uint64 // by stack distance
	Lost []uint64 // uses of lines that another processor has stored since the last use: by the line's depth at that time
	Cold uint64   // first uses; also the number of distinct lines, except those that a prefetch brought first

	Flushed    uint64           // uses of lines that were flushed since the last use
	Prefetches *reuse.Distances // prefetches of lines, which are not uses; those of lines that another processor has stored are in Flushed; nil if there are none
}

// Footprint returns the number of distinct lines that were used or prefetched.
func (d *Distances) Footprint() uint64 {
	return (&reuse.Distances{Cold: d.Cold, Prefetches: d.Prefetches}).Footprint()
}

// Coherence returns the number of uses that have lost their distance.
func (d *Distances) Coherence() uint64 { return (&reuse.Distances{Uses: d.Lost}).Total() }

// Total returns the number of uses.
func (d *Distances) Total() uint64 { return d.Cold + d.Flushed + d.Coherence() + d.kept().Total() }

func (d *Distances) kept() *reuse.Distances { return &reuse.Distances{Line: d.Line, Uses: d.Uses} }

// Misses returns, for fully associative LRU caches of the given capacities (in lines, ascending),
// the number of misses, and how many of these follow from a store of another processor.
func (d *Distances) Misses(capacities []int64) (misses, coherence []uint64) {
	all := d.Coherence()
	misses, evicted := d.kept().Misses(capacities), (&reuse.Distances{Uses: d.Lost}).Misses(capacities)
	for i := range misses {
		misses[i] += d.Cold + d.Flushed + all
		evicted[i] = all - evicted[i]
	}
	return misses, evicted
}

// fills returns the lines that prefetches fetch at the capacities; nil if there are no prefetches.
func (d *Distances) fills(capacities []int64) []uint64 {
	if d.Prefetches == nil {
		return nil
	}
	return d.Prefetches.Misses(capacities)
}

// add adds the uses of another processor at the same line size.
func (d *Distances) add(e *Distances) {
	d.Uses, d.Lost = plus(d.Uses, e.Uses), plus(d.Lost, e.Lost)
	d.Cold += e.Cold
	d.Flushed += e.Flushed
}

func plus(sum, counts []uint64) []uint64 {
	if n := len(counts) - len(sum); n > 0 {
		sum = append(sum, make([]uint64, n)...)
	}
	for i, n := range counts {
		sum[i] += n
	}
	return sum
}
