package reuse

import "math"

// burst measures exact distances in a sample of blocks of the stream. It divides the stream into blocks of
// equal length, and the blocks into strata. It measures one random block of each stratum, which represents
// all blocks of the stratum. Phases therefore count in proportion to their length, wherever they begin. The
// last phase counts whenever the stream ends. From the block before a measured block, only the lines and
// their order are recorded. The two blocks are a stretch.
//
// The estimates of a few stretches are not used, see [burst.covers]. If these happen to be alike, their
// variance is too small. They would get the largest weight just where they have missed a phase.
//
// If the measured block uses a line that the stretch has not used before, the line's distance is above the
// number of lines of the stretch. The use is counted as a miss at every capacity. This is exact at capacities
// up to the number of lines of the first half. At larger capacities the use may be a hit, and is counted in
// doubt, unless the stretch starts at the start of the stream.
type burst struct {
	burstKind
	seed          uint64
	strata        uint64 // strata drawn so far
	drawnBlocks   uint64 // blocks in these strata
	uses          uint64 // uses so far
	stratumBlocks uint64 // blocks of a stratum, when strata have stopped growing
	now, next     sampledBlock
	stretch       *stretch // contains now
	warming       *stretch // contains next, if it overlaps the stretch of now

	// Sums over all stretches. Ratios are weighted by the uses that they represent.
	counted   float64        // measured uses
	sum, sum2 float64        // of weights, and of their squares
	shares    []float64      // weighted uses by distance, below the largest capacity
	miss      [cells]moments // miss ratios by cell
	doubt     [cells]float64 // weighted share of uses that may be hits, by cell
}

// sampledBlock is the number of a block to be measured, and the number of blocks that it represents.
type sampledBlock struct{ block, blocks uint64 }

// moments are sums over stretches: of w m, w^2 m and w^2 m^2, for a ratio m with weight w.
type moments struct{ wm, wwm, wwmm float64 }

// burstKinds are the block lengths, with the sizes of their strata. A block measures capacities up to half of
// its length. The shorter the blocks, the more of them a stream has.
//
// The first strata are small, so that short streams have several. Later strata are larger. Strata of the
// longest blocks grow from the start, because small strata would take too long.
var burstKinds = [...]burstKind{{1 << 9, 24, 8}, {1 << 12, 24, 8}, {1 << 15, 0, 6}}

type burstKind struct {
	block  uint64 // length in uses
	first  uint64 // number of first strata, each a quarter of a block larger than the last
	growth uint64 // growth of each later stratum, in quarters of a block
}

// blockPerCapacity is the length of a block, divided by the largest capacity that it measures.
const blockPerCapacity = 2

// Limits of stratumBlocks. It increases with the share of uses of new lines, which take longest to measure.
// So a program whose stretches take little time gets more of them.
const (
	minStratumBlocks = 16
	maxStratumBlocks = 128
)

func newBurst(kind burstKind, seed uint64) *burst {
	b := &burst{burstKind: kind, seed: seed, stratumBlocks: minStratumBlocks, shares: make([]float64, kind.block/blockPerCapacity)}
	b.stretch, b.warming = newStretch(2*b.block), newStretch(2*b.block)
	b.now, b.next = b.draw(), b.draw()
	b.stretch.skipFirstHalf() // the first block is always measured, and no block is before it
	return b
}

// draw starts a stratum, and returns its random block.
func (b *burst) draw() sampledBlock {
	slow := min(b.strata, b.first)
	n := min(1+(slow+(b.strata-slow)*b.growth)/4, b.stratumBlocks)
	p := sampledBlock{b.drawnBlocks + mix(b.seed+b.strata)>>32%n, n}
	b.strata++
	b.drawnBlocks += n
	return p
}

// touch uses lines in order.
func (b *burst) touch(lines []uint64) {
	for len(lines) > 0 {
		block := b.uses / b.block
		n := min(uint64(len(lines)), (block+1)*b.block-b.uses)
		switch {
		case block+1 < b.now.block:
			n = min(uint64(len(lines)), (b.now.block-1)*b.block-b.uses)
		default:
			b.stretch.touch(lines[:n])
			if block+1 == b.next.block {
				b.warming.touch(lines[:n])
			}
		}
		lines = lines[n:]
		b.uses += n
		if b.uses == (b.now.block+1)*b.block {
			b.count(b.block)
			if b.next.block == b.now.block+1 {
				b.stretch, b.warming = b.warming, b.stretch
			}
			b.now, b.next = b.next, b.draw()
		}
	}
}

// finish counts the block in which the stream ends.
func (b *burst) finish() {
	if begin := b.now.block * b.block; b.uses > begin {
		b.count(b.uses - begin)
	}
}

// count adds the current stretch, in which the given number of uses was measured.
func (b *burst) count(measured uint64) {
	uses, unseen := b.stretch.distances()
	warm, n := uint64(b.stretch.firstHalfLines), float64(measured)
	w := n * float64(b.now.blocks)
	b.counted += n
	b.sum += w
	b.sum2 += w * w
	left, c := n, 0
	top := cellOf(uint64(len(b.shares)))
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
		if d < min(len(uses), len(b.shares)) {
			b.shares[d] += w * float64(uses[d]) / n
			left -= float64(uses[d])
		}
	}
	b.stratumBlocks = minStratumBlocks + (maxStratumBlocks-minStratumBlocks)*(warm+unseen)/(2*b.block)
	b.stretch.reset()
}

const (
	minStretches = 16
	maxDoubt     = 0.002
)

// effectiveStretches returns Kish's effective sample size: the number of stretches of equal weight that would
// have the same error [kish1965].
func (b *burst) effectiveStretches() float64 {
	if b.sum == 0 {
		return 0
	}
	return b.sum * b.sum / b.sum2
}

// covers reports whether the stretches determine the miss ratio at the start of a cell.
func (b *burst) covers(c int) bool {
	return b.effectiveStretches() >= minStretches && cellStart(c) <= uint64(len(b.shares)) && b.doubt[c] <= maxDoubt*b.sum
}

// ratios returns the miss ratio by capacity.
func (b *burst) ratios() []float64 {
	out := []float64{1}
	left := b.sum
	for _, uses := range b.shares {
		left -= uses
		out = append(out, max(0, left/b.sum))
	}
	return out
}

// errors returns the standard error of the miss ratio at the start of a cell, and its doubt.
func (b *burst) errors(c int) (standard, doubt float64) {
	s := b.miss[c]
	m := s.wm / b.sum
	n := b.effectiveStretches()
	variance := max(0, s.wwmm-2*m*s.wwm+m*m*b.sum2) * n / (n - 1)
	return math.Sqrt(variance) / b.sum, b.doubt[c] / b.sum
}
