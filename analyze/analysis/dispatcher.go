package analysis

import "sync"

// dispatcher feeds the shards of one order. Where there are several cores, the shards look at a
// long chunk at the same time, each on a goroutine of its own.
type dispatcher struct {
	shards   []Shard
	parallel bool
	progress *progress
	chunk    Chunk
	errs     []error // by shard
	busy     sync.WaitGroup
}

// longChunk is how many references are worth goroutines.
const longChunk = 1 << 12

func newDispatcher(shards []Shard, parallel bool, m *progress) *dispatcher {
	return &dispatcher{shards: shards, parallel: parallel, progress: m, errs: make([]error, len(shards))}
}

// feed shows the chunk to the shards, which may go on looking at it until wait.
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

// wait waits until all shards have seen the chunk.
func (f *dispatcher) wait() error {
	f.busy.Wait()
	return f.failed()
}

// failed is the error of the first shard that has one.
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
