// Package footprint measures the blocks of memory (lines or pages) that every processor uses in a window of
// time. It also measures how many of them survive in a cache that several processes share in turns.
//
// The footprint of a window is the set of distinct blocks that loads and stores use in it. Other authors call
// this the working set. The mean over all windows of a length is the footprint of the theory of locality. The
// projection of a footprint in a cache is the part that is in the cache at the end of the window. The
// interference of other processes is the part of the projection that they evict before the process runs
// again.
//
// # Windows
//
// Windows divide the interleaved order ([analysis.Interleave]) for all processors at once. There are three
// kinds:
//
//   - quanta of time, which also passes while processors wait;
//   - a number of references, times the number of processors;
//   - from barrier to barrier.
//
// A window in which a processor uses nothing does not count for it.
//
// # Shared and private
//
// A block is shared over the trace if several processors use it at any time, and otherwise private. This is
// the definition of [falsafi1997], where shared and private are segments of memory. Its F_S is the mean
// number of blocks of a processor's window that are shared over the trace. F_avg and F_max are the mean and
// the maximum over processors of the mean number of private blocks.
//
// A block is shared within a window if several processors use it in that window. Another process may find
// such blocks in the cache. Models need this number if processors use different parts of their shared data at
// the same time.
//
// # Interference
//
// The methods of [Shape], [Printed] and [TurnInterference] are the models of [falsafi1997], corrected and as
// published. They are compared with a simulation: K processes take turns of one window each on one cache.
// Every process has its own references in its own order. K is a power of two.
//
//   - loss is the part of a process's projection that was evicted when it runs again. This is the interference of
//     the model, and the result of measuring by flushing.
//   - extra misses are the misses of a window of a process, less those of the same window with a cache of its own.
//
// The footprints of one window do not determine either if programs align their arrays. They do not if windows
// are short, because blocks of many earlier windows are then in the cache too. Therefore extra misses are
// also predicted from the use of every set in spans of 1, 2, 4, ... windows: model_sets, see [spanModel].
//
// The tables are described in [Columns].
//
// [falsafi1997] B. Falsafi, D. A. Wood: Modeling cost/performance of a parallel computer simulator. ACM
// Transactions on Modeling and Computer Simulation 7(1), 1997, pp. 104-130.
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

// Columns describes the tables and parameters.
const Columns = `Columns of footprint.arrow, one row for each block size and processor:
  proc               processor; -1: all processors together
  block              block size in bytes
  windows            number of windows in which the processor loads or stores anything; others do not count
  mean, max          distinct blocks of a window: mean and maximum
  shared             mean number of blocks of a window that several processors use in the trace
  private            mean number of blocks of a window that no other processor uses in the trace
  window_shared      mean number of blocks of a window that several processors use within it
  window_private     mean number of blocks of a window that no other processor uses within it
  window_shared_max, window_private_max   their maxima
  total              distinct blocks of the trace
  total_shared       distinct blocks of the trace that several processors use
Columns of projection.arrow, one row for each cache, processor and quantity:
  proc, block        as in footprint.arrow
  sets, ways         shape of the cache
  quantity           one of:
                     footprint: blocks used in a window
                     projection: those of them that a cache keeps if it is empty at the start of the window
                     model: projection of that footprint with LRU replacement
                     paper: the same by [falsafi1997, eq. 4 or 8]
                     model_inverse, paper_inverse: footprint of that projection; omitted if the cache is full
  value              in blocks; footprint and projection are means over windows
Columns of interference.arrow, for processes that take turns of a window each on one cache:
  block, sets, ways  as in projection.arrow
  processes          number of neighbours that share a cache: 2, 4, 8 and so on; incomplete groups are left out
  source             loss: measured eviction of blocks
                     extra_misses: measured misses in addition to those without other processes
                     model: other processes run one after the other
                     model_window: the same, for blocks shared within the window
                     as_one: other processes count as one process
                     paper: [falsafi1997, eq. 7 or 13] with errors corrected
                     printed: [falsafi1997, eq. 13] as printed
                     model_sets: extra misses predicted from the use of every set
  per_switch         blocks that a process loses before it runs again, less its own blocks that others load
  per_turn           sum of per_switch over all processes
  error              per_switch less that of loss; for model_sets less that of extra_misses
Columns of the summary:
  f_s, f_avg, f_max  parameters F_S, F_avg and F_max
  loss, model        per_switch of these sources
Columns of footprint_switches.arrow, predictions of model_sets, also for more processes:
  block, sets, ways, processes            as in interference.arrow
  per_switch         misses of each turn of a process in addition to those without other processes
Columns of footprint_windows.arrow, for a random sample of windows:
  block              block size in bytes
  window             number of the window
  processors         number of processors that use anything
  shared, private    mean number of blocks of these processors, by sharing within the window
Parameters of footprint.params.toml:
  f_s_cache, f_avg_cache, f_max_cache     F_S, F_avg and F_max of lines
  f_s_tlb, f_avg_tlb, f_max_tlb           F_S, F_avg and F_max of pages
  f_s_window_cache, ...                   the same, with sharing within the window
  block_cache, block_tlb                  block size
  window_cache, window_tlb                instructions of a window, if it is a quantum
`

