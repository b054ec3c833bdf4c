package store

import (
	"fmt"
	"iter"
	"sync"

	"spoor/traces/trace"
)

// decoders are the decoders and buffers that iterations leave for the next ones.
var decoders = sync.Pool{New: func() any { return newDecoder() }}

// aheadSlots is how many batches an iteration holds: one with the consumer, one
// ready, one being decoded.
const aheadSlots = 3

// decodeAhead yields the batches in order, decoding on a goroutine of its own. A
// batch is valid until the next. The goroutine has ended when the iteration has.
func decodeAhead[T any](p *part, order []int, decode func(d *decoder, slot *T, i int) error) iter.Seq2[*T, error] {
	type result struct {
		slot *T
		err  error
	}
	return func(yield func(*T, error) bool) {
		free, ready, stop := make(chan *T, aheadSlots), make(chan result, aheadSlots), make(chan struct{})
		for range aheadSlots {
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

// eventsSlot is a decoded batch of events, as columns and as rows.
type eventsSlot struct {
	eventsBatch
	out trace.Events
}

// eventsChecker holds decoded batches of events to the invariants. Batches of a
// processor come in order.
type eventsChecker struct {
	head  trace.Header
	total func(trace.Proc) uint64
	proc  trace.Proc
	index int    // of the last batch
	last  uint64 // Refs of its last event
}

func (c *eventsChecker) batch(d *decoder, s *eventsSlot, i int, info batchInfo) error {
	if err := d.done(); err != nil {
		return err
	}
	if err := checkInfo(info, s.proc, s.Len(), s.instructions()); err != nil {
		return err
	}
	s.out = trace.Events{Proc: s.proc, Rows: s.rows(s.out.Rows)}
	if s.proc != c.proc || i <= c.index { // a processor may be asked for twice
		c.last = 0
	}
	c.proc, c.index = s.proc, i
	if err := trace.CheckEvents(c.head, &s.out, c.last, c.total(s.proc)); err != nil {
		return err
	}
	c.last = s.out.Rows[s.Len()-1].Refs
	return nil
}
