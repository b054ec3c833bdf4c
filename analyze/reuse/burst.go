package reuse

import "math"

// burst measures distances exactly, but in short stretches of the stream only. It cuts
// the stream into strata and takes a stretch of fixed length at a random place of each. Of the first
// half it only notes which lines were used, and in what order; the distances of the second half are counted.
//
// A line that the second half uses, and the stretch has not used before, is farther away than all
// lines of the stretch, and is taken for a miss of every capacity. It is one of every
// capacity below the number of lines that the first half has used; above, there is doubt.
type burst struct {
	length     uint64 // of a stretch
	seed       uint64
	number     uint64 // strata begun
	at         uint64 // uses so far
	start, end uint64 // of the stretch, of the stratum
	weight     float64
	sparse     uint64 // lengths of a stretch in a stratum, in the long run
	stretch    *stretch

	// Of all stretches; ratios are weighted by the length of the stratum.
	stretches int
	sum, sum2 float64        // weights, their squares
	uses      []float64      // share of uses by distance, below the greatest capacity
	miss      [cells]moments // ratios by capacity
	doubt     [cells]float64 // share of uses that may be hits, by capacity
}

// moments are sums over stretches of a ratio m with weights w.
type moments struct{ wm, wwm, wwmm float64 }

// burstLengths: a stretch measures capacities up to a quarter of its length. The
// shorter it is, the more of them a stream has.
var burstLengths = [...]uint64{1 << 10, 1 << 13, 1 << 16}

// shareOfLength is what share of its length a stretch measures.
const shareOfLength = 4

// Strata are so many times as long as their stretches in the long run: it depends on how many of
// the uses were of new lines, which take longest. A program whose stretches go fast gets more of them.
const (
	densest  = 8
	sparsest = 64
)

func newBurst(length, seed uint64) *burst {
	b := &burst{length: length, seed: seed, stretch: newStretch(length), sparse: densest, uses: make([]float64, length/shareOfLength)}
	b.next()
	return b
}

// next begins a stratum. The first ones are short, so that short streams have several.
func (b *burst) next() {
	n := b.length * min(b.sparse, 2+b.number)
	b.start = b.end + mix(b.seed+b.number)>>32%(n-b.length+1)
	b.end += n
	b.number++
	b.weight = float64(n)
}

// touch uses lines in order.
func (b *burst) touch(lines []uint64) {
	for len(lines) > 0 {
		half, stop := b.start+b.length/2, b.start+b.length
		n := uint64(len(lines))
		switch {
		case b.at < b.start:
			n = min(n, b.start-b.at)
		case b.at < stop:
			if b.at < half {
				n = min(n, half-b.at)
			} else {
				n = min(n, stop-b.at)
			}
			b.stretch.touch(lines[:n])
		default:
			n = min(n, b.end-b.at)
		}
		lines = lines[n:]
		b.at += n
		if b.at == stop {
			b.count()
		}
		if b.at == b.end {
			b.next()
		}
	}
}

// count takes a stretch in.
func (b *burst) count() {
	uses, unseen := b.stretch.found()
	warm := uint64(b.stretch.warm)
	w, n := b.weight, float64(b.length-b.length/2)
	b.stretches++
	b.sum += w
	b.sum2 += w * w
	left, c := n, 0
	top := cellOf(uint64(len(b.uses)))
	for d := 0; c <= top; d++ {
		if uint64(d) == cellStart(c) {
			m := left / n
			b.miss[c].wm += w * m
			b.miss[c].wwm += w * w * m
			b.miss[c].wwmm += w * w * m * m
			if warm < uint64(d) {
				b.doubt[c] += w * float64(unseen) / n
			}
			c++
		}
		if d < min(len(uses), len(b.uses)) {
			b.uses[d] += w * float64(uses[d]) / n
			left -= float64(uses[d])
		}
	}
	b.sparse = densest + (sparsest-densest)*(warm+unseen)/b.length
	b.stretch.reset()
}

const (
	fewestStretches = 8
	mostDoubt       = 0.002
)

// knows reports whether the stretches tell the miss ratio at the start of a cell.
func (b *burst) knows(c int) bool {
	return b.stretches >= fewestStretches && cellStart(c) <= uint64(len(b.uses)) && b.doubt[c] <= mostDoubt*b.sum
}

// ratios is the miss ratio by capacity.
func (b *burst) ratios() []float64 {
	out := []float64{1}
	left := b.sum
	for _, uses := range b.uses {
		left -= uses
		out = append(out, max(0, left/b.sum))
	}
	return out
}

// errors is the standard error of the miss ratio at the start of a cell, and the doubt.
func (b *burst) errors(c int) (standard, doubt float64) {
	s := b.miss[c]
	m := s.wm / b.sum
	n := float64(b.stretches)
	variance := max(0, s.wwmm-2*m*s.wwm+m*m*b.sum2) * n / (n - 1)
	return math.Sqrt(variance) / b.sum, b.doubt[c] / b.sum
}

// counted is how many uses were counted.
func (b *burst) counted() float64 { return float64(b.stretches) * float64(b.length-b.length/2) }
