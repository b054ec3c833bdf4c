package reuse

import "math"

// burst measures distances exactly, but in blocks of the stream only. It cuts the stream into blocks of one length and these
// into strata, and measures one block of each, any with the same chance: what is found there stands for as many blocks
// as the stratum has. So phases count by how long they are, wherever they begin, and the last one does, whenever the
// stream ends. Of the block before it is only noted which lines were used, and in what order; the two are a stretch.
//
// Stretches that happen to be alike seem more certain than they are, and would weigh most where they have missed a phase: so few say nothing,
// see [burst.knows].
//
// A line that the measured block uses, and the stretch has not used before, is farther away than all
// lines of the stretch, and is taken for a miss of every capacity. It is one of every
// capacity below the number of lines that the first half has used; above, there is doubt, but where the stretch begins with the stream.
type burst struct {
	burstKind
	seed      uint64
	number    uint64 // strata drawn
	end       uint64 // of them, in blocks
	at        uint64 // uses so far
	sparse    uint64 // blocks in a stratum, in the long run
	now, next place
	stretch   *stretch // around now
	warming   *stretch // around next, where that overlaps

	// Of all stretches; ratios are weighted by the uses that they stand for.
	counted   float64        // uses
	sum, sum2 float64        // weights, their squares
	uses      []float64      // share of uses by distance, below the greatest capacity
	miss      [cells]moments // ratios by capacity
	doubt     [cells]float64 // share of uses that may be hits, by capacity
}

// place is a block to be measured, and how many it stands for.
type place struct{ block, blocks uint64 }

// moments are sums over stretches of a ratio m with weights w.
type moments struct{ wm, wwm, wwmm float64 }

// burstKinds are the lengths of blocks. A block measures capacities up to a half of its length. The
// shorter it is, the more of them a stream has.
//
// The first strata are small, so that short streams have several; then they grow. The longest blocks would take too long for that.
var burstKinds = [...]burstKind{{1 << 9, 24, 8}, {1 << 12, 24, 8}, {1 << 15, 0, 6}}

type burstKind struct {
	block  uint64 // its length
	first  uint64 // so many strata grow by a quarter of a block each
	growth uint64 // of the others, in quarters of a block
}

// shareOfBlock is what share of its length a block measures.
const shareOfBlock = 2

// Strata have so many blocks in the long run: it depends on how many of
// the uses were of new lines, which take longest. A program whose stretches go fast gets more of them.
const (
	densest  = 16
	sparsest = 128
)

func newBurst(kind burstKind, seed uint64) *burst {
	b := &burst{burstKind: kind, seed: seed, sparse: densest, uses: make([]float64, kind.block/shareOfBlock)}
	b.stretch, b.warming = newStretch(2*b.block), newStretch(2*b.block)
	b.now, b.next = b.draw(), b.draw()
	b.stretch.skip() // nothing is before the first block, which is always measured
	return b
}

// draw begins a stratum.
func (b *burst) draw() place {
	slow := min(b.number, b.first)
	n := min(1+(slow+(b.number-slow)*b.growth)/4, b.sparse)
	p := place{b.end + mix(b.seed+b.number)>>32%n, n}
	b.number++
	b.end += n
	return p
}

// touch uses lines in order.
func (b *burst) touch(lines []uint64) {
	for len(lines) > 0 {
		block := b.at / b.block
		n := min(uint64(len(lines)), (block+1)*b.block-b.at)
		switch {
		case block+1 < b.now.block:
			n = min(uint64(len(lines)), (b.now.block-1)*b.block-b.at)
		default:
			b.stretch.touch(lines[:n])
			if block+1 == b.next.block {
				b.warming.touch(lines[:n])
			}
		}
		lines = lines[n:]
		b.at += n
		if b.at == (b.now.block+1)*b.block {
			b.count(b.block)
			if b.next.block == b.now.block+1 {
				b.stretch, b.warming = b.warming, b.stretch
			}
			b.now, b.next = b.next, b.draw()
		}
	}
}

// finish counts the block that the stream ends in.
func (b *burst) finish() {
	if begin := b.now.block * b.block; b.at > begin {
		b.count(b.at - begin)
	}
}

// count takes a stretch in, with so many uses measured.
func (b *burst) count(measured uint64) {
	uses, unseen := b.stretch.found()
	warm, n := uint64(b.stretch.warm), float64(measured)
	w := n * float64(b.now.blocks)
	b.counted += n
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
			if warm < uint64(d) && b.now.block > 1 {
				b.doubt[c] += w * float64(unseen) / n
			}
			c++
		}
		if d < min(len(uses), len(b.uses)) {
			b.uses[d] += w * float64(uses[d]) / n
			left -= float64(uses[d])
		}
	}
	b.sparse = densest + (sparsest-densest)*(warm+unseen)/(2*b.block)
	b.stretch.reset()
}

const (
	fewestStretches = 16
	mostDoubt       = 0.002
)

// stretches is how many there are, if they stand for different numbers of uses: as many as would have the same error and stand
// for the same number each (Kish's effective sample size) [kish1965].
//
// [kish1965] L. Kish: Survey sampling. Wiley 1965.
func (b *burst) stretches() float64 {
	if b.sum == 0 {
		return 0
	}
	return b.sum * b.sum / b.sum2
}

// knows reports whether the stretches tell the miss ratio at the start of a cell.
func (b *burst) knows(c int) bool {
	return b.stretches() >= fewestStretches && cellStart(c) <= uint64(len(b.uses)) && b.doubt[c] <= mostDoubt*b.sum
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
	n := b.stretches()
	variance := max(0, s.wwmm-2*m*s.wwm+m*m*b.sum2) * n / (n - 1)
	return math.Sqrt(variance) / b.sum, b.doubt[c] / b.sum
}
