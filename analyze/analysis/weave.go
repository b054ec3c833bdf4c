package analysis

import (
	"runtime"

	"spoor/traces/trace"
)

// weave feeds the interleaved order, the first one, and all program orders, which are what
// is merged: the trace is read once.
//
// On several cores every shard of the interleaved order has a goroutine of its own, and those
// of a program order look at a stretch of it while the processors are merged. Those of a lone processor have goroutines of their own, too.
func weave(src trace.Source, orders []order, apart bool, m *meter) error {
	merge := newMerger(src, nil)
	merge.programs = map[trace.Proc]*feeder{}
	w := weaver{meter: m}
	interleaved, programs := orders[0].shards, orders[1:]
	if h := src.Header(); apart && h.Procs == 1 {
		w.belt = newBelt(h, interleaved, shardsOf(programs))
		programs = nil
	} else if apart {
		w.belt = newBelt(h, interleaved, nil)
	} else {
		w.feeder = newFeeder(interleaved, false, m)
	}
	if w.belt != nil {
		merge.whole = false
		w.belt.begin(merge)
	}
	var feeders []*feeder
	for _, o := range programs {
		f := newFeeder(o.shards, apart, m)
		merge.programs[o.proc] = f
		feeders = append(feeders, f)
	}
	merge.yield = func(p *Piece, _ error) bool { return w.take(merge, p) }
	err := merge.run()
	merge.stop()
	return w.end(err, feeders)
}

func shardsOf(orders []order) (shards []Shard) {
	for _, o := range orders {
		shards = append(shards, o.shards...)
	}
	return shards
}

// weaver is who takes the interleaved order.
type weaver struct {
	meter  *meter
	belt   *belt   // on several cores
	feeder *feeder // on one
}

// take reports whether to go on.
func (w *weaver) take(m *merger, p *Piece) bool {
	if w.belt == nil {
		w.feeder.feed(*p)
		return w.feeder.failed() == nil && w.meter.err == nil
	}
	w.meter.count(p.Refs.Len())
	if w.belt.program > 0 {
		w.meter.count(p.Refs.Len())
	}
	w.belt.add(m, p)
	return !w.belt.failed.Load() && w.meter.err == nil
}

// end ends all shards, if reading has come to the end.
func (w *weaver) end(err error, programs []*feeder) error {
	if err == nil && w.meter.err == nil {
		w.meter.err = w.meter.ctx.Err()
	}
	whole := err == nil && w.meter.err == nil
	var first error // of the interleaved order
	if w.belt != nil {
		first = w.belt.end(whole)
	} else if first = w.feeder.failed(); first == nil && whole {
		first = w.feeder.end()
	}
	errs := []error{first, err, w.meter.err}
	if firstCause(errs) == nil {
		ends := make([]error, len(programs))
		InParallel(len(programs), runtime.GOMAXPROCS(0), func(i int) { ends[i] = programs[i].end() })
		errs = ends
	}
	return firstCause(errs)
}
