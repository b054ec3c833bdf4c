package analysis

import (
	"iter"
	"math"
	"sync"

	"spoor/traces/trace"
)

// Rows counts the rows of a trace that were read, by operation and kind of event.
type Rows struct {
	Data  uint64                  // loads and stores
	Ops   [trace.Flush + 1]uint64 // other operations
	Kinds [trace.Marker + 1]uint64

	mu sync.Mutex
}

// add adds the rows of one processor. A nil value counts nothing.
func (r *Rows) add(o *Rows) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Data += o.Data
	for op, n := range o.Ops {
		r.Ops[op] += n
	}
	for k, n := range o.Kinds {
		r.Kinds[k] += n
	}
}

// refs counts a batch of references.
func (r *Rows) refs(ops []trace.Op) {
	if trace.OnlyData(ops) { // the usual case, found eight at a time
		r.Data += uint64(len(ops))
		return
	}
	if !trace.AnyMoves(ops) {
		data := trace.CountData(ops)
		r.Data += uint64(data)
		r.Ops[trace.Ifetch] += uint64(len(ops) - data)
		return
	}
	var counts [math.MaxUint8 + 1]uint64
	for _, op := range ops {
		counts[op]++
	}
	for _, op := range trace.Ops { // the reader refuses others
		if op.Data() {
			r.Data += counts[op]
		} else {
			r.Ops[op] += counts[op]
		}
	}
}

// events counts a batch of events.
func (r *Rows) events(rows []trace.Event) {
	for i := range rows {
		if k := rows[i].Kind; k.Valid() {
			r.Kinds[k]++
		}
	}
}

// counting returns the source, with the rows that are read from it counted. A nil value counts
// nothing.
func (r *Rows) counting(src trace.Source) trace.Source {
	if r == nil {
		return src
	}
	counted := countedSource{src, r}
	if checked, is := src.(trace.CheckedSource); is {
		return countedCheckedSource{counted, checked}
	}
	return counted
}

// countedSource counts the rows that are read.
type countedSource struct {
	trace.Source
	rows *Rows
}

// countedCheckedSource is a countedSource whose references are checked.
type countedCheckedSource struct {
	countedSource
	checked trace.CheckedSource
}

func (s countedCheckedSource) RefsAreChecked() { s.checked.RefsAreChecked() }

func (s countedSource) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return counted(s.Source.Refs(procs...), s.rows, func(r *Rows, b *trace.Refs) { r.refs(b.Op) })
}

func (s countedSource) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	return counted(s.Source.Events(procs...), s.rows, func(r *Rows, b *trace.Events) { r.events(b.Rows) })
}

// counted yields all batches, and adds what count finds in them to all.
func counted[B any](batches iter.Seq2[*B, error], all *Rows, count func(*Rows, *B)) iter.Seq2[*B, error] {
	return func(yield func(*B, error) bool) {
		var own Rows
		defer func() { all.add(&own) }()
		for b, err := range batches {
			if err == nil {
				count(&own, b)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}
