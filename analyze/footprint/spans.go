package footprint

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"spoor/traces/trace"
)

// spans predicts what processes that share a cache cost each other, from who uses which sets in how long a
// time. A block that a process uses again after so many windows is lost if the blocks that it and the others used
// in the meantime do not fit into the block's set. So two things are measured: after how many windows
// blocks are used again, exactly, and what processes use of every set in spans of 1, 2, 4, ... windows, of
// some spans, chosen at random. The k processes that share a cache are neighbours, as in turns.
//
// With a block of a process, among a of its own that lie in one set of w ways, and o others of the k-1 there, all
// used within the span, it is lost to the others if
//
//	a <= w < a + o
//
// unless one of them used that very block. What the process itself replaces (a > w) is not lost to others.
//
// Differs: [falsafi1997, eq. 8-13] puts blocks into sets at random, and knows of one quantum alone; programs
// align their arrays, so that the same sets are wanted by all, and use again what they used many quanta ago.
type spans struct {
	procs   int
	shapes  []Shape
	sharers []int     // numbers of processes that share a cache
	times   []float64 // by sharers: how many times what the others of those there are use, theirs do
	levels  []*level  // spans of 1, 2, 4, ... windows
	reused  []float64 // uses of blocks again, by level: one after 3 windows is part of 2 and of 4
	parts   []float64 // by few windows, once they are known: what of such a use is part of the longer; 0: not yet, or nothing
	tallies []tally   // by shape
}

// Limits of spans: the longest is of so many windows, and those of a level are left out as soon as one is of too many
// blocks. Each level has about that many spans before every other one is left out, then
// three of four, and so on.
const (
	spanLevels = 13
	mostSpan   = 1 << 20
	someSpans  = 1024
)

// mostSharers is the largest number of processes for which spans predicts, if there are no more than that: more than
// there are are as many more of the same kind.
const mostSharers = 1 << 10

func newSpans(shapes []Shape, procs int) *spans {
	s := &spans{procs: procs, shapes: shapes, tallies: make([]tally, len(shapes)), reused: make([]float64, spanLevels), parts: make([]float64, 1<<(spanLevels-1))}
	for k := 2; k <= max(mostSharers, procs); k *= 2 {
		s.sharers, s.times = append(s.sharers, k), append(s.times, max(1, float64(k-1)/float64(procs-1)))
	}
	for j := range spanLevels {
		l := &level{log: j, of: make([][]uint32, procs)}
		for range shapes {
			l.losses = append(l.losses, make(loss, len(s.sharers)))
		}
		l.begin(1)
		s.levels = append(s.levels, l)
	}
	return s
}

// level is spans of 2^log windows.
type level struct {
	log    int
	start  uint64     // window in which the present span begins
	thin   uint       // one of 2^thin spans is looked at
	drawn  int        // since thin was last raised
	open   bool       // the present span is
	blocks int        // in it
	dead   bool       // one was of too many
	of     [][]uint32 // by processor: places of blocks used in the span
	losses []loss     // by shape
}

// loss is blocks, each as often as its span stands for, by number of processes: all, and those lost.
type loss []struct{ uses, lost float64 }

// begin begins the span at a window.
func (l *level) begin(window uint64) {
	l.start, l.blocks = window, 0
	for p := range l.of {
		l.of[p] = l.of[p][:0]
	}
	number := (window - 1) >> l.log
	l.open = !l.dead && rand.NewPCG(number, uint64(l.log)).Uint64()&(1<<l.thin-1) == 0
}

// use is the first use of the block at a place by a processor in a window, after one in the window before; 0 if that is none.
func (s *spans) use(p trace.Proc, place uint32, before, window uint64) {
	if before > 0 {
		s.again(window - before)
	}
	for _, l := range s.levels {
		if before >= l.start {
			return // spans are within longer ones
		}
		if !l.open {
			continue
		}
		if l.blocks++; l.blocks > mostSpan {
			l.open, l.dead = false, true
			continue
		}
		l.of[p] = append(l.of[p], place)
	}
}

// again counts a use after so many windows.
func (s *spans) again(windows uint64) {
	j := bits.Len64(windows) - 1
	if j >= spanLevels-1 {
		s.reused[spanLevels-1]++
		return
	}
	part := s.parts[windows]
	if rest := windows &^ (1 << j); rest > 0 && part == 0 {
		part = math.Log2(float64(windows)) - float64(j)
		s.parts[windows] = part
	}
	s.reused[j] += 1 - part
	s.reused[j+1] += part
}

// ending is the spans that end with a window, as their levels.
func (s *spans) ending(window uint64) []*level {
	for i, l := range s.levels {
		if window-l.start+1 < 1<<l.log {
			return s.levels[:i]
		}
	}
	return s.levels
}

// next goes on behind a window, whose spans have been counted.
func (s *spans) next(window uint64) {
	for _, l := range s.ending(window) {
		if l.open {
			if l.drawn++; l.drawn == someSpans {
				l.drawn, l.thin = 0, l.thin+1
			}
		}
		l.begin(window + 1)
	}
}

// perSwitch is how many misses of one process a window of each of those that share its cache with it causes, by
// their number, if processes ran again in so many windows in all.
func (s *spans) perSwitch(shape int, runs uint64) (out []float64) {
	for k := range s.sharers {
		sum, share := 0.0, 0.0
		for j, l := range s.levels {
			if c := l.losses[shape][k]; c.uses > 0 { // else as in the longest spans that there are
				share = c.lost / c.uses
			}
			sum += s.reused[j] * share
		}
		out = append(out, sum/float64(runs))
	}
	return out
}
