package reuse

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Distances is the uses of lines of one size in one order: all of them, exact or estimated
// from a sample.
type Distances struct {
	Line unit.Bytes `json:"-"`
	Uses []uint64   // by distance
	Far  []Far      `json:",omitempty"` // uses at other distances, which are above and ascend: of a sample
	Cold uint64     // first uses, which is the number of distinct lines
	Rate float64    // share of lines that the sample ended with; 1 is exact

	// Within are 95 % intervals of miss ratios at the capacities where cells start; none if distances are exact.
	Within []Bounds `json:",omitempty"`

	shift    uint
	cores    int // that the stack may keep busy
	sampling Sampling
	stack    *Stack   // either
	sampler  *sampler // or
	feed     *lines.Feed

	others bool        // ask for the uses of pieces, and the stack is of their places
	uses   *lines.Uses // then, of the piece at hand
	taken  int         // of these
}

// Far is a number of uses at one distance, which is an estimate.
type Far struct {
	Distance int64
	Uses     uint64
}

// Bounds are of a 95 % interval.
type Bounds struct{ Lo, Hi float64 }

// begin goes on to a piece that has references.
func (d *Distances) begin(p *analysis.Chunk) (err error) {
	if d.feed == nil {
		d.start()
	}
	if d.others {
		d.taken = 0
		d.uses, err = p.Uses(d.Line)
	}
	return err
}

func (d *Distances) start() {
	d.feed = lines.NewFeed(d.shift)
	switch {
	case d.sampling.On():
		d.sampler = newSampler(d.sampling)
	case d.others:
		d.stack = newNumberedStack(d.cores)
	default:
		d.stack = NewParallelStack(d.cores)
	}
}

// add sees references of the piece, up to the one with an index.
func (d *Distances) add(refs *trace.Refs, to int) error {
	if !d.others {
		return d.feed.Add(refs, d.toucher())
	}
	d.stack.lines.(*numbered).places = d.uses.Room
	var err error
	d.taken, err = d.feed.AddUses(d.uses, d.taken, to, d.stack)
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
	if err := d.feed.Flush(d.toucher()); err != nil {
		return err
	}
	if d.sampler != nil {
		if err := d.sampler.end(d); err != nil {
			return err
		}
	} else {
		d.take(d.stack)
	}
	d.stack, d.sampler, d.feed, d.uses = nil, nil, nil, nil
	return nil
}

// take takes exact distances over.
func (d *Distances) take(s *Stack) {
	uses, cold := s.Distances()
	d.Uses, d.Cold = slices.Clip(uses), cold
}

// Add pools the uses of another order: distances stay what they are.
func (d *Distances) Add(o *Distances) {
	if n := len(o.Uses) - len(d.Uses); n > 0 {
		d.Uses = append(d.Uses, make([]uint64, n)...)
	}
	for i, n := range o.Uses {
		d.Uses[i] += n
	}
	d.Cold += o.Cold
	if len(d.Far)+len(o.Far) > 0 {
		d.addFar(o.Far)
	}
}

// addFar adds uses at distances that need not be above those of d.Uses.
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

// All yields the numbers of uses that are not cold, by distance, ascending.
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

// Total is the number of uses.
func (d *Distances) Total() uint64 {
	n := d.Cold
	for _, uses := range d.Uses {
		n += uses
	}
	for _, f := range d.Far {
		n += f.Uses
	}
	return n
}

// Footprint is the number of distinct lines.
func (d *Distances) Footprint() uint64 { return d.Cold }

// Misses is how many uses miss in a fully associative LRU cache at each of the
// given capacities, in lines, ascending: those of distance at or above it, and the cold ones.
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

// Interval is the 95 % interval of the miss ratio at a capacity: the ratio alone, if distances
// are exact.
func (d *Distances) Interval(capacity int64, ratio float64) (lo, hi float64) {
	if d.Within == nil {
		return ratio, ratio
	}
	c := cellOf(uint64(capacity))
	lo, hi = d.Within[c].Lo, d.Within[c].Hi
	if cellStart(c) < uint64(capacity) { // between two capacities that are known
		lo = d.Within[c+1].Lo
	}
	return lo, hi
}

// fewLines is less than a sample should have.
const fewLines = 100

// warn tells of a sample that says little.
func (d *Distances) warn(p trace.Proc) []error {
	kept := math.Round(float64(d.Cold) * d.Rate)
	if d.Within == nil || kept >= fewLines {
		return nil
	}
	return []error{fmt.Errorf("processor %d, lines of %v: the sample has %v lines only, so that intervals may be wrong", p, d.Line, kept)}
}

// mean is the mean distance of the uses that are not cold, 0 without any.
func (d *Distances) mean() float64 {
	var sum, n float64
	for distance, uses := range d.All() {
		sum += float64(distance) * float64(uses)
		n += float64(uses)
	}
	return sum / max(1, n)
}
