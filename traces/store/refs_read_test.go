package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"spoor/traces/trace"
)

// sealedBatch is a batch with these columns, whatever they say.
func sealedBatch(r *trace.Refs, procs []int32) (msg []byte, meta int) {
	e := newEncoder()
	e.begin()
	put(e, procs)
	put(e, r.Instr)
	put(e, r.Addr)
	put(e, r.Size)
	put(e, r.Op)
	msg, meta = e.finish(r.Len())
	return slices.Clone(msg), meta
}

// A slot gives what is in the file, whatever was in it before: columns of the same values, of others, and fewer rows.
func TestSlotForgetsNothing(t *testing.T) {
	d, s := newDecoder(), new(refsSlot)
	for i, n := range []int{5000, 5000, 300, 5000, 5000, 1, 300} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := trace.Refs{Proc: trace.Proc(i / 3)}
			procs := fillTo([]int32(nil), n, int32(r.Proc))
			for j := range uint64(n) {
				r.Append(uint32(1+i/2), uint64(i)+j*8, uint16(1+i/4), trace.Ops[(i/4+int(j)*(i&1))%2])
			}
			msg, meta := sealedBatch(&r, procs)
			if err := d.open(msg, meta); err != nil {
				t.Fatal(err)
			}
			s.decode(d, false, false)
			if err := d.done(); err != nil {
				t.Fatal(err)
			}
			if s.Proc != r.Proc || !slices.Equal(s.Instr, r.Instr) || !slices.Equal(s.Addr, r.Addr) || !slices.Equal(s.Size, r.Size) || !slices.Equal(s.Op, r.Op) || s.instr != sum(r.Instr) {
				t.Fatalf("batch %d of %d rows is not what was written", i, n)
			}
		})
	}
}

// What was wrong with a batch is wrong with the next one that has the same column.
func TestSlotForgetsMixedProcessors(t *testing.T) {
	d, s := newDecoder(), new(refsSlot)
	var r trace.Refs
	for j := range uint64(1000) {
		r.Append(1, j*8, 8, trace.Load)
	}
	procs := fillTo([]int32(nil), r.Len(), 1)
	procs[500] = 2
	msg, meta := sealedBatch(&r, procs)
	for range 3 {
		if err := d.open(msg, meta); err != nil {
			t.Fatal(err)
		}
		s.decode(d, false, false)
		if d.done() == nil {
			t.Fatal("rows of two processors are taken for a batch of one")
		}
	}
}

// Whatever a slot had before, a row that is not legal is found.
func TestSlotIsChecked(t *testing.T) {
	d, s := newDecoder(), new(refsSlot)
	for i, c := range []struct {
		addr uint64
		size uint16
		op   trace.Op
		bad  bool
	}{
		{1, 8, trace.Load, false},
		{math.MaxUint64 - 7, 8, trace.Load, false},
		{math.MaxUint64 - 6, 8, trace.Load, true},
		{1, 8, trace.Load, false},
		{1, 0, trace.Load, true},
		{1, 0, trace.Load, true},
		{1, 8, trace.Load, false},
		{1, 8, 0, true},
		{1, 8, 0, true},
		{1, 8, trace.Store, false},
		{math.MaxUint64 - 6, 8, trace.Store, true},
	} {
		var r trace.Refs
		for range 100 {
			r.Append(1, c.addr, c.size, c.op)
		}
		msg, meta := sealedBatch(&r, make([]int32, r.Len()))
		if err := d.open(msg, meta); err != nil {
			t.Fatal(err)
		}
		s.decode(d, false, false)
		err := checkRefs(d, trace.Header{Procs: 1}, s, batchInfo{rows: 100, instr: 100})
		if invalid := (*trace.BatchError)(nil); errors.As(err, &invalid) != c.bad || err != nil && !c.bad {
			t.Errorf("batch %d, access of %d bytes at %#x, operation %d: %v", i, c.size, c.addr, c.op, err)
		}
	}
}
