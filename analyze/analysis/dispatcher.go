package analysis

import "sync"

// dispatcher feeds the shards of one order. If parallel is set, each shard processes a long chunk
// on a goroutine of its own.
type dispatcher struct {
	shards   []Shard
	parallel bool
	progress *progress
	chunk    Chunk
	errs     []error // by shard
	busy     sync.WaitGroup
}

// longChunk is the number of references from which starting goroutines pays.
const longChunk = 1 << 12

func newDispatcher(shards []Shard, parallel bool, m *progress) *dispatcher {
	return &dispatcher{shards: shards, parallel: parallel, progress: m, errs: make([]error, len(shards))}
}

// feed passes the chunk to the shards. They may process it until wait returns.
func (f *dispatcher) feed(p Chunk) {
	f.chunk = p
	f.progress.count(p.Refs.Len())
	for i, s := range f.shards {
		if f.parallel && p.Refs.Len() >= longChunk {
			f.busy.Go(func() { f.errs[i] = s.Add(&f.chunk) })
		} else if f.errs[i] = s.Add(&f.chunk); f.errs[i] != nil {
			return
		}
	}
}

// wait waits until all shards have processed the chunk.
func (f *dispatcher) wait() error {
	f.busy.Wait()
	return f.failed()
}

// process passes the chunk to the shards and waits until they have processed it.
func (f *dispatcher) process(p Chunk) error {
	f.feed(p)
	if err := f.wait(); err != nil {
		return err
	}
	return f.progress.err
}

// finish ends the shards of an order that was read to its end, unless the run is cancelled.
func (f *dispatcher) finish() error {
	if err := f.progress.ctx.Err(); err != nil {
		return err
	}
	return f.end()
}

// failed returns the error of the first shard that has one.
func (f *dispatcher) failed() error {
	for _, err := range f.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// end ends the shards.
func (f *dispatcher) end() error {
	for i, s := range f.shards {
		if f.parallel {
			f.busy.Go(func() { f.errs[i] = s.End() })
		} else if f.errs[i] = s.End(); f.errs[i] != nil {
			break
		}
	}
	return f.wait()
}
