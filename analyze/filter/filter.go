// Package filter makes of a trace that of the next level of memory: what misses the caches near each processor.
//
// Every processor has caches of its own, those of package cache, which are not kept coherent. What they ask the level
// beyond for becomes a reference to a whole line, with the operation of the reference that missed and its
// PC: a store that misses stays a store. So a cache that is simulated on the new trace hits and misses as it does when it
// is simulated beyond the others on the old one, unless it is inclusive or exclusive. How many lines leave it dirty differs: it takes
// stores that missed before it for its own.
//
// Lines that leave dirty become stores of whole lines, right before the miss that evicts them, unless they are not
// wanted. Beyond, they are uses like others. Package cache counts write-backs, but not as uses: to compare with it, leave them out.
// Lines that are dirty in the end do not leave.
//
// Positions stay: what a processor executes between two references that miss is the Instr of the second. Events stay, and say how
// many of the new references precede them. Where Instr cannot hold what lies between references, more than 2^32-1
// instructions, a Compute without Work before the second stops at its position; others keep events that near.
// What is executed after the last reference and event is the Instr of a closing Compute.
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

// Options say what is filtered.
type Options struct {
	Spec       cache.Spec // of the caches of each processor
	WriteBacks bool       // lines that leave dirty become stores
	Seed       uint64     // of random replacement
	Tool       string     // what makes the trace
	Input      string     // digest of the trace that is filtered
	Progress   func(refs int)
}

// Counts is what became of the references.
type Counts struct {
	Refs, Beyond, WriteBacks uint64
	Left                     [1 + trace.Flush]uint64 // left out without a look into a cache, by operation
}

// Write filters src into PREFIX.refs.arrow and PREFIX.events.arrow. After an error nothing is left of them.
func Write(ctx context.Context, src trace.Source, prefix string, o Options) (all Counts, err error) {
	h := o.header(src.Header())
	out, err := store.Create(prefix, h)
	if err != nil {
		return Counts{}, err
	}
	defer out.Abort()
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

// header is that of the new trace, but for notes about what was left out.
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

// Notes say what was left out.
func (c *Counts) Notes() (out []string) {
	for op, n := range c.Left {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d references of kind %v are left out: no cache serves them", n, trace.Op(op)))
		}
	}
	return out
}

// chunk is how many references are filtered at a time.
const chunk = 1 << 12

// processor filters what one processor did.
func (o *Options) processor(ctx context.Context, src trace.Source, p trace.Proc, f *cache.Filter, to *store.Splicer, all *Counts) error {
	end, work := uint64(0), src.Header().WorkUnit == trace.WorkInstr
	for piece, err := range analysis.Program(src, p) {
		if err != nil {
			return err
		}
		end = uint64(piece.Time)
		if piece.Event != nil {
			at := end
			if e := piece.Event; e.Kind == trace.Compute && work {
				at -= uint64(e.Work)
			}
			if err := to.Event(at, *piece.Event); err != nil {
				return err
			}
			continue
		}
		at := end
		for _, n := range piece.Refs.Instr {
			at -= uint64(n)
		}
		for i := 0; i < piece.Refs.Len(); i += chunk {
			if err := ctx.Err(); err != nil {
				return err
			}
			part := piece.Refs.Slice(i, min(i+chunk, piece.Refs.Len()))
			if at, err = copyRefs(to, at, &part, f.Add(&part)); err != nil {
				return err
			}
			all.Refs += uint64(part.Len())
			if o.Progress != nil {
				o.Progress(part.Len())
			}
		}
	}
	all.Beyond += to.Rows()
	all.WriteBacks += f.WriteBacks
	for op, n := range f.Left {
		all.Left[op] += n
	}
	return to.Finish(end)
}

// copyRefs writes what goes on of a batch that starts at a position, and returns the position at its end.
func copyRefs(to *store.Splicer, at uint64, from *trace.Refs, beyond []cache.Beyond) (uint64, error) {
	row := 0
	for _, b := range beyond {
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
