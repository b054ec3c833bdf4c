package spmd

import (
	"context"
	"reflect"
	"testing"
	"unsafe"

	"spoor/tracegen/tape"
	"spoor/traces/trace"
)

// earlySink has of every batch of references what comes before it.
type earlySink struct {
	*keep
	t *testing.T
}

func (s earlySink) Refs(b *trace.Refs) error {
	if err := s.keep.Refs(b); err != nil {
		return err
	}
	rows := s.EventsOf[b.Proc].Rows
	if n := uint64(s.RefsOf[b.Proc].Len()); len(rows) > 0 && rows[len(rows)-1].Refs > n {
		s.t.Errorf("rank %d: an event after %d references, and %d have come", b.Proc, rows[len(rows)-1].Refs, n)
	}
	return nil
}

// An early recording is what any other is, whatever is on a tape: here, a batch grows in the midst of it.
func TestEarlyIsTheSame(t *testing.T) {
	program := func(r *Rank) error {
		x := Alloc[float64](r, "x", 102)
		large := Private(r, "large", onHeap[byte](maxRefBytes*100))
		t := tape.Cur()
		for i := range 3 * eventRows {
			put(t, &x[i%100], tape.L8+tape.I)
			r.Signal(0)
			t.N += 2
		}
		t.Range(unsafe.Pointer(&large[0]), uintptr(len(large)), true)
		put(t, &x[7], tape.S8+tape.I)
		r.Lock(1)
		r.Unlock(1)
		for i := range 5 * batchRows {
			t.Room()
			put(t, &x[i%100], tape.LP8+tape.I)
		}
		r.Barrier()
		r.WaitFlag(0, 3)
		return nil
	}
	want, _ := recorded(t, 3, program)
	got := earlySink{newKeep(3), t}
	if _, err := Record(context.Background(), Options{Procs: 3, Early: true}, program, got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Memory, want.Memory) {
		t.Error("it is another recording")
	}
}