// WindowEnd says what ends a window.
type WindowEnd uint8

// The ends of windows.
const (
	Quanta     WindowEnd = 1 + iota // of time
	References                      // loads and stores of all processors together
	Barriers
)

// Window describes how the order is divided.
type Window struct {
	End    WindowEnd
	Length uint64 // instructions of a quantum, or references per processor
}

// MaxLength is the maximum length of a window, except between barriers.
const MaxLength = 1 << 31

// String describes the window.
func (w Window) String() string {
	switch w.End {
	case Quanta:
		return fmt.Sprintf("%d instructions", w.Length)
	case References:
		return fmt.Sprintf("%d references per processor", w.Length)
	}
	return "barrier to barrier"
}

// Blocks is a size of blocks, with the caches that hold such blocks.
type Blocks struct {
	Name   string // in names of parameters: "cache", "tlb"; empty: no parameters
	Size   unit.Bytes
	Shapes []Shape
}

// Analysis measures footprints.
type Analysis struct {
	Window Window
	Blocks []Blocks
	Source string      // source of the parameters: name and digest of the trace
	Tool   string      // command that writes the file
	Meta   []trace.Arg // metadata of the tables

	maxWindowUses int // for tests; 0: MaxWindowUses
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name returns "footprint".
func (a *Analysis) Name() string { return "footprint" }

// MaxWindowUses is the maximum number of uses of blocks in a window, of all processors, that are recorded for
// simulation.
const MaxWindowUses = 1 << 24

// NewShard returns a shard for the interleaved order only.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	s := &shard{window: a.Window, clock: make([]uint64, h.Procs), end: a.Window.Length}
	if a.Window.End == References {
		s.end *= uint64(h.Procs)
	}
	for _, b := range a.Blocks {
		s.spaces = append(s.spaces, newSpace(b, h.Procs, cmp.Or(a.maxWindowUses, MaxWindowUses)))
	}
	if h.Procs == 1 {
		linkCoarser(s.spaces)
	}
	return s
}

// shard divides the order into windows.
type shard struct {
	window Window
	clock  []uint64 // by processor: time of its latest reference or event
	refs   uint64   // references in the open window
	end    uint64   // end of the open window, in time or references
	spaces []*space
}

// Add processes the next chunk of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
	if e := p.Event; e != nil {
		s.clock[p.Proc] = uint64(p.Time)
		if e.Kind == trace.Barrier && s.window.End == Barriers {
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
		j, next := s.nextWindow(p, i)
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

// LineSizes returns the sizes of blocks that are not composed of smaller ones.
func (s *shard) LineSizes() (sizes []unit.Bytes) {
	for _, space := range s.spaces {
		if space.coarser == nil {
			sizes = append(sizes, space.Size)
		}
	}
	return sizes
}

// nextWindow returns the index of the first reference, from i on, that is not in the open window. It also
// returns the end of the window of that reference; 0 if all references are in the open window.
func (s *shard) nextWindow(p *analysis.Chunk, i int) (j int, end uint64) {
	switch s.window.End {
	case Quanta:
		if len(s.clock) == 1 {
			return s.nextQuantum(p, i)
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
			if s.refs == s.end {
				s.refs = 0
				return i, s.end
			}
			s.refs++
		}
	}
	return len(p.RefProcs), 0
}

// nextQuantum does the same for quanta of a single processor.
func (s *shard) nextQuantum(p *analysis.Chunk, i int) (j int, end uint64) {
	now := &s.clock[0]
	if j = i; *now <= s.end { // an event may be later
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

// Merge returns the tables and the parameters.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, errors.New("footprint: the trace has no processors, or some were not selected; analyze all processors")
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
	result.Warnings = s.warnings()
	return result, nil
}

func (s *shard) warnings() (out []error) {
	for _, space := range s.spaces {
		if space.overflowed {
			out = append(out, fmt.Errorf("footprint: a window has too many uses of blocks of %v, so that turns are not simulated; use shorter windows", space.Size))
		}
	}
	if s.window.End == Quanta && slices.Max(s.clock) == 0 {
		out = append(out, errors.New("footprint: the trace counts no instructions, so that all of it is one quantum; use windows of references"))
	}
	return out
}
