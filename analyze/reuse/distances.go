package reuse

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Distances holds the numbers of uses by distance, for one line size and one order. They are exact, or
// estimated from a sample.
type Distances struct {
	Line unit.Bytes `json:"-"`
	Uses []uint64   // by distance
	Far  []Far      `json:",omitempty"` // uses at larger distances, ascending; only of a sample
	Cold uint64     // first uses: the number of distinct lines, except those that a prefetch brought first

	// Flushed has the uses of lines that were flushed since the last use. Prefetches has the prefetches of
	// lines, which are not uses; nil if there are none.
	Flushed    uint64     `json:",omitempty"`
	Prefetches *Distances `json:",omitempty"`

	Rate float64 // final sampling rate of lines; 1: exact

	// Within has a 95 % interval of the miss ratio for the start of each cell; nil if the distances are
	// exact.
	Within []Bounds `json:",omitempty"`

	shift    uint
	refs     trace.OpSet // that use lines
	cores    int         // for the stack
	sampling Sampling
	stack    *Stack   // nil if lines are sampled
	sampler  *sampler // nil if distances are exact
	feed     *lines.Feed

	sliced    bool        // the stack keeps what a slice needs
	segmented bool        // segments need the uses by class on the way
	external  bool        // the stack uses the places that a shared table of lines assigns
	moved     *movedStack // in place of stack and feed, from the first prefetch or flush on
	uses      *lines.Uses // of the current chunk, if external
	usesRead  int         // how many of these the stack has read
}

// Far is an estimated number of uses at one distance.
type Far struct {
	Distance int64
	Uses     uint64
}

// Bounds are the ends of a 95 % interval.
type Bounds struct{ Lo, Hi float64 }

// begin starts a chunk that has references.
func (d *Distances) begin(p *analysis.Chunk) (err error) {
	if d.feed == nil {
		d.start()
	}
	if d.external {
		d.usesRead = 0
		if d.uses, err = p.Uses(d.Line); err != nil {
			return err
		}
	}
	if p.Moves != 0 && d.moved == nil {
		return d.startMoves(p)
	}
	return nil
}

func (d *Distances) start() {
	d.feed = lines.NewFeed(d.shift, d.refs)
	switch {
	case d.sampling.On():
		d.sampler = newSampler(d.sampling)
	case d.external:
		d.stack = newExternalStack(d.cores)
	case d.sliced:
		d.stack = NewStack()
		d.stack.first = new([]uint64)
		d.stack.countClasses()
	default:
		d.stack = newParallelStack(d.cores)
	}
	if d.segmented && d.stack != nil && d.stack.workers != nil {
		d.stack.countClasses()
	}
}

// add processes references of the current chunk. They end at index to.
func (d *Distances) add(refs *trace.Refs, to int) error {
	if d.moved != nil {
		return d.addMoved(refs, to)
	}
	if !d.external {
		return d.feed.Add(refs, d.toucher())
	}
	d.stack.lines.(*externalTable).places = d.uses.Room
	var err error
	d.usesRead, err = d.feed.AddUses(d.uses, d.usesRead, to, d.stack)
	return err
}

func (d *Distances) toucher() lines.Toucher {
	if d.sampler != nil {
		return d.sampler
	}
	return d.stack
}

func (d *Distances) end() error {
	d.Rate = 1
	if d.feed == nil {
		return nil
	}
	if d.moved != nil {
		return d.endMoves()
	}
	if err := d.feed.Flush(d.toucher()); err != nil {
		return err
	}
	if d.sampler != nil {
		if err := d.sampler.end(d); err != nil {
			return err
		}
	} else {
		d.setExact(d.stack)
	}
	d.stack, d.sampler, d.feed, d.uses = nil, nil, nil, nil
	return nil
}

// setExact sets the exact distances of a stack.
func (d *Distances) setExact(s *Stack) {
	uses, cold := s.Distances()
	d.Uses, d.Cold = slices.Clip(uses), cold
}

// Add adds the uses of another order at the same distances.
func (d *Distances) Add(o *Distances) {
	if n := len(o.Uses) - len(d.Uses); n > 0 {
		d.Uses = append(d.Uses, make([]uint64, n)...)
	}
	for i, n := range o.Uses {
		d.Uses[i] += n
	}
	d.Cold += o.Cold
	d.Flushed += o.Flushed
	if o.Prefetches != nil {
		if d.Prefetches == nil {
			d.Prefetches = new(Distances)
		}
		d.Prefetches.Add(o.Prefetches)
	}
	if len(d.Far)+len(o.Far) > 0 {
		d.addFar(o.Far)
	}
}

