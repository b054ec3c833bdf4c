package engine

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// What is packed comes back as it was, however little of it is usual, from batches, too, and from what other operations were put behind.
func TestPackKeepsAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	numbers := []int64{0, 1, -1, 7, math.MaxInt16, math.MaxInt16 + 1, math.MinInt16, math.MinInt16 - 1, math.MaxInt32, math.MinInt32,
		math.MaxUint32, math.MaxUint32 + 1, 1 << 62, math.MaxInt64, math.MinInt64}
	some := func() int64 { return numbers[rng.IntN(len(numbers))] }
	for range 200 {
		var ops []program.Op
		for range rng.IntN(40) {
			op := program.Op{Kind: program.Kind(rng.IntN(int(program.Suspended) + 2)), Peer: int32(some()), Tag: int32(some()), Request: int32(some()), Group: program.None}
			switch rng.IntN(4) {
			case 0:
				op.Work, op.Bytes, op.Group = unit.Picos(some()), some(), int32(some())
			case 1:
				op.Extra = unit.Picos(some())
			case 2:
				op.IgnoreClosed, op.Sensitive = rng.IntN(2) == 0, rng.IntN(2) == 0
			}
			ops = append(ops, op)
		}
		all, joined := program.Pack(ops...), program.Pack(ops...)
		from := rng.IntN(len(ops) + 1)
		rest := all.Slice(from, all.Len())
		joined.Append(&rest)
		all.Append(&program.Ops{})
		if all.Len() != len(ops) || joined.Len() != 2*len(ops)-from {
			t.Fatalf("%d and %d operations, want %d and %d", all.Len(), joined.Len(), len(ops), 2*len(ops)-from)
		}
		for i := range joined.Len() {
			want := i
			if i >= len(ops) {
				want = i - len(ops) + from
			} else if got := all.At(i); got != ops[i] {
				t.Fatalf("operation %d is %+v, want %+v", i, got, ops[i])
			}
			if got := joined.At(i); got != ops[want] {
				t.Fatalf("operation %d behind others is %+v, want %+v", i, got, ops[want])
			}
		}
	}
}

// What most programs consist of is packed, and takes half of an Op.
func TestUsualOperationsArePacked(t *testing.T) {
	if size := unsafe.Sizeof(program.Packed{}); 2*size > unsafe.Sizeof(program.Op{}) {
		t.Errorf("%d bytes of %d", size, unsafe.Sizeof(program.Op{}))
	}
	ops := stencil(16, 500).ranks[0]
	if all := program.Pack(ops...); len(all.Wide) > 0 {
		t.Errorf("%d of %d are wide, as %+v", len(all.Wide), len(ops), all.Wide[0])
	}
}

// A program may change an operation that it added open until that has ended, here a receive that waits: the engine reads it where it is.
func TestOpenOperations(t *testing.T) {
	var waits program.Ops
	portWait := recv(1)
	waits.AddOpen(&portWait)
	rendezvousAfter := 0
	all := programs(ranks(nil, does(work(50), send(0, 10))), 0)
	sends := all[1].Next
	all[0].Next = func() (program.Ops, error) {
		now := waits
		waits = program.Ops{}
		return now, nil
	}
	open := waits.Last()
	all[1].Next = func() (program.Ops, error) {
		if rendezvousAfter++; rendezvousAfter == 2 { // it has sent, at 55; rank 0 has waited since 0
			open.Extra = 100
		}
		return sends()
	}
	res, err := Run(t.Context(), all, Options{Model: loggp()})
	if err != nil || rendezvousAfter < 2 || res.Ranks[0].Time != 50+48+100 {
		t.Errorf("%+v, %v", res, err)
	}
}

// A time is divided by the width of windows exactly, where there is a reciprocal and where there is none.
func TestWindowsDivideExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		width := 1 + unit.Picos(rng.Int64N(1<<(1+rng.IntN(61))))
		if rng.IntN(4) == 0 {
			width = 1 << rng.IntN(62)
		}
		d := newWindows(width)
		at := unit.Picos(rng.Int64N(int64(cost.Horizon)))
		for _, at := range []unit.Picos{0, at, at / width * width, max(0, at/width*width-1), cost.Horizon - 1} {
			if got, want := d.Window(at), int64(at/width); got != want {
				t.Fatalf("%d / %d is %d, got %d", at, width, want, got)
			}
		}
	}
}
