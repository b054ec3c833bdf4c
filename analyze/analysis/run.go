package analysis

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"

	"spoor/traces/trace"
)

// Options of a run.
type Options struct {
	Procs    []trace.Proc   // program orders wanted; nil means all processors and the interleaved order too
	Progress func(refs int) // if not nil, called now and then from several goroutines
	OnEnd    ShardFunc      // if not nil, called with every shard when it has ended
}

// order is one order of the trace with those who want it.
type order struct {
	proc   trace.Proc
	shards []Shard
	names  []string // by shard: the first analysis that has it, and the number of the part that it is: "reuse/0"
}

// Run reads every order that an analysis wants once, feeds it to all that want it,
// and merges. Orders run in parallel on the cores; results do not depend on that.
func Run(ctx context.Context, src trace.Source, opts Options, analyses ...Analysis) ([]Result, error) {
	orders, shards := plan(src.Header(), opts.Procs, analyses)
	if err := readAll(ctx, src, opts, orders); err != nil {
		return nil, err
	}
	if opts.OnEnd != nil {
		if err := opts.OnEnd.call(orders); err != nil {
			return nil, err
		}
	}
	return merge(analyses, shards)
}

// NoResultError is that a trace is nothing for an analysis, though others have results of it.
type NoResultError struct {
	Err    error
	Others []string // names of the others; there is one at least
}

// Error is what is the matter.
func (n *NoResultError) Error() string { return n.Err.Error() }

// Unwrap is the same.
func (n *NoResultError) Unwrap() error { return n.Err }

// merge makes the results of all, as many at a time as there are cores, or the error of the first that has none.
func merge(analyses []Analysis, shards [][]Shard) ([]Result, error) {
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
	}
	return nil, &NoResultError{first, able}
}

// Orders are the orders that a run of analyses reads.
func Orders(h trace.Header, procs []trace.Proc, analyses ...Analysis) []trace.Proc {
	orders, _ := plan(h, procs, analyses)
	var out []trace.Proc
	for _, o := range orders {
		out = append(out, o.proc)
	}
	return out
}

// plan asks all analyses for their shards.
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

// parts is what is fed of a shard.
func parts(s Shard) []Shard {
	if j, ok := s.(*ShardGroup); ok {
		return j.Parts
	}
	return []Shard{s}
}

// readAll feeds all orders. With the interleaved order among them the trace is read once for
// all; without, orders are read parallel, as many at a time as there are cores. Of several
// errors the one of the first order is returned.
func readAll(ctx context.Context, src trace.Source, opts Options, orders []order) error {
	if len(orders) == 0 {
		return nil
	}
	cores := runtime.GOMAXPROCS(0)
	spread(orders, cores)
	shareUses(src.Header().Procs, orders)
	if orders[0].proc == trace.Interleaved {
		return feedInterleaved(src, orders, cores > 1, &progress{ctx: ctx, progress: opts.Progress})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(orders))
	InParallel(len(orders), cores, func(i int) {
		if errs[i] = orders[i].read(src, cores > len(orders) && len(orders[i].shards) > 1, &progress{ctx: ctx, progress: opts.Progress}); errs[i] != nil {
			cancel()
		}
	})
	return firstCause(errs)
}

// spread gives shards the cores that would have nothing to do otherwise.
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

// InParallel calls do with 0 to n-1, in that order, so many at a time, and returns when all have returned.
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

// firstCause is the first error that is not merely the cancellation which another
// one caused.
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

// eventsOf is a trace without its references.
type eventsOf struct{ trace.Source }

func (eventsOf) Refs(...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return func(func(*trace.Refs, error) bool) {}
}

// read feeds a program order.
func (o order) read(src trace.Source, parallel bool, m *progress) error {
	if !slices.ContainsFunc(o.shards, wantsRefs) {
		src = eventsOf{src}
	}
	f := newDispatcher(o.shards, parallel, m)
	for p, err := range Program(src, o.proc) {
		if err != nil {
			return err
		}
		f.feed(*p)
		if err := f.wait(); err != nil {
			return err
		}
		if m.err != nil {
			return m.err
		}
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	return f.end()
}
