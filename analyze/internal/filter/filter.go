// Package filter writes the trace that the next level of memory sees: the references that miss
// private caches.
//
// Every processor has its own caches from package cache, which are not kept coherent. Each line
// that they request from the next level becomes a reference to the whole line. It has the operation
// and the PC of the reference that missed: a store that misses stays a store. Therefore a cache
// simulated on the new trace hits and misses as it does behind the other caches on the old trace,
// unless it is inclusive or exclusive. The number of dirty lines that leave it differs, because it
// treats stores that missed earlier caches as its own.
//
// A dirty line that is evicted becomes a store of the whole line, right before the miss that evicts
// it, if Options.WriteBacks is set. In the new trace such stores are ordinary uses. Package cache
// counts write-backs, but not as uses: to compare with it, omit them. Lines that are dirty at the
// end are not evicted.
//
// A prefetch brings lines in, and those that miss become prefetches of whole lines. A flush removes
// lines from all caches of its processor, and stays: the next level needs it too. Dirty lines that it
// removes become stores right before it. Flushes of other processors have no effect, because
// processors are filtered one by one.
//
// Positions stay the same. The Instr of a reference counts the instructions since the previous
// reference that missed. Events stay, and count the new references before them. Instr cannot hold more
// than 2^32-1 instructions. In that case a Compute without Work is inserted so that the second
// reference keeps its position, and other events stay that close to theirs. A closing Compute
// has the instructions after the last reference and event.
package filter

import (
	"context"
	"fmt"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Options are the options of Write.
type Options struct {
	Spec       cache.Spec // the caches of each processor
	WriteBacks bool       // write evicted dirty lines as stores
	Seed       uint64     // of random replacement
	Tool       string     // the program that writes the trace
	Input      string     // digest of the trace that is filtered
	Progress   func(refs int)
}

// Counts is the number of references read, written and omitted.
type Counts struct {
	Refs, Written, WriteBacks uint64
	Left                      [1 + trace.Flush]uint64 // omitted because no cache serves them, by operation
	Flushes                   uint64
	Procs                     int
}

// Write filters src into PREFIX.refs.arrow and PREFIX.events.arrow. After an error it leaves no
// file behind.
func Write(ctx context.Context, src trace.Source, prefix string, o Options) (all Counts, err error) {
	h := o.header(src.Header())
	out, err := store.Create(prefix, h)
	if err != nil {
		return Counts{}, err
	}
	defer out.Abort()
	all.Procs = h.Procs
	for p := range trace.Proc(h.Procs) {
		f, err := cache.NewFilter(o.Spec, o.WriteBacks, o.Seed)
		if err != nil {
			return Counts{}, err
		}
		if err := o.processor(ctx, src, p, f, store.NewSplicer(out, h, p), &all); err != nil {
			return Counts{}, err
		}
	}
	h.Notes = append(h.Notes, all.Notes()...)
	return all, out.Close(h)
}

// header returns the header of the new trace, without notes about omitted references.
func (o *Options) header(h trace.Header) trace.Header {
	what := "write-backs as stores"
	if !o.WriteBacks {
		what = "without write-backs"
	}
	h.Args = append(slices.Clone(h.Args), trace.Arg{Key: "filter", Value: o.Spec.String()})
	h.Notes = append(slices.Clone(h.Notes), fmt.Sprintf("filtered: what misses %s of each processor, in whole lines, %s", o.Spec, what))
	h.Tool, h.Inputs = o.Tool, []string{o.Input}
	return h
}

// Notes returns a note for each operation that was omitted.
func (c *Counts) Notes() (out []string) {
	for op, n := range c.Left {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d references of kind %v are left out: no cache serves them", n, trace.Op(op)))
		}
	}
	if c.Flushes > 0 && c.Procs > 1 {
		out = append(out, fmt.Sprintf("%d flushes empty only the caches of their own processor, because processors are filtered one by one", c.Flushes))
	}
	return out
}

// batchRows is the number of references that are filtered at a time.
const batchRows = 1 << 12

// processor filters the references and events of one processor.
func (o *Options) processor(ctx context.Context, src trace.Source, p trace.Proc, f *cache.Filter, to *store.Splicer, all *Counts) error {
	end, work := uint64(0), src.Header().WorkUnit == trace.WorkInstr
	for chunk, err := range analysis.Program(src, p) {
		if err != nil {
			return err
		}
		end = uint64(chunk.Time)
		if chunk.Event != nil {
			at := end
			if e := chunk.Event; e.Kind == trace.Compute && work {
				at -= uint64(e.Work)
			}
			if err := to.Event(at, *chunk.Event); err != nil {
				return err
			}
			continue
		}
		if chunk.Moves == trace.Flush {
			all.Flushes += uint64(chunk.Refs.Len())
		}
		at := end
		for _, n := range chunk.Refs.Instr {
			at -= uint64(n)
		}
		for i := 0; i < chunk.Refs.Len(); i += batchRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			part := chunk.Refs.Slice(i, min(i+batchRows, chunk.Refs.Len()))
			if at, err = copyRefs(to, at, &part, f.Add(&part)); err != nil {
				return err
			}
			all.Refs += uint64(part.Len())
			if o.Progress != nil {
				o.Progress(part.Len())
			}
		}
	}
	all.Written += to.Rows()
	all.WriteBacks += f.WriteBacks
	for op, n := range f.Left {
		all.Left[op] += n
	}
	return to.Finish(end)
}

// copyRefs writes the references that miss in a batch that starts at position at. It returns the
// position at the end of the batch.
func copyRefs(to *store.Splicer, at uint64, from *trace.Refs, refs []cache.NextLevelRef) (uint64, error) {
	row := 0
	for _, b := range refs {
		for ; row <= b.Row; row++ {
			at += uint64(from.Instr[row])
		}
		pc := uint64(0)
		if from.PC != nil {
			pc = from.PC[b.Row]
		}
		if err := to.Ref(at, b.Addr, b.Size, b.Op, pc); err != nil {
			return 0, err
		}
	}
	for ; row < from.Len(); row++ {
		at += uint64(from.Instr[row])
	}
	return at, nil
}
