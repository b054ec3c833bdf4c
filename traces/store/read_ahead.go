package store

import (
	"errors"
	"iter"
	"runtime"
	"sync"

	"spoor/traces/trace"
)

// decoders is a pool of decoders with their buffers.
var decoders = sync.Pool{New: func() any { return newDecoder() }}

// readAhead is the number of batches that an iteration holds, and its most decoders.
type readAhead struct{ slots, decoders int }

// One batch is with the consumer; the others are ready or being decoded. Events need fewer, because their
// consumers take more time.
var (
	refsAhead   = readAhead{3, 2}
	eventsAhead = readAhead{2, 1}
)

// decodeAhead yields the batches in order, and decodes them on its own goroutines. A batch is
// valid until the next one. The goroutines end with the iteration.
//
// It starts one goroutine, and another one if there are cores and the consumer has waited for the first. On one
// core it holds only one batch, so that the batch is still in the caches when the consumer gets it. It also holds only
// one if many processors are read side by side, because each batch of references has 4 MB.
func decodeAhead[T any](p *part, order []procRows, at readAhead, decode func(d *decoder, slot *T, i int) error) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		a := prefetcher[T]{part: p, order: order, decode: decode, free: make(chan *T, at.slots), queue: make(chan chan decoded[T], at.slots), stop: make(chan struct{})}
		defer p.reading.Add(-1)
		if p.reading.Add(1) > manyReaders || runtime.GOMAXPROCS(0) == 1 {
			at.slots = 1
		}
		for range at.slots {
			a.free <- new(T)
		}
		defer a.end()
		a.start()
		waits, more := 0, min(at.decoders, runtime.GOMAXPROCS(0))-1
		for next := range a.queue {
			if len(next) == 0 && more > 0 {
				if waits++; waits == waitsPerDecoder {
					a.start()
					waits, more = 0, more-1
				}
			}
			r := <-next
			if !yield(r.slot, r.err) || r.err != nil {
				return
			}
			a.free <- r.slot
		}
	}
}

// manyReaders is the most iterations that hold several batches.
const manyReaders = 32

// waitsPerDecoder is the number of times that a consumer waits before it gets another decoder. It
// always waits for the first batch.
const waitsPerDecoder = 3

// decoded is a batch, or the error of decoding it.
type decoded[T any] struct {
	slot *T
	err  error
}

// prefetcher decodes the batches of an iteration.
type prefetcher[T any] struct {
	part    *part
	order   []procRows // whole batches that no goroutine decodes yet
	decode  func(d *decoder, slot *T, i int) error
	free    chan *T
	queue   chan chan decoded[T] // in order, each with room for its batch
	stop    chan struct{}
	lock    sync.Mutex // of order and queue
	workers sync.WaitGroup
}

// start adds a decoder.
func (a *prefetcher[T]) start() {
	a.workers.Go(func() {
		for {
			var slot *T
			select {
			case slot = <-a.free:
			case <-a.stop:
				return
			}
			i, to, ok := a.take()
			if !ok {
				return
			}
			d := decoders.Get().(*decoder) // only now, so that a goroutine that waits for a slot has none
			err := d.load(a.part.file, i)
			if err == nil {
				err = a.decode(d, slot, i)
			}
			decoders.Put(d)
			if err != nil {
				err = a.part.batchError(i, err)
			}
			to <- decoded[T]{slot, err}
		}
	})
}

// take returns the number of the next batch, and the channel for it.
func (a *prefetcher[T]) take() (i int, to chan decoded[T], ok bool) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if len(a.order) == 0 {
		return 0, nil, false
	}
	i, a.order = a.order[0].batch, a.order[1:]
	to = make(chan decoded[T], 1)
	a.queue <- to // does not block: there are as many places as slots
	if len(a.order) == 0 {
		close(a.queue)
	}
	return i, to, true
}

// end waits for the decoders.
func (a *prefetcher[T]) end() {
	close(a.stop)
	a.workers.Wait()
}

// load reads and opens batch i of f.
func (d *decoder) load(f *file, i int) (err error) {
	d.msg, err = f.read(d.msg, i)
	if err != nil {
		return err
	}
	return d.open(d.msg, f.blocks[i].meta)
}

// checkRefs checks a decoded batch against the index and the invariants.
func checkRefs(d *decoder, h trace.Header, b *refsSlot, info batchInfo) error {
	if err := d.done(); err != nil {
		return err
	}
	if info != (batchInfo{int32(b.Proc), uint64(b.Len()), b.instr}) {
		return errIndex
	}
	check := trace.CheckRefs
	if b.legal {
		check = trace.CheckAddrs
	}
	err := check(h, &b.Refs)
	b.legal = err == nil
	return err
}

var errIndex = errors.New("the footer's index and the batch disagree")
