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

// Every rank doubles its part of an array; then rank 0 adds it up.
func Example() {
	data := []float64{1, 2, 3, 4}
	program := func(r *spmd.Rank) error {
		x := spmd.SharedArray(r, "x", data)
		lo, hi := r.Share(x.Len())
		for i := lo; i < hi; i++ {
			r.Work(spmd.LoopControl + 1) // add
			v := x.At(i)
			x.Set(i, v+v)
		}
		r.Barrier()
		if r.ID() == 0 {
			fmt.Println("first and last:", x.At(0), x.At(3))
		}
		return nil
	}
	if _, err := spmd.Record(context.Background(), spmd.Options{Procs: 2}, program, printer{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// first and last: 2 8
	// rank 0: +5 load of 8 bytes at 0x10000000
	// rank 0: +1 store of 8 bytes at 0x10000000
	// rank 0: +5 load of 8 bytes at 0x10000008
	// rank 0: +1 store of 8 bytes at 0x10000008
	// rank 0: +1 load of 8 bytes at 0x10000000
	// rank 0: +1 load of 8 bytes at 0x10000018
	// rank 0: +12 barrier after 4 references
	// rank 0: +2 compute after 6 references
	// rank 1: +5 load of 8 bytes at 0x10000010
	// rank 1: +1 store of 8 bytes at 0x10000010
	// rank 1: +5 load of 8 bytes at 0x10000018
	// rank 1: +1 store of 8 bytes at 0x10000018
	// rank 1: +12 barrier after 4 references
	// rank 1: +0 compute after 4 references
}
