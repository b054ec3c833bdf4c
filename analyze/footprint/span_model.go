package footprint

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"spoor/traces/trace"
)

// spanModel predicts the interference of processes that share a cache from their use of sets in spans of
// time. A process uses a block again after a number of windows. The block was evicted if the blocks used in
// the meantime, by this process and the others, do not fit into its set. Therefore the model measures two
// things: after how many windows blocks are used again, exactly; and the use of every set in spans of 1, 2,
// 4, ... windows, for a random sample of spans. The k processes that share a cache are neighbours, as in
// schedules.
//
// Consider a block in a set of w ways. Its process uses a blocks of the set within the span, this block
// included. The other k-1 processes use o blocks of the set. The block is evicted by the others if
//
//	a <= w < a + o
//
// unless one of them used the same block. Blocks that the process itself replaces (a > w) do not count.
//
// Differs: [falsafi1997, eq. 8-13] places blocks in sets at random and considers a single quantum. But
// programs align their arrays, so that all processes use the same sets. They also use blocks again that they
// used many quanta ago.
type spanModel struct {
	procs       int
	shapes      []Shape
	sharers     []int        // numbers of processes that share a cache
	scales      []float64    // by sharers: factor for the blocks of the other processes, if the trace has fewer processes
	levels      []*spanLevel // spans of 1, 2, 4, ... windows
	reused      []float64    // repeated uses of blocks, by level; one after 3 windows counts partly for 2 and partly for 4
	longerParts []float64    // cache by number of windows: part of a use that counts for the longer span; 0: not computed, or none
	tallies     []tally      // by shape
}

// Limits of spans. The longest span has 2^(spanLevels-1) windows. A level is dropped as soon as one of its
// spans has more than maxSpanBlocks blocks. After about spansPerLevel spans, a level measures only every
// second span, then every fourth, and so on.
const (
	spanLevels    = 13
	maxSpanBlocks = 1 << 20
	spansPerLevel = 1024
)

// maxSharers is the largest number of processes for which the model predicts, unless the trace has more.
// Processes beyond those of the trace are more of the same kind.
const maxSharers = 1 << 10

func newSpanModel(shapes []Shape, procs int) *spanModel {
	s := &spanModel{procs: procs, shapes: shapes, tallies: make([]tally, len(shapes)), reused: make([]float64, spanLevels), longerParts: make([]float64, 1<<(spanLevels-1))}
	for k := 2; k <= max(maxSharers, procs); k *= 2 {
		s.sharers, s.scales = append(s.sharers, k), append(s.scales, max(1, float64(k-1)/float64(procs-1)))
	}
	for j := range spanLevels {
		l := &spanLevel{log: j, places: make([][]uint32, procs)}
		for range shapes {
			l.evictions = append(l.evictions, make(evictions, len(s.sharers)))
		}
		l.begin(1)
		s.levels = append(s.levels, l)
	}
	return s
}

// spanLevel holds spans of 2^log windows.
type spanLevel struct {
	log        int
	start      uint64      // first window of the current span
	thinning   uint        // one of 2^thinning spans is measured
	drawn      int         // spans measured since thinning was last increased
	open       bool        // the current span is measured
	blocks     int         // in the current span
	overflowed bool        // a span had too many blocks
	places     [][]uint32  // by processor: blocks used in the span
	evictions  []evictions // by shape
}

// evictions has weighted numbers of blocks, by number of processes: all, and those evicted. A block counts as
// often as its span represents others.
type evictions []struct{ uses, evicted float64 }

// begin starts a span at a window.
func (l *spanLevel) begin(window uint64) {
	l.start, l.blocks = window, 0
	for p := range l.places {
		l.places[p] = l.places[p][:0]
	}
	number := (window - 1) >> l.log
	l.open = !l.overflowed && rand.NewPCG(number, uint64(l.log)).Uint64()&(1<<l.thinning-1) == 0
}

// use processes the first use of a block by a processor in a window. before is the last window in which the
// processor used it, 0 if there is none.
func (s *spanModel) use(p trace.Proc, place uint32, before, window uint64) {
	if before > 0 {
		s.addReuse(window - before)
	}
	for _, l := range s.levels {
		if before >= l.start {
			return // longer spans contain this one
		}
		if !l.open {
			continue
		}
		if l.blocks++; l.blocks > maxSpanBlocks {
			l.open, l.overflowed = false, true
			continue
		}
		l.places[p] = append(l.places[p], place)
	}
}

// addReuse counts a use after the given number of windows.
func (s *spanModel) addReuse(windows uint64) {
	j := bits.Len64(windows) - 1
	if j >= spanLevels-1 {
		s.reused[spanLevels-1]++
		return
	}
	part := s.longerParts[windows]
	if rest := windows &^ (1 << j); rest > 0 && part == 0 {
		part = math.Log2(float64(windows)) - float64(j)
		s.longerParts[windows] = part
	}
	s.reused[j] += 1 - part
	s.reused[j+1] += part
}

// endingLevels returns the levels whose spans end with a window.
func (s *spanModel) endingLevels(window uint64) []*spanLevel {
	for i, l := range s.levels {
		if window-l.start+1 < 1<<l.log {
			return s.levels[:i]
		}
	}
	return s.levels
}

// advance moves past a window whose spans have been counted.
func (s *spanModel) advance(window uint64) {
	for _, l := range s.endingLevels(window) {
		if l.open {
			if l.drawn++; l.drawn == spansPerLevel {
				l.drawn, l.thinning = 0, l.thinning+1
			}
		}
		l.begin(window + 1)
	}
}

// perSwitch returns the misses of one process that are caused when each process sharing its cache runs a
// window. It is by number of processes. runs is the total number of times that processes ran again.
func (s *spanModel) perSwitch(shape int, runs uint64) (out []float64) {
	for k := range s.sharers {
		sum, share := 0.0, 0.0
		for j, l := range s.levels {
			if c := l.evictions[shape][k]; c.uses > 0 { // otherwise the share of the longest measured spans
				share = c.evicted / c.uses
			}
			sum += s.reused[j] * share
		}
		out = append(out, sum/float64(runs))
	}
	return out
}
