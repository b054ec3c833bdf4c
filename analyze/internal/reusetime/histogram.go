package reusetime

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
)

// Histogram counts times, from 1 on. Each time up to exactTimes has its own bin. Above, every octave (2^k,
// 2^(k+1)] has 2^binBits bins of equal width. So no bin is wider than 1/2^binBits of its times. A bin has the
// number of its times and their sum. Therefore any sum of the times beyond the end of a bin is exact.
type Histogram struct{ bins []bin }

type bin struct {
	count  uint64
	excess uint64 // sum of the times less the bin's smallest time each; the sum of the times may not fit
}

const (
	binBits    = 8
	exactTimes = 2 << binBits
	maxBins    = (64-binBits)<<binBits + 1<<binBits // the last one ends at 2^64-1, which stands for 2^64
)

// A Bin is the number of times from Least to Most, and their sum.
type Bin struct{ Least, Most, Count, Sum uint64 }

// binOf returns the bin of a time, and the time less the smallest one of the bin. Bins are those of t-1, so
// that they end at powers of two.
func binOf(t uint64) (index int, excess uint64) {
	t--
	octave := uint(max(bits.Len64(t), binBits+1)-binBits-1) & 63
	return int(octave<<binBits) + int(t>>octave), t & (1<<octave - 1)
}

func indexOf(t uint64) int {
	i, _ := binOf(t)
	return i
}

// binEnd returns the largest time of a bin; 0 for bin -1.
func binEnd(index int) uint64 {
	octave := max((index+1)>>binBits-1, 0)
	return uint64(index+1-octave<<binBits) << octave
}

func (h *Histogram) add(t uint64) { h.addMany(t, 1) }

func (h *Histogram) addMany(t, n uint64) {
	i, excess := binOf(t)
	if i >= len(h.bins) {
		h.bins = append(h.bins, make([]bin, i+1-len(h.bins))...)
	}
	b := &h.bins[i]
	b.count += n
	b.excess += n * excess
}

// append adds a bin after all bins that have times.
func (h *Histogram) append(index int, count, excess uint64) error {
	if index >= maxBins || index < len(h.bins) || count == 0 {
		return errors.New("a bin of times is empty, out of order or beyond the last one")
	}
	if high, most := bits.Mul64(count, binEnd(index)-binEnd(index-1)-1); high == 0 && excess > most {
		return fmt.Errorf("the sum of %d times does not fit the bin that ends at %d", count, binEnd(index))
	}
	h.bins = append(h.bins, make([]bin, index+1-len(h.bins))...)
	h.bins[index] = bin{count, excess}
	return nil
}

// has reports whether a bin has times.
func (h *Histogram) has(index int) bool { return index < len(h.bins) && h.bins[index].count > 0 }

// total returns the number of times.
func (h *Histogram) total() (n uint64) {
	for _, b := range h.bins {
		n += b.count
	}
	return n
}

// All yields the bins that are not empty, by time. Sums are modulo 2^64, which the product of lines and uses
// would have to exceed.
func (h *Histogram) All() iter.Seq[Bin] {
	return func(yield func(Bin) bool) {
		for i, b := range h.bins {
			least := binEnd(i-1) + 1
			if b.count > 0 && !yield(Bin{least, binEnd(i), b.count, b.count*least + b.excess}) {
				return
			}
		}
	}
}
