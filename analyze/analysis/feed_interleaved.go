package analysis

import (
	"runtime"

	"spoor/traces/trace"
)

// feedInterleaved feeds the interleaved order, which is the first of orders, and all program
// orders. The trace is read once, because the program orders are what is merged.
//
// On several cores every shard of the interleaved order runs on a goroutine of its own. The shards
// of a program order process a chunk while the processors are merged. The shards of a lone
// processor have goroutines of their own too.
func feedInterleaved(src trace.Source, refs trace.OpSet, orders []order, parallel bool, m *progress) error {
	merge := newMerger(src, refs, nil)
	merge.programs = map[trace.Proc]*dispatcher{}
	w := interleavedFeed{progress: m}
	interleaved, programs := orders[0].shards, orders[1:]
	if h := src.Header(); parallel && h.Procs == 1 {
		w.pipeline = newPipeline(h, interleaved, shardsOf(programs))
		programs = nil
	} else if parallel {
		w.pipeline = newPipeline(h, interleaved, nil)
	} else {
		w.dispatcher = newDispatcher(interleaved, false, m)
	}
	if w.pipeline != nil {
		merge.whole = false
		w.pipeline.begin(merge)
	}
	var dispatchers []*dispatcher
	for _, o := range programs {
		f := newDispatcher(o.shards, parallel, m)
		merge.programs[o.proc] = f
		dispatchers = append(dispatchers, f)
	}
	merge.yield = func(p *Chunk, _ error) bool { return w.take(merge, p) }
	err := merge.run()
	merge.stop()
	return w.end(err, dispatchers)
}

func shardsOf(orders []order) (shards []Shard) {
	for _, o := range orders {
		shards = append(shards, o.shards...)
	}
	return shards
}

// interleavedFeed receives the chunks of the interleaved order.
type interleavedFeed struct {
	progress   *progress
	pipeline   *pipeline   // on several cores
	dispatcher *dispatcher // on one core
}

// take feeds the chunk and reports whether to continue.
func (w *interleavedFeed) take(m *merger, p *Chunk) bool {
	if w.pipeline == nil {
		w.dispatcher.feed(*p)
		return w.dispatcher.failed() == nil && w.progress.err == nil
	}
	w.progress.count(p.Refs.Len())
	if w.pipeline.program > 0 {
		w.progress.count(p.Refs.Len())
	}
	w.pipeline.add(m, p)
	return !w.pipeline.failed.Load() && w.progress.err == nil
}

// end ends all shards if the trace was read to its end.
func (w *interleavedFeed) end(err error, programs []*dispatcher) error {
	if err == nil && w.progress.err == nil {
		w.progress.err = w.progress.ctx.Err()
	}
	whole := err == nil && w.progress.err == nil
	var first error // the error of the interleaved order
	if w.pipeline != nil {
		first = w.pipeline.end(whole)
	} else if first = w.dispatcher.failed(); first == nil && whole {
		first = w.dispatcher.end()
	}
	errs := []error{first, err, w.progress.err}
	if firstCause(errs) == nil {
		ends := make([]error, len(programs))
		InParallel(len(programs), runtime.GOMAXPROCS(0), func(i int) { ends[i] = programs[i].end() })
		errs = ends
	}
	return firstCause(errs)
}
