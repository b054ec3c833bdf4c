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
package footprint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/paramfile"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

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

// maxLength is the maximum length of a window, except between barriers.
const maxLength = 1 << 31

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
	Refs   trace.OpSet // references that use blocks; zero: loads and stores
	Blocks []Blocks
	Source string      // source of the parameters: name and digest of the trace
	Tool   string      // command that writes the file
	Meta   []trace.Arg // metadata of the tables

	maxWindowUses int // for tests; 0: maxWindowUses
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name returns "footprint".
func (a *Analysis) Name() string { return "footprint" }

// maxWindowUses is the maximum number of uses of blocks in a window, of all processors, that are recorded for
// simulation.
const maxWindowUses = 1 << 24

// NewShard returns a shard for the interleaved order only.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	s := &shard{window: a.Window, refs: cmp.Or(a.Refs, trace.DataOps), clock: make([]uint64, h.Procs), end: a.Window.Length}
	if a.Window.End == References {
		s.end *= uint64(h.Procs)
	}
	for _, b := range a.Blocks {
		s.spaces = append(s.spaces, newSpace(b, h.Procs, cmp.Or(a.maxWindowUses, maxWindowUses)))
	}
	if h.Procs == 1 {
		linkCoarser(s.spaces)
	}
	return s
}

// Merge returns the tables and the parameters.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, errors.New("footprint: the trace has no processors, or some were not selected; analyze all processors")
	}
	meta := append(slices.Clone(a.Meta), trace.Arg{Key: "window", Value: a.Window.String()})
	s := shards[0].(*shard)
	var t tables
	var params []paramfile.Param
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
	result.Files = []analysis.File{paramfile.File("footprint", a.Tool, params)}
	result.Warnings = s.warnings()
	return result, nil
}
