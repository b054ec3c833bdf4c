package spmd_test

import (
	"context"
	"fmt"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// printer is a sink that prints what a recorder would store.
type printer struct{}

func (printer) Refs(b *trace.Refs) error {
	for i := range b.Len() {
		fmt.Printf("rank %d: +%d %s of %d bytes at %#x\n", b.Proc, b.Instr[i], b.Op[i], b.Size[i], b.Addr[i])
	}
	return nil
}

func (printer) Events(b *trace.Events) error {
	for _, e := range b.Rows {
		fmt.Printf("rank %d: +%d %s after %d references\n", b.Proc, e.Instr, e.Kind, e.Refs)
	}
	return nil
}

// Every rank doubles its part of an array; then rank 0 looks at it. The program is as
// it was written, so that the recording has its events; the references are in that
// of its recording form.
func Example() {
	data := []float64{1, 2, 3, 4}
	program := func(r *spmd.Rank) error {
		x := spmd.Shared(r, "x", data)
		lo, hi := r.Share(len(x))
		for i := lo; i < hi; i++ {
			x[i] += x[i]
		}
		r.Barrier()
		if r.ID() == 0 {
			fmt.Println("first and last:", x[0], x[3])
		}
		return nil
	}
	if _, err := spmd.Record(context.Background(), spmd.Options{Procs: 2}, program, printer{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// first and last: 2 8
	// rank 0: +0 barrier after 0 references
	// rank 0: +0 compute after 0 references
	// rank 1: +0 barrier after 0 references
	// rank 1: +0 compute after 0 references
}
