package spmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"spoor/tracegen/spmd/internal/space"
	"spoor/tracegen/tape"
	"spoor/traces/trace"
)

// global is memory that nobody places.
var global [4]int32

// instrumented is a program as the rewriter makes it.
func instrumented(r *Rank) error {
	x := Shared(r, "x", onHeap[float64](100))
	c := Private(r, "c", onHeap[complex128](3))
	t := tape.Cur()
	put(t, &x[2], tape.L8+3*tape.I)
	put(t, &c[1], tape.LP8+tape.I)
	put(t, &global[1], tape.S4+2*tape.I)
	t.Work(1 << 20)
	put(t, &x[99], tape.S8+tape.I)
	big := tape.Made(t, onHeap[byte](3*maxRefBytes/2))
	small := tape.Fresh(t, new(int64))
	t.Range(unsafe.Pointer(&big[0]), uintptr(len(big)), true)
	put(t, small, tape.L8+tape.I)
	t.N += 5
	r.Barrier()
	return nil
}

//go:noinline
func onHeap[T any](n int) []T { return make([]T, n) }

func TestTapesAreRecorded(t *testing.T) {
	k, rec := recorded(t, 1, instrumented)
	base := map[string]uint64{}
	for _, r := range rec.Regions {
		base[r.Name] = r.Base
	}
	want := []string{
		row(3, trace.Load, 8, base["x"]+16),
		row(1, trace.Load, 8, base["c"]+16),
		row(0, trace.Load, 8, base["c"]+24),
		// The store to a global variable is left out, its instructions are not.
		row(2+1<<20+1, trace.Store, 8, base["x"]+99*8),
	}
	if got := rows(&k.RefsOf[0]); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := rec.Totals[0].Instr, 3+1+2+1<<20+1+1+5; int(got) != want {
		t.Errorf("%d instructions, want %d", got, want)
	}
	k.Head.WorkUnit = trace.WorkInstr
	if err := trace.Check(&k.Memory); err != nil {
		t.Error(err)
	}
}

func TestAllocatedMemoryIsRecordedIfAsked(t *testing.T) {
	k := newKeep(1)
	rec, err := Record(context.Background(), Options{Procs: 1, Allocated: true}, instrumented, k)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		row(2+1<<20+1, trace.Store, 8, space.SharedBase+99*8),
		row(0, trace.Store, maxRefBytes, space.HeapBase),
		row(0, trace.Store, maxRefBytes/2, space.HeapBase+maxRefBytes),
		row(1, trace.Load, 8, space.HeapBase+3*maxRefBytes/2),
	}
	if got := rows(&k.RefsOf[0])[3:]; !slices.Equal(got, want) || rec.Dropped != 1 {
		t.Errorf("got\n%s\nwant\n%s, dropped %d", strings.Join(got, "\n"), strings.Join(want, "\n"), rec.Dropped)
	}
}

func TestUnplacedMemoryIsRecordedIfAsked(t *testing.T) {
	k := newKeep(1)
	if _, err := Record(context.Background(), Options{Procs: 1, Unplaced: true}, instrumented, k); err != nil {
		t.Fatal(err)
	}
	at := uint64(uintptr(unsafe.Pointer(&global[1])))
	want := []string{
		row(2, trace.Store, 4, space.UnknownBase+at%space.PageSize),
		row(1<<20+1, trace.Store, 8, space.SharedBase+99*8),
		row(0, trace.Store, maxRefBytes, space.HeapBase),
		row(0, trace.Store, maxRefBytes/2, space.HeapBase+maxRefBytes),
		row(1, trace.Load, 8, space.HeapBase+3*maxRefBytes/2),
	}
	if got := rows(&k.RefsOf[0])[3:]; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func row(instr uint32, op trace.Op, size uint16, addr uint64) string {
	return fmt.Sprintf("+%d %s of %d at %#x", instr, op, size, addr)
}

func rows(b *trace.Refs) (rows []string) {
	for i := range b.Len() {
		rows = append(rows, row(b.Instr[i], b.Op[i], b.Size[i], b.Addr[i]))
	}
	return rows
}

func BenchmarkTaped(b *testing.B) {
	x, y := onHeap[float64](benchLen), onHeap[float64](benchLen)
	_, err := Record(context.Background(), Options{Procs: 1}, func(r *Rank) error {
		x, y := Shared(r, "x", x), Shared(r, "y", y)
		for b.Loop() {
			t := tape.Cur()
			base, off, lim := t.Open()
			for i := range y {
				if off >= lim {
					off = t.Full(off)
				}
				tape.Put(base, off, unsafe.Pointer(&y[i]), tape.L8+2*tape.I)
				tape.Put(base, off+8, unsafe.Pointer(&x[i]), tape.L8+2*tape.I)
				tape.Put(base, off+16, unsafe.Pointer(&y[i]), tape.S8+2*tape.I)
				off += 24
				y[i] -= 0.5 * x[i]
			}
			t.Close(off)
		}
		return nil
	}, nullSink{})
	if err != nil {
		b.Fatal(err)
	}
	perRef(b)
}

// TestDebtsArePaidByWhatComes: counts may go down between events; positions do not,
// and nothing is counted twice in the end.
func TestDebtsArePaidByWhatComes(t *testing.T) {
	k, rec := recorded(t, 1, func(r *Rank) error {
		x := Shared(r, "x", onHeap[float64](4))
		t := r.rec.tape
		t.N += 10
		r.Lock(0)
		t.N -= 7
		r.Unlock(0)
		put(t, &x[0], tape.L8+5*tape.I)
		put(t, &x[1], tape.L8+5*tape.I)
		t.N -= 2
		r.Barrier()
		t.N += 20
		return nil
	})
	want := []string{row(10, trace.Load, 8, space.SharedBase), row(1, trace.Load, 8, space.SharedBase+8)}
	if got := rows(&k.RefsOf[0]); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var at []uint32
	for _, e := range k.EventsOf[0].Rows {
		at = append(at, e.Instr)
	}
	if want := []uint32{10, 0, 1, 20}; !slices.Equal(at, want) {
		t.Errorf("events after %d, want %d instructions", at, want)
	}
	if got := rec.Totals[0].Instr; got != 10-7+10-2+20 {
		t.Errorf("%d instructions", got)
	}
}

// What a rank has touched before it waits stays what it was, though another rank gives the memory to another array meanwhile.
func TestWaitingRanksKeepTheirReferences(t *testing.T) {
	data := onHeap[float64](4)
	k, rec := recorded(t, 2, func(r *Rank) error {
		if r.ID() == 0 {
			x := Shared(r, "x", data)
			put(tape.Cur(), &x[1], tape.L8+tape.I)
		} else {
			tape.Cur().N += 100
			Shared(r, "y", data)
		}
		r.Barrier()
		return nil
	})
	if got := k.RefsOf[0].Addr; len(got) != 1 || got[0] != rec.Regions[0].Base+8 {
		t.Errorf("rank 0 touched %#x, x begins at %#x", got, rec.Regions[0].Base)
	}
}