// addFar adds uses at distances that may be below len(d.Uses).
func (d *Distances) addFar(far []Far) {
	all := slices.Concat(d.Far, far)
	slices.SortStableFunc(all, func(a, b Far) int { return cmp.Compare(a.Distance, b.Distance) })
	d.Far = all[:0]
	for _, f := range all {
		n := len(d.Far)
		switch {
		case f.Distance < int64(len(d.Uses)):
			d.Uses[f.Distance] += f.Uses
		case n > 0 && d.Far[n-1].Distance == f.Distance:
			d.Far[n-1].Uses += f.Uses
		default:
			d.Far = append(d.Far, f)
		}
	}
}

// All yields each distance with its number of uses, ascending, without first uses.
func (d *Distances) All() iter.Seq2[int64, uint64] {
	return func(yield func(int64, uint64) bool) {
		for i, n := range d.Uses {
			if n > 0 && !yield(int64(i), n) {
				return
			}
		}
		for _, f := range d.Far {
			if f.Uses > 0 && !yield(f.Distance, f.Uses) {
				return
			}
		}
	}
}

// Total returns the number of uses.
func (d *Distances) Total() uint64 {
	n := d.Infinite()
	for _, uses := range d.Uses {
		n += uses
	}
	for _, f := range d.Far {
		n += f.Uses
	}
	return n
}

// Infinite returns the number of uses that miss in caches of every size: first uses, and uses of flushed
// lines.
func (d *Distances) Infinite() uint64 { return d.Cold + d.Flushed }

// Footprint returns the number of distinct lines that were used or prefetched.
func (d *Distances) Footprint() uint64 {
	if d.Prefetches == nil {
		return d.Cold
	}
	return d.Cold + d.Prefetches.Cold
}

// Misses returns the number of uses that miss in a fully associative LRU cache at each of the given
// capacities. These are in lines, ascending. A use misses if its distance is at least the capacity, if it is
// a first use, or if the line was flushed.
func (d *Distances) Misses(capacities []int64) []uint64 {
	out := make([]uint64, len(capacities))
	misses := d.Total()
	at, far := 0, d.Far
	for i, c := range capacities {
		for ; at < len(d.Uses) && int64(at) < c; at++ {
			misses -= d.Uses[at]
		}
		for ; len(far) > 0 && far[0].Distance < c; far = far[1:] {
			misses -= far[0].Uses
		}
		out[i] = misses
	}
	return out
}

// fills returns the lines that prefetches fetch at the capacities; nil if there are no prefetches.
func (d *Distances) fills(capacities []int64) []uint64 {
	if d.Prefetches == nil {
		return nil
	}
	return d.Prefetches.Misses(capacities)
}

// Interval returns the 95 % interval of the miss ratio at a capacity. Both ends are ratio if distances are
// exact.
func (d *Distances) Interval(capacity int64, ratio float64) (lo, hi float64) {
	if d.Within == nil {
		return ratio, ratio
	}
	c := cellOf(uint64(capacity))
	lo, hi = d.Within[c].Lo, d.Within[c].Hi
	if cellStart(c) < uint64(capacity) { // between the starts of two cells
		lo = d.Within[c+1].Lo
	}
	return lo, hi
}

// fewLines is the number of sampled lines below which a warning says that the sample is too small.
const fewLines = 100

// warn returns a warning if the sample is too small.
func (d *Distances) warn(p trace.Proc) []error {
	sampled := math.Round(float64(d.Cold) * d.Rate)
	if d.Within == nil || sampled >= fewLines {
		return nil
	}
	return []error{fmt.Errorf("processor %d, lines of %v: the sample has only %v lines, its intervals may be wrong; increase --sample or --sample-least", p, d.Line, sampled)}
}

// mean returns the mean distance of all uses except first uses; 0 if there are none.
func (d *Distances) mean() float64 {
	var sum, n float64
	for distance, uses := range d.All() {
		sum += float64(distance) * float64(uses)
		n += float64(uses)
	}
	return sum / max(1, n)
}
