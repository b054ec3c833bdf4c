package walk

import (
	"iter"
	"math"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Visitor gets the references and events of one processor in program order, with their
// positions: the instructions executed up to and including each.
type Visitor struct {
	Wants func(b store.Batch) bool // reports whether to read a batch of references; nil reads all
	Ref   func(pos, row uint64, b *trace.Refs, i int) error
	Event func(pos uint64, row int64, e *trace.Event) error
}

// walker is the state of a walk.
type walker struct {
	v       Visitor
	events  func() (*trace.Events, error, bool)
	rows    []trace.Event // remaining events of the latest batch
	row     int64         // number of rows[0] among the events of the processor
	done    bool          // no more events
	work    bool          // work is instructions
	refPos  uint64
	evPos   uint64
	refRows uint64
}

// Walk passes all of processor p to v, and returns the position at which p ends. It does not
// read batches that v does not want; it takes their instructions from the index.
func Walk(t *Trace, p trace.Proc, v Visitor) (end uint64, err error) {
	batches, err := t.Batches(p)
	if err != nil {
		return 0, err
	}
	wanted := make([]bool, len(batches))
	var chosen []int
	for i, b := range batches {
		if wanted[i] = v.Wants == nil || v.Wants(b); wanted[i] {
			chosen = append(chosen, i)
		}
	}
	refs, stopRefs := iter.Pull2(t.chosen(p, chosen))
	defer stopRefs()
	events, stopEvents := iter.Pull2(t.Events(p))
	defer stopEvents()
	w := walker{v: v, events: events, work: t.Header().WorkUnit == trace.WorkInstr}
	for i, b := range batches {
		if wanted[i] {
			err = w.batch(refs())
		} else {
			err = w.skip(b)
		}
		if err != nil {
			return 0, err
		}
	}
	err = w.eventsUpTo(math.MaxUint64)
	return max(w.refPos, w.evPos), err
}

// skip advances over a batch that is not read.
func (w *walker) skip(b store.Batch) error {
	if err := w.eventsUpTo(w.refRows + b.Rows - 1); err != nil {
		return err
	}
	w.refRows += b.Rows
	w.refPos = max(w.refPos+b.Instr, w.evPos)
	return nil
}

func (w *walker) batch(b *trace.Refs, err error, _ bool) error {
	if err != nil {
		return err
	}
	for i, n := range b.Instr {
		if !w.done && (len(w.rows) == 0 || w.rows[0].Refs <= w.refRows) {
			if err := w.eventsUpTo(w.refRows); err != nil {
				return err
			}
		}
		// The Instr of a reference may be at its maximum, and smaller than the distance that events give.
		w.refPos = max(w.refPos+uint64(n), w.evPos)
		if err := w.v.Ref(w.refPos, w.refRows, b, i); err != nil {
			return err
		}
		w.refRows++
	}
	return nil
}

// eventsUpTo passes on the events that at most refs references precede.
func (w *walker) eventsUpTo(refs uint64) error {
	for {
		for len(w.rows) == 0 {
			b, err, ok := w.events()
			if err != nil || !ok {
				w.done = true
				return err
			}
			w.rows = b.Rows
		}
		e := &w.rows[0]
		if e.Refs > refs {
			return nil
		}
		w.evPos += uint64(e.Instr)
		if err := w.v.Event(w.evPos, w.row, e); err != nil {
			return err
		}
		if e.Kind == trace.Compute && w.work {
			w.evPos += uint64(e.Work)
			w.refPos += uint64(e.Work)
		}
		w.rows, w.row = w.rows[1:], w.row+1
	}
}

// SpliceRef writes row i of b at its position in the new trace.
func SpliceRef(to *store.Splicer, pos uint64, b *trace.Refs, i int) error {
	pc := uint64(0)
	if b.PC != nil {
		pc = b.PC[i]
	}
	return to.Ref(pos, b.Addr[i], b.Size[i], b.Op[i], pc)
}

// CheckOutput returns an error if the output would replace its input.
func CheckOutput(t *store.Trace, output string) error {
	if t.IsAt(output) {
		return stage.Usage("-o %s: that is the trace to be read; choose another name", output)
	}
	return nil
}

// NamesProc reports whether the peer of an event of kind k is a processor instead of an
// object in memory.
func NamesProc(k trace.Kind) bool {
	switch k {
	case trace.Lock, trace.Unlock, trace.Barrier, trace.Signal, trace.WaitFlag:
		return false
	}
	return true
}
