package tape

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"unsafe"
)

// reader keeps what a tape hands over.
type reader struct{ refs []Ref }

func (r *reader) drain(words []uint64) {
	for len(words) > 0 {
		ref, n := Next(words)
		r.refs = append(r.refs, ref)
		words = words[n:]
	}
}

// onHeap makes a slice that does not move, as stacks do when they grow.
//
//go:noinline
func onHeap[T any](n int) []T { return make([]T, n) }

func addr[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

func TestEveryWayToWriteIsReadBack(t *testing.T) {
	var r reader
	tp := NewTape(4*margin, r.drain, nil)
	x, c := onHeap[float64](8), onHeap[complex64](4)

	base, off, _ := tp.Open()
	Put(base, off, unsafe.Pointer(&x[1]), L8+3*I)
	Put(base, off+8, unsafe.Pointer(&c[2]), SP4+maxInstr*I)
	tp.Close(off + 16)
	tp.Work(1 << 40)
	x[4] = 7
	Copy(tp, x[5:], x[4:5])
	Copy(tp, x[5:], x[:0])
	tp.Range(unsafe.Pointer(&x[0]), 1<<33, false)
	tp.Drain()
	want := []Ref{
		{addr(&x[1]), 8, 1, false, 3},
		{addr(&c[2]), 4, 2, true, maxInstr},
		{0, 0, 1, false, 1 << 40},
		{addr(&x[4]), 8, 1, false, 0},
		{addr(&x[5]), 8, 1, true, 0},
		{addr(&x[0]), 1 << 33, 1, false, 0},
	}
	if !slices.Equal(r.refs, want) {
		t.Errorf("got\n%v\nwant\n%v", r.refs, want)
	}
	if x[5] != 7 {
		t.Errorf("Copy copies: %v", x)
	}
}

func TestKindsOfEverySize(t *testing.T) {
	for size := uintptr(1); size <= maxSize; size++ {
		for _, store := range []bool{false, true} {
			r, n := Next([]uint64{Kind(store, size) | 1<<46})
			if want := (Ref{1 << 46, uint64(size), 1, store, 0}); n != 1 || r != want {
				t.Errorf("%d bytes: %+v, want %+v", size, r, want)
			}
		}
	}
}

// TestFullTapesAreHandedOverInOrder writes as generated code does: one check for a
// block of up to Margin words.
func TestFullTapesAreHandedOverInOrder(t *testing.T) {
	for _, words := range []int{1, 7, margin, 1000} {
		t.Run(fmt.Sprint(words), func(t *testing.T) {
			var r reader
			tp := NewTape(words, r.drain, nil)
			x := onHeap[byte](5000)
			base, off, lim := tp.Open()
			for i := 0; i < len(x); {
				if off >= lim {
					off = tp.Full(off)
				}
				for range min(margin, len(x)-i) {
					Put(base, off, unsafe.Pointer(&x[i]), S1)
					off += 8
					i++
				}
			}
			tp.Close(off)
			tp.Drain()
			tp.Drain()
			if len(r.refs) != len(x) {
				t.Fatalf("%d words: %d references, want %d", words, len(r.refs), len(x))
			}
			for i, ref := range r.refs {
				if ref.Addr != addr(&x[i]) {
					t.Fatalf("reference %d is at %#x, want %#x", i, ref.Addr, addr(&x[i]))
				}
			}
		})
	}
}

func TestAllocationsAreTold(t *testing.T) {
	var told []string
	tp := NewTape(margin, nil, func(p unsafe.Pointer, bytes uint64) { told = append(told, fmt.Sprint(bytes)) })
	s := Made(tp, make([]int32, 3, 5))
	p := Fresh(tp, new([3]int64))
	Made(NewTape(margin, nil, nil), s)
	if len(s) != 3 || *p != [3]int64{} || !slices.Equal(told, []string{"20", "24"}) {
		t.Errorf("told %v", told)
	}
}

func TestTapesAreSwitched(t *testing.T) {
	defer Switch(nil)
	tp := NewTape(margin, nil, nil)
	Switch(tp)
	if Cur() != tp {
		t.Error("Cur is not the tape switched to")
	}
	Switch(nil)
	if Cur() == tp || Cur() == nil {
		t.Error("nobody's tape must be one of its own")
	}
}

// A rank that ends when its turn has long been another's leaves it to that one.
func TestOnlyWhoHasTheTurnEndsIt(t *testing.T) {
	defer Switch(nil)
	old, present := NewTape(margin, nil, nil), NewTape(margin, nil, nil)
	Switch(old)
	Switch(present)
	if Release(old); Cur() != present {
		t.Error("a tape that was switched from has ended the turn of another")
	}
	if Release(present); Cur() == present || Cur() == nil {
		t.Error("the turn has not ended")
	}
}

func TestEveryGoroutineHasItsOwnTape(t *testing.T) {
	defer Switch(nil)
	rank := NewTape(margin, nil, nil)
	rank.Bind()
	Switch(rank)
	if Mine() != rank {
		t.Error("Mine is not the tape of the rank that runs")
	}
	const n = 50
	tapes := make([]*Tape, n)
	var all, wg sync.WaitGroup
	all.Add(n)
	for i := range n {
		wg.Go(func() {
			tapes[i] = Mine()
			all.Done()
			all.Wait()
			if Mine() != tapes[i] {
				t.Error("the tape of a goroutine has changed")
			}
		})
	}
	wg.Wait()
	for i, a := range tapes {
		if a == rank || a == idle || slices.Contains(tapes[:i], a) {
			t.Fatal("two goroutines share a tape")
		}
	}
	Switch(nil)
	if Mine() == rank {
		t.Error("Mine is the tape of a rank that does not run")
	}
}

const benchLen = 1 << 12

// daxpy is what the rewriter makes of y[i] -= alpha * x[i].
func daxpy(t *Tape, y, x []float64, alpha float64) {
	base, off, lim := t.Open()
	for i := range y {
		if off >= lim {
			off = t.Full(off)
		}
		Put(base, off, unsafe.Pointer(&y[i]), L8+2*I)
		Put(base, off+8, unsafe.Pointer(&x[i]), L8+2*I)
		Put(base, off+16, unsafe.Pointer(&y[i]), S8+2*I)
		off += 24
		y[i] -= alpha * x[i]
	}
	t.Close(off)
}

func BenchmarkCursor(b *testing.B) {
	x, y := make([]float64, benchLen), make([]float64, benchLen)
	tp := NewTape(1<<14, nil, nil)
	for b.Loop() {
		daxpy(tp, y, x[:len(y)], 0.5)
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/(3*benchLen*float64(b.N)), "ns/ref")
}

func BenchmarkMine(b *testing.B) {
	defer Switch(nil)
	tp := NewTape(margin, nil, nil)
	tp.Bind()
	Switch(tp)
	for b.Loop() {
		Mine()
	}
}
