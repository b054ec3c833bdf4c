// Package footprint counts the blocks of memory, lines or pages, that every processor uses in
// a window of time, and what is left of them in a cache that several processes share in turn.
//
// The footprint of a window is the set of distinct blocks used in it by loads and stores. (Others call
// it the working set; the mean over all windows of a length is the footprint of the theory of
// locality.) Its projection in a cache is what is left of it there at the end of the window, and the
// interference of other processes is what they take from the projection before the process runs again.
//
// # Windows
//
// Windows are cut from the interleaved order ([analysis.Interleave]), for all processors at
// once: quanta of time, which goes on while processors wait; or as many
// references as there are processors, times a number; or from barrier to barrier. Windows in which a processor
// uses nothing do not count for it.
//
// # Shared and private
//
// A block is shared over the trace if several processors use it at any time, and
// else private. That is what [falsafi1997] means, where shared and private are segments of memory; its
// F_S is the mean number of blocks of a processor's window that are shared over the trace, F_avg
// and F_max are the mean and the largest over processors of the mean number of private ones. A block is shared within a window if
// several processors use it in that window; this is what another process may find in the cache,
// and what the models need where processors do not use the same part of what they share at the same time.
//
// # Interference
//
// The methods of [Shape], [Printed] and [Several] are the models of [falsafi1997], corrected and as
// published. What they are held to is measured: K processes take turns of one window each on one cache,
// every process with its own references in its own order. K is a power of two.
//
//   - loss is what the projection of a process has lost when it runs again: the model's interference, and what one measures by
//     flushing;
//   - extra misses are those of a window of a process less those of the same window where
//     the process has a cache of its own.
//
// Footprints of one window say little of either where programs align their arrays, and where windows are short, so that
// blocks of many windows before are in the cache too. So extra misses are also predicted from what processes use of
// every set in spans of 1, 2, 4, ... windows: model_sets, see spans.go.
//
// The tables are described in [Columns].
//
// [falsafi1997] B. Falsafi, D. A. Wood: Modeling cost/performance of a parallel computer
// simulator. ACM Transactions on Modeling and Computer Simulation 7(1), 1997, pp. 104-130.
package footprint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Columns says what is in the tables and parameters.
const Columns = `Columns of footprint.arrow, for each size of blocks and processor, -1 for all together (several processors share
a block over the trace, or within a window):
  windows                              in which the processor loads or stores anything; others do not count
  mean, max                            distinct blocks of a window
  shared, private                      mean of a window, by sharing over the trace
  window_shared, window_private        mean of a window, by sharing within it; and the largest: *_max
  total, total_shared                  distinct blocks of the trace, and those shared
projection.arrow, a value in blocks for each cache, processor and quantity:
  footprint, projection                means of windows: blocks used, and those of them that the empty cache would keep
  model, paper                         projection of such a footprint: of LRU, and of [falsafi1997, eq. 4 or 8]
  model_inverse, paper_inverse         footprint of such a projection; none if the cache is full
interference.arrow, for each cache and number of processes that take turns of a window on it: 2, 4, 8 neighbours and so on, without
those that are left when such groups are made:
  per_switch, per_turn                 blocks that a process loses before it runs again, less those of its own that others bring; sum
                                       over all processes
  error                                per_switch less what was measured
  source                               loss, extra_misses: measured; model: others after each other; model_window: so, with
                                       blocks shared if they are within the window; as_one: others as one process;
                                       paper, printed: [falsafi1997, eq. 7 or 13], with slips corrected, as printed;
                                       model_sets: extra misses, from what processes use of every set; its error too
Columns for people: f_s, f_avg, f_max, of the parameters; loss, model: per_switch of these sources
footprint_switches.arrow, of model_sets for more processes too:
  per_switch                           misses that each turn of a process has more than alone
footprint_windows.arrow, of some windows, chosen at random:
  processors, shared, private          that use anything; means of them, by sharing within the window
footprint.params.toml: F_S, F_avg, F_max of lines and pages: f_s_cache, f_avg_cache, f_max_cache, f_s_tlb, f_avg_tlb, f_max_tlb; and
with blocks shared if they are within the window: f_s_window_cache and so on; block_cache, window_cache: size of a block, and
instructions of a window if that is a quantum
`

// Cut is what ends a window.
type Cut uint8

// The cuts.
const (
	Quanta     Cut = 1 + iota // of time
	References                // loads and stores of all processors together
	Barriers
)

// Window is how the order is cut.
type Window struct {
	Cut    Cut
	Length uint64 // instructions of a quantum, or references per processor
}

// MaxLength is the longest window, but for those between barriers.
const MaxLength = 1 << 31

// String is the window in words.
func (w Window) String() string {
	switch w.Cut {
	case Quanta:
		return fmt.Sprintf("%d instructions", w.Length)
	case References:
		return fmt.Sprintf("%d references per processor", w.Length)
	}
	return "barrier to barrier"
}

// Blocks is a size of blocks with the caches that hold such blocks.
type Blocks struct {
	Name   string // in names of parameters: "cache", "tlb"; none if empty
	Size   unit.Bytes
	Shapes []Shape
}

