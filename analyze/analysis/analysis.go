// Package analysis reads a trace once and feeds it to any number of analyses. It defines the
// interfaces that an analysis implements.
//
// An analysis sees the trace in two kinds of order. Program order has the references and events of
// one processor. The program orders are independent and are read in parallel. The interleaved order
// (processor -1) merges all processors by the instructions that they have executed. In it,
// processors wait at barriers and locks; see [Interleave].
package analysis

import (
	"io"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A Chunk is a contiguous part of an order: either references or one event. The producer owns the
// chunk and everything that it refers to. It is valid until the next chunk.
//
// In program order all references of a chunk belong to one processor and are unchanged from the
// trace. In the interleaved order they belong to several processors. There, Instr counts from the
// processor's previous reference or event, whichever is later.
//
// References that move lines without using them, prefetches and flushes, are in chunks of their own:
// see Moves. So a shard decides once for a chunk what its references do.
//
// In the interleaved order, a chunk with neither references nor an event says that a processor
// stops. The processor waits at a barrier or lock until its event comes, or its program has ended.
type Chunk struct {
	Proc     trace.Proc        // trace.Interleaved for references of the interleaved order
	Time     unit.Instructions // when the chunk's last item ends; includes waiting in the interleaved order
	RefProcs []trace.Proc      // the processor of each reference in the interleaved order; else nil
	Refs     trace.Refs        // empty when Event is set
	Event    *trace.Event      // nil for references
	StopsAt  trace.Kind        // in a chunk with neither references nor event: where the processor waits; zero if it has ended
	Moves    trace.Op          // Prefetch or Flush if all references are of this operation; zero if none is, or none that matters
	Instr    unit.Instructions // executed from the end of the processor's previous item to the end of the chunk's last

	useCache *useCache // see Uses
}

// A Shard is the state of one analysis for one order. It is fed from one goroutine, so it needs no
// lock.
type Shard interface {
	// Add processes the next chunk of the order. It must not keep references into the chunk.
	Add(p *Chunk) error
	// End is called once, after the last chunk. It should release memory that only Add needs.
	End() error
}

// An EventShard is a Shard that may need only events, and neither references nor the Instr of
// chunks. If all shards of a program order are like that, the references are not read.
type EventShard interface {
	Shard
	EventsOnly() bool
}

// A ParallelShard is a Shard that can use several cores by itself. Its result does not depend on
// their number.
type ParallelShard interface {
	Shard
	Cores(n int) // called before the first chunk if there are idle cores
}

// A LineUsesShard is a Shard that requests the line uses of every chunk with references, for some
// line sizes; see [Chunk.Uses].
type LineUsesShard interface {
	Shard
	LineSizes() []unit.Bytes // the line sizes that it requests
}

// An OptionalUsesShard is a Shard that can work with or without [Chunk.Uses]. Requesting them pays
// only if another shard requests them too. The shard's result does not depend on that.
type OptionalUsesShard interface {
	Shard
	ShareUses(line unit.Bytes) // called before the first chunk, for each line size that another shard requests
}

// ShardGroup combines several shards of one order into one. A run feeds each part once, even if
// several analyses return it.
type ShardGroup struct{ Parts []Shard }

// Add passes the chunk to all parts.
func (j *ShardGroup) Add(p *Chunk) error {
	for _, s := range j.Parts {
		if err := s.Add(p); err != nil {
			return err
		}
	}
	return nil
}

// End ends all parts.
func (j *ShardGroup) End() error {
	for _, s := range j.Parts {
		if err := s.End(); err != nil {
			return err
		}
	}
	return nil
}

// An Explainer is an analysis that says why it ignores an operation: the end of a note, with what to do.
type Explainer interface {
	Why(op trace.Op) string
}

// An Analysis computes a result from a trace. One value serves one run.
type Analysis interface {
	// Name returns the analysis's name on the command line and in file names.
	Name() string
	// Effects declares what the analysis does with each operation and kind of event.
	Effects() Effects
	// NewShard creates the state for the program order of proc, or for the interleaved order if
	// proc is trace.Interleaved. It returns nil if the analysis does not need that order. It is
	// called from one goroutine.
	//
	// An analysis that uses another's state may return the other's shard. A shard that several
	// analyses return for one order is fed once. An analysis that uses the state of several others
	// returns a [ShardGroup].
	NewShard(h trace.Header, proc trace.Proc) Shard
	// Merge joins its shards: the interleaved one first, then by processor, without the nil ones.
	// It must not change them, because other analyses may merge the same shards at the same time.
	Merge(shards []Shard) (Result, error)
}

// Result is the result of an analysis.
type Result struct {
	Tables   []*store.Table // each becomes DIR/<Name>.arrow
	Files    []File         // any other files
	Full     *store.Table   // the complete result, for programs that read standard output
	Summary  *store.Table   // a short table for people
	Warnings []error        // problems that limit the result's validity
}

// File is a result that is not a table.
type File struct {
	Name string // within the results directory
	Fill func(io.Writer) error
}
