package reusetime

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
)

// Histogram counts times, from 1 on. Times up to exactTimes have bins of their own; beyond, every octave
// (2^k, 2^(k+1)] has 2^binBits bins of equal width, so that none is wider than 1/2^binBits of its
// times. A bin knows how many times it has and what their sum is: any sum of the times
// beyond the end of a bin is exact.
type Histogram struct{ bins []bin }

type bin struct {
	count  uint64
	excess uint64 // of the times over the least one of the bin: the sum of the times may not fit
}

const (
	binBits    = 8
	exactTimes = 2 << binBits
	maxBins    = (64-binBits)<<binBits + 1<<binBits // the last ends at 2^64-1 or, so to speak, 2^64
)

// A Bin is how many times are from Least to Most, and their sum.
type Bin struct{ Least, Most, Count, Sum uint64 }

// find is the bin of a time, and its excess over the least one of the bin. Bins are those of t-1, so that they end at powers of two.
func find(t uint64) (index int, excess uint64) {
	t--
	octave := uint(max(bits.Len64(t), binBits+1)-binBits-1) & 63
	return int(octave<<binBits) + int(t>>octave), t & (1<<octave - 1)
}

func indexOf(t uint64) int {
	i, _ := find(t)
	return i
}

// end is the largest time of a bin; that of bin -1 is 0.
func end(index int) uint64 {
	octave := max((index+1)>>binBits-1, 0)
	return uint64(index+1-octave<<binBits) << octave
}

func (h *Histogram) add(t uint64) { h.addMany(t, 1) }

func (h *Histogram) addMany(t, n uint64) {
	i, excess := find(t)
	if i >= len(h.bins) {
		h.bins = append(h.bins, make([]bin, i+1-len(h.bins))...)
	}
	b := &h.bins[i]
	b.count += n
	b.excess += n * excess
}

// put adds a bin behind all others that have times.
func (h *Histogram) put(index int, count, excess uint64) error {
	if index >= maxBins || index < len(h.bins) || count == 0 {
		return errors.New("a bin of times that is empty, out of order or beyond the last")
	}
	if high, most := bits.Mul64(count, end(index)-end(index-1)-1); high == 0 && excess > most {
		return fmt.Errorf("%d times of a bin that ends at %d have another sum", count, end(index))
	}
	h.bins = append(h.bins, make([]bin, index+1-len(h.bins))...)
	h.bins[index] = bin{count, excess}
	return nil
}

// has reports whether there are times in a bin.
func (h *Histogram) has(index int) bool { return index < len(h.bins) && h.bins[index].count > 0 }

// total is how many times there are.
func (h *Histogram) total() (n uint64) {
	for _, b := range h.bins {
		n += b.count
	}
	return n
}

// All yields the bins that are not empty, by time. The sums are modulo 2^64, which lines times uses would have to
// exceed.
func (h *Histogram) All() iter.Seq[Bin] {
	return func(yield func(Bin) bool) {
		for i, b := range h.bins {
			least := end(i-1) + 1
			if b.count > 0 && !yield(Bin{least, end(i), b.count, b.count*least + b.excess}) {
				return
			}
		}
	}
}