// Analysis measures footprints.
type Analysis struct {
	Window Window
	Blocks []Blocks
	Source string      // of the numbers: name and digest of the trace
	Tool   string      // what makes the file
	Meta   []trace.Arg // for the tables

	maxTurn int // for tests; 0 is MaxTurn
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "footprint".
func (a *Analysis) Name() string { return "footprint" }

// MaxTurn is how many uses of blocks by all processors in a window are kept at most, to be simulated in turns.
const MaxTurn = 1 << 24

// NewShard wants the interleaved order alone.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	s := &shard{window: a.Window, clock: make([]uint64, h.Procs), end: a.Window.Length}
	if a.Window.Cut == References {
		s.end *= uint64(h.Procs)
	}
	for _, b := range a.Blocks {
		s.spaces = append(s.spaces, newSpace(b, h.Procs, cmp.Or(a.maxTurn, MaxTurn)))
	}
	if h.Procs == 1 {
		nest(s.spaces)
	}
	return s
}

// shard cuts the order.
type shard struct {
	window Window
	clock  []uint64 // by processor: time of its latest item
	used   uint64   // references of the open window
	end    uint64   // of the open window: time, or used
	spaces []*space
}

// Add sees the next piece of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
	if e := p.Event; e != nil {
		s.clock[p.Proc] = uint64(p.Time)
		if e.Kind == trace.Barrier && s.window.Cut == Barriers {
			s.close()
		}
	}
	if len(p.RefProcs) == 0 {
		return nil
	}
	for _, space := range s.spaces {
		if err := space.begin(p); err != nil {
			return err
		}
	}
	for i := 0; i < len(p.RefProcs); {
		j, next := s.within(p, i)
		for _, space := range s.spaces {
			if err := space.add(p.RefProcs, j); err != nil {
				return err
			}
		}
		if i = j; next > 0 {
			s.close()
			s.end = next
		}
	}
	return nil
}

// LineSizes is the sizes of blocks that are not made of smaller ones.
func (s *shard) LineSizes() (sizes []unit.Bytes) {
	for _, space := range s.spaces {
		if space.coarser == nil {
			sizes = append(sizes, space.Size)
		}
	}
	return sizes
}

// within is the index of the first reference from i on that is not in the open window, and where
// the window in which that lies ends; 0 if there is none.
func (s *shard) within(p *analysis.Chunk, i int) (j int, end uint64) {
	switch s.window.Cut {
	case Quanta:
		if len(s.clock) == 1 {
			return s.withinAlone(p, i)
		}
		for ; i < len(p.RefProcs); i++ {
			q := &s.clock[p.RefProcs[i]]
			time := *q + uint64(p.Refs.Instr[i])
			if time > s.end {
				return i, (time + s.window.Length - 1) / s.window.Length * s.window.Length
			}
			*q = time
		}
	case References:
		for ; i < len(p.RefProcs); i++ {
			if !p.Refs.Op[i].Data() {
				continue
			}
			if s.used == s.end {
				s.used = 0
				return i, s.end
			}
			s.used++
		}
	}
	return len(p.RefProcs), 0
}

// withinAlone is within for quanta of one processor.
func (s *shard) withinAlone(p *analysis.Chunk, i int) (j int, end uint64) {
	now := &s.clock[0]
	if j = i; *now <= s.end { // an event may be behind it
		n, executed := analysis.PrefixWithin(p.Refs.Instr[i:], s.end-*now)
		j, *now = i+n, *now+executed
	}
	if j < len(p.Refs.Instr) {
		end = (*now + uint64(p.Refs.Instr[j]) + s.window.Length - 1) / s.window.Length * s.window.Length
	}
	return j, end
}

// close ends the open window.
func (s *shard) close() {
	for _, space := range s.spaces {
		space.close()
	}
}

// End closes the last window.
func (s *shard) End() error {
	s.close()
	for _, space := range s.spaces {
		space.end()
	}
	return nil
}

// Merge makes the tables and the parameters.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, errors.New("footprint: the trace has no processors, or not all of them were asked for")
	}
	meta := append(slices.Clone(a.Meta), trace.Arg{Key: "window", Value: a.Window.String()})
	s := shards[0].(*shard)
	var t tables
	var params []analysis.Param
	used := false
	for _, space := range s.spaces {
		t.add(space)
		used = used || space.all.total > 0
		if space.Name != "" {
			params = append(params, space.parameters(a.Source, a.Window)...)
		}
	}
	if !used {
		return analysis.Result{}, errors.New("footprint: the trace has no loads or stores")
	}
	result := t.result(meta)
	result.Tables = append(result.Tables, windowsTable(s.spaces, meta))
	result.Files = []analysis.File{analysis.ParamFile("footprint", a.Tool, params)}
	result.Warnings = s.reservations()
	return result, nil
}

func (s *shard) reservations() (out []error) {
	for _, space := range s.spaces {
		if space.tooLong {
			out = append(out, fmt.Errorf("footprint: a window has too many uses of blocks of %v to be simulated in turns; make windows shorter", space.Size))
		}
	}
	if s.window.Cut == Quanta && slices.Max(s.clock) == 0 {
		out = append(out, errors.New("footprint: the trace counts no instructions, so that all of it is one quantum; windows may be of references"))
	}
	return out
}
