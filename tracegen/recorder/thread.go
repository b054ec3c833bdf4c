package recorder

import "spoor/traces/trace"

// kinds of records, as in plugin.c
const (
	loadRecord = iota
	storeRecord
	fetchRecord
	stepRecord
)

const (
	recordBytes = 16
	stepBits    = 20
	sizeShift   = 22
	batchRows   = 1 << 15
	maxGap      = 1 << 31 // instructions after which a Compute event is added
)

var recordOps = [...]trace.Op{loadRecord: trace.Load, storeRecord: trace.Store, fetchRecord: trace.Ifetch}

// thread turns the records of a thread into the rows of a processor.
type thread struct {
	refs    trace.Refs
	rows    trace.Events
	place   uint64 // instructions so far, as the plugin counts
	at      uint64 // and without worked
	atRef   uint64 // at the previous reference
	atEvent uint64 // at the previous event
	worked  uint64 // in the Work of Computes
	count   uint64 // references so far
	events  uint64
	last    uint32 // sequence number of the latest block
	began   bool   // a block has come
	ended   bool
	running *goroutine // of a Go program
}

func newThread(proc trace.Proc) *thread {
	return &thread{refs: trace.Refs{Proc: proc}, rows: trace.Events{Proc: proc}}
}

// step executes instructions.
func (t *thread) step(n uint64) { t.place, t.at = t.place+n, t.at+n }

// advance executes the instructions up to a place.
func (t *thread) advance(place uint64) {
	if place > t.place {
		t.step(place - t.place)
	}
}

// reference appends a reference of the latest instruction.
func (t *thread) reference(addr, pc uint64, size uint16, op trace.Op) {
	if t.at-t.atRef > maxGap || t.at-t.atEvent > maxGap {
		t.split(t.at - 1)
	}
	b := &t.refs
	b.Append(uint32(t.at-t.atRef), addr, size, op)
	b.PC = append(b.PC, pc)
	t.atRef = t.at
	t.count++
}

// split keeps the columns of instructions in range: if the previous row is too far before instruction to, a Compute carries
// the instructions after it as Work.
func (t *thread) split(to uint64) {
	if to-t.atRef < maxGap && to-t.atEvent < maxGap {
		return
	}
	last := max(t.atRef, t.atEvent)
	e := trace.NewEvent(trace.Compute)
	e.Work = int64(to - last)
	t.append(e, uint32(last-t.atEvent))
	t.at -= to - last
	t.worked += to - last
}

// event appends an event after all that came before.
func (t *thread) event(e trace.Event) {
	t.split(t.at)
	t.append(e, uint32(t.at-t.atEvent))
}

func (t *thread) append(e trace.Event, instr uint32) {
	e.Instr, e.Refs = instr, t.count
	t.atEvent += uint64(instr)
	t.rows.Rows = append(t.rows.Rows, e)
	t.events++
}

// flush writes full batches, or if all is set everything.
func (t *thread) flush(sink Sink, all bool) error {
	if n := t.refs.Len(); n >= batchRows || all && n > 0 {
		if err := sink.Refs(&t.refs); err != nil {
			return err
		}
		t.refs.Reset()
	}
	if n := len(t.rows.Rows); n >= batchRows || all && n > 0 {
		if err := sink.Events(&t.rows); err != nil {
			return err
		}
		t.rows.Rows = t.rows.Rows[:0]
	}
	return nil
}
