package store

import (
	"iter"

	"spoor/traces/trace"
)

// Batch is the entry of a batch of references in the index of a file.
type Batch struct {
	Row        uint64 // number of its first reference among those of its processor
	Rows       uint64
	StartInstr uint64 // sum of the column before it
	Instr      uint64 // sum of the column in it
}

// Batches lists the batches of references of a processor, in order.
func (t *Trace) Batches(p trace.Proc) (all []Batch, err error) {
	order, err := t.order(t.refs, []trace.Proc{p})
	if err != nil {
		return nil, err
	}
	var next Batch
	for _, info := range order {
		next.Rows, next.Instr = info.rows, info.instr
		all = append(all, next)
		next.Row, next.StartInstr = next.Row+info.rows, next.StartInstr+info.instr
	}
	return all, nil
}

// ReadBatches yields some batches of references of a processor and does not read the others.
// The ascending numbers in chosen are indices of the result of Batches.
func (t *Trace) ReadBatches(p trace.Proc, chosen []int) iter.Seq2[*trace.Refs, error] {
	return func(yield func(*trace.Refs, error) bool) {
		order, err := t.order(t.refs, []trace.Proc{p})
		if err != nil {
			yield(nil, err)
			return
		}
		var some []procRows
		for _, c := range chosen {
			some = append(some, order[c])
		}
		t.refsIn(some, yield)
	}
}
