package store

import (
	"errors"
	"fmt"
	"iter"
	"sync"

	"spoor/traces/trace"
)

// decoders are the decoders and buffers that iterations leave for the next ones.
var decoders = sync.Pool{New: func() any { return newDecoder() }}

// How many batches an iteration holds.
const (
	refsAhead   = 3 // one with the consumer, one ready, one being decoded
	eventsAhead = 2 // one with the consumer, one being decoded: they are five times as wide
)

// decodeAhead yields the batches in order, decoding on a goroutine of its own, and holds
// so many. A batch is valid until the next. The goroutine has ended when the iteration has.
func decodeAhead[T any](p *part, order []int, slots int, decode func(d *decoder, slot *T, i int) error) iter.Seq2[*T, error] {
	type result struct {
		slot *T
		err  error
	}
	return func(yield func(*T, error) bool) {
		free, ready, stop := make(chan *T, slots), make(chan result, slots), make(chan struct{})
		for range slots {
			free <- new(T)
		}
		go func() {
			defer close(ready)
			d := decoders.Get().(*decoder)
			defer decoders.Put(d)
			for _, i := range order {
				var slot *T
				select {
				case slot = <-free:
				case <-stop:
					return
				}
				err := d.load(p.file, i)
				if err == nil {
					err = decode(d, slot, i)
				}
				if err != nil {
					ready <- result{nil, p.batchError(i, err)}
					return
				}
				ready <- result{slot, nil}
			}
		}()
		defer func() {
			close(stop)
			for range ready { // until the goroutine has ended
			}
		}()
		for r := range ready {
			if !yield(r.slot, r.err) || r.err != nil {
				return
			}
			free <- r.slot
		}
	}
}

// load reads and opens batch i of f.
func (d *decoder) load(f *file, i int) (err error) {
	d.msg, err = f.read(d.msg, i)
	if err != nil {
		return err
	}
	return d.open(d.msg, f.blocks[i].meta)
}

// checkRefs holds a decoded batch to the index and to the invariants.
func checkRefs(d *decoder, h trace.Header, b *refsBatch, info batchInfo) error {
	if err := d.done(); err != nil {
		return err
	}
	if err := checkInfo(info, b.Proc, b.Len(), b.instructions()); err != nil {
		return err
	}
	return trace.CheckRefs(h, &b.Refs)
}

func checkInfo(info batchInfo, p trace.Proc, rows int, instr uint64) error {
	if info != (batchInfo{int32(p), uint64(rows), instr}) {
		return fmt.Errorf("the footer's index and the batch disagree")
	}
	return nil
}

// eventsSlot is a decoded batch of events, by its number in the file.
type eventsSlot struct {
	eventsBatch
	index int
}

// eventsChecker holds events to the invariants. Those of a processor come in order.
type eventsChecker struct {
	head  trace.Header
	total func(trace.Proc) uint64
	proc  trace.Proc
	index int    // of the last batch
	last  uint64 // Refs of its last event
}

// begin goes on to a batch.
func (c *eventsChecker) begin(s *eventsSlot) {
	if s.proc != c.proc || s.index <= c.index { // a processor may be asked for twice
		c.last = 0
	}
	c.proc, c.index = s.proc, s.index
}

// rowsAtOnce is how many events are rows at a time: a row is twice as wide as its columns.
const rowsAtOnce = 1 << 12

// rows makes rows of a batch, so many at a time. They are valid until the next ones.
func (c *eventsChecker) rows(s *eventsSlot, out *trace.Events) iter.Seq[error] {
	return func(yield func(error) bool) {
		c.begin(s)
		for from := 0; from < s.Len(); from += rowsAtOnce {
			out.Proc, out.Rows = s.proc, s.rows(out.Rows, from, min(from+rowsAtOnce, s.Len()))
			err := trace.CheckEvents(c.head, out, c.last, c.total(s.proc))
			var invalid *trace.Invalid
			if errors.As(err, &invalid) {
				invalid.Row += from
			}
			c.last = out.Rows[len(out.Rows)-1].Refs
			if !yield(err) || err != nil {
				return
			}
		}
	}
}
