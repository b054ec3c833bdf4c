// Package analysis is the contract of all analyses and what drives them: every
// order of a trace is read once, and feeds every analysis that was asked for.
//
// There are two kinds of order. Program order is what one processor did;
// processors are independent and run in parallel. The interleaved order
// (processor -1) merges all processors by instructions executed, with processors
// held at barriers and locks; see [Interleave].
package analysis

import (
	"io"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A Chunk is a stretch of an order: references, or one event. The producer owns it
// and all it refers to: it is valid until the next chunk.
//
// In program order, references are all of one processor, and as they are in the trace. In the
// interleaved order they are of several, and their Instr counts from the
// processor's previous reference or event, whichever is later.
//
// A chunk of the interleaved order that has neither references nor an event says that a
// processor stops: at a barrier or lock, until its event comes, or because its program has ended.
type Chunk struct {
	Proc     trace.Proc        // trace.Interleaved for references in the interleaved order
	Time     unit.Instructions // when the chunk's last item ends; waiting included in the interleaved order
	RefProcs []trace.Proc      // whose each reference is, in the interleaved order; else nil
	Refs     trace.Refs        // empty when Event is set
	Event    *trace.Event      // nil for references
	StopsAt  trace.Kind        // of a chunk with neither: at what its processor waits; zero at its end
	Instr    unit.Instructions // executed from the end of the previous item of each processor to the end of the chunk's last

	useCache *useCache // see Uses
}

// A Shard is the state of one analysis for one order. It is fed from one
// goroutine, so it needs no lock.
type Shard interface {
	// Add sees the next chunk of the order and keeps nothing of it.
	Add(p *Chunk) error
	// End is called once after the last chunk: memory that only Add needs is let go.
	End() error
}

// An EventShard is a Shard that may look at events alone, and at neither references nor
// the Instr of chunks. A program order that no other shard wants is then read without its references.
type EventShard interface {
	Shard
	EventsOnly() bool
}

// A ParallelShard is a Shard that can keep several cores busy by itself. What it finds
// does not depend on them.
type ParallelShard interface {
	Shard
	Cores(n int) // is called before the first chunk, if there are cores to spare
}

// A LineUsesShard is a Shard that asks every chunk that has references for its uses of lines of some sizes; see [Chunk.Uses].
type LineUsesShard interface {
	Shard
	LineSizes() []unit.Bytes // those sizes
}

// An OptionalUsesShard is a Shard that may ask chunks for their uses, which is worth while where others ask too. What it finds does not
// depend on that.
type OptionalUsesShard interface {
	Shard
	ShareUses(line unit.Bytes) // is called before the first chunk, for each size that others ask for
}

// ShardGroup is several shards of one order, as one. A run feeds the parts, each once, whoever
// else returns them.
type ShardGroup struct{ Parts []Shard }

// Add shows the chunk to all parts.
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

// An Analysis turns a trace into a result. One value serves one run.
type Analysis interface {
	// Name is what commands and files call it.
	Name() string
	// NewShard makes the state for the program order of proc, or for the
	// interleaved order if proc is trace.Interleaved; nil means that the analysis
	// does not want that order. It is called from one goroutine. An analysis that
	// builds on another's state may return the other's shard: a shard that several
	// analyses return for one order is fed once. One that builds on the state of more
	// than one other returns a [ShardGroup].
	NewShard(h trace.Header, proc trace.Proc) Shard
	// Merge joins its shards, nil ones left out: the interleaved one first, then by processor. Other analyses that look at the
	// same shards may merge at the same time, so it changes none of them.
	Merge(shards []Shard) (Result, error)
}

// Result is what an analysis found.
type Result struct {
	Tables   []*store.Table // each becomes DIR/<Name>.arrow
	Files    []File         // anything else
	Full     *store.Table   // the result in full, for programs that read standard output
	Summary  *store.Table   // for people
	Warnings []error        // reservations
}

// File is a result that is not a table.
type File struct {
	Name string // within the directory of results
	Fill func(io.Writer) error
}
