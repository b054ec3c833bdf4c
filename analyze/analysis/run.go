package analysis

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"spoor/traces/trace"
)

// Options are the options of a run.
type Options struct {
	Procs    []trace.Proc   // program orders to read; nil means all processors and the interleaved order
	Progress func(refs int) // if not nil, called from time to time, from several goroutines
	OnEnd    ShardFunc      // if not nil, called with every shard after it has ended
	Refs     trace.OpSet    // references whose lines [Chunk.Uses] lists; zero: loads and stores
	OnSkip   func(error)    // if not nil, called for each analysis without a result if others have one; its Result is empty
	Rows     *Rows          // if not nil, counts the rows of each processor that are read

	// FirstRow, if not nil, says that the source is a slice of a trace, and where it starts in the references of a
	// processor. All shards must be SliceShards. Run then returns no results: OnEnd receives what can be joined.
	FirstRow func(trace.Proc) uint64
}

// order is one order of the trace and the shards that need it.
type order struct {
	proc   trace.Proc
	shards []Shard
	names  []string // by shard: the first analysis that has it and the number of its part: "reuse/0"
}

// Run reads every order that an analysis needs once, feeds it to the shards, and merges them. It
// reads orders in parallel; the results do not depend on the number of cores.
func Run(ctx context.Context, src trace.Source, opts Options, analyses ...Analysis) ([]Result, error) {
	opts.Refs = cmp.Or(opts.Refs, trace.DataOps)
	orders, shards := plan(src.Header(), opts.Procs, analyses)
	if opts.FirstRow != nil {
		if err := opts.slice(orders); err != nil {
			return nil, err
		}
	}
	if err := readAll(ctx, opts.Rows.counting(src), opts, orders); err != nil {
		return nil, err
	}
	if opts.OnEnd != nil {
		if err := opts.OnEnd.call(orders); err != nil {
			return nil, err
		}
	}
	if opts.FirstRow != nil {
		return nil, nil
	}
	return merge(analyses, shards, opts.OnSkip)
}

// NoResultError says that the trace has no result for one analysis, although others have results.
type NoResultError struct {
	Err    error
	Others []string // names of the analyses with results; at least one
}

// Error returns the message of the analysis without a result.
func (n *NoResultError) Error() string { return n.Err.Error() }

// Unwrap returns the error of the analysis without a result.
func (n *NoResultError) Unwrap() error { return n.Err }

// merge computes all results in parallel on the cores. It returns the error of the first analysis
// that has none, unless skip takes it.
func merge(analyses []Analysis, shards [][]Shard, skip func(error)) ([]Result, error) {
	results := make([]Result, len(analyses))
	var first error
	var able []string
	errs := make([]error, len(analyses))
	InParallel(len(analyses), runtime.GOMAXPROCS(0), func(i int) { results[i], errs[i] = analyses[i].Merge(shards[i]) })
	for i, err := range errs {
		if err == nil {
			able = append(able, analyses[i].Name())
		} else if first == nil {
			first = err
		}
	}
	switch {
	case first == nil:
		return results, nil
	case able == nil:
		return nil, first
	case skip != nil:
		for _, err := range errs {
			if err != nil {
				skip(err)
			}
		}
		return results, nil
	}
	return nil, &NoResultError{first, able}
}

// Orders returns the orders that a run of the analyses reads.
func Orders(h trace.Header, procs []trace.Proc, analyses ...Analysis) []trace.Proc {
	orders, _ := plan(h, procs, analyses)
	var out []trace.Proc
	for _, o := range orders {
		out = append(out, o.proc)
	}
	return out
}

// plan requests the shards of all analyses.
func plan(h trace.Header, procs []trace.Proc, analyses []Analysis) (orders []order, shards [][]Shard) {
	if procs == nil {
		for p := trace.Interleaved; int(p) < h.Procs; p++ {
			procs = append(procs, p)
		}
	}
	shards = make([][]Shard, len(analyses))
	for _, p := range procs {
		o := order{proc: p}
		seen := map[Shard]bool{}
		for i, a := range analyses {
			s := a.NewShard(h, p)
			if s == nil {
				continue
			}
			shards[i] = append(shards[i], s)
			for k, part := range parts(s) {
				if !seen[part] {
					seen[part] = true
					o.shards, o.names = append(o.shards, part), append(o.names, fmt.Sprint(a.Name(), "/", k))
				}
			}
		}
		if len(o.shards) > 0 {
			orders = append(orders, o)
		}
	}
	return orders, shards
}

// parts returns the shards that are fed: the parts of a group, or the shard itself.
func parts(s Shard) []Shard {
	if j, ok := s.(*ShardGroup); ok {
		return j.Parts
	}
	return []Shard{s}
}

// readAll feeds all orders. If the interleaved order is among them, the trace is read once for all.
// Otherwise orders are read separately, in parallel on the cores. If several orders fail, it
// returns the error of the first one.
func readAll(ctx context.Context, src trace.Source, opts Options, orders []order) error {
	if len(orders) == 0 {
		return nil
	}
	cores := runtime.GOMAXPROCS(0)
	spread(orders, cores)
	shareUses(src.Header().Procs, orders)
	if orders[0].proc == trace.Interleaved {
		return feedInterleaved(src, opts.Refs, orders, cores > 1, &progress{ctx: ctx, progress: opts.Progress})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(orders))
	InParallel(len(orders), cores, func(i int) {
		if errs[i] = orders[i].read(src, opts.Refs, cores > len(orders) && len(orders[i].shards) > 1, &progress{ctx: ctx, progress: opts.Progress}); errs[i] != nil {
			cancel()
		}
	})
	return firstCause(errs)
}

// spread gives idle cores to shards that can use them.
func spread(orders []order, cores int) {
	shards := 0
	for _, o := range orders {
		shards += len(o.shards)
	}
	for _, o := range orders {
		for _, s := range o.shards {
			if p, ok := s.(ParallelShard); ok && cores > shards {
				p.Cores(cores / shards)
			}
		}
	}
}

// InParallel calls do with 0 to n-1, in that order, at most atOnce at a time. It returns when all
// calls have returned.
func InParallel(n, atOnce int, do func(int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(atOnce, n) {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
}

// firstCause returns the first error that is not merely a cancellation caused by another one.
func firstCause(errs []error) error {
	var cancelled error
	for _, err := range errs {
		if err == context.Canceled {
			cancelled = err
		} else if err != nil {
			return err
		}
	}
	return cancelled
}

func wantsRefs(s Shard) bool {
	e, is := s.(EventShard)
	return !is || !e.EventsOnly()
}

// read feeds a program order.
func (o order) read(src trace.Source, refs trace.OpSet, parallel bool, m *progress) error {
	f := newDispatcher(o.shards, parallel, m)
	if !slices.ContainsFunc(o.shards, wantsRefs) {
		return o.readEvents(src, f)
	}
	for p, err := range program(src, o.proc, refs) {
		if err != nil {
			return err
		}
		if err := f.process(*p); err != nil {
			return err
		}
	}
	return f.finish()
}
