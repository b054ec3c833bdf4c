package spmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spoor/tracegen/spmd/internal/space"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// keep is a sink that keeps everything, and holds it to the invariants of traces.
type keep struct {
	trace.Memory
	batches []int // lengths of the batches of references
}

func newKeep(procs int) *keep {
	k := &keep{Memory: trace.Memory{Head: trace.Header{Procs: procs},
		RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}}
	for p := range procs {
		k.RefsOf[p].Proc, k.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
	}
	return k
}

func (k *keep) Refs(b *trace.Refs) error {
	k.batches = append(k.batches, b.Len())
	for i := range b.Len() {
		k.RefsOf[b.Proc].Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	return trace.CheckRefs(k.Head, b)
}

func (k *keep) Events(b *trace.Events) error {
	k.EventsOf[b.Proc].Rows = append(k.EventsOf[b.Proc].Rows, b.Rows...)
	return nil
}

func recorded(t testing.TB, procs int, program Program) (*keep, *Recording) {
	t.Helper()
	k := newKeep(procs)
	rec, err := Record(context.Background(), Options{Procs: procs}, program, k)
	if err != nil {
		t.Fatal(err)
	}
	for p := range procs {
		if err := trace.CheckEvents(k.Head, &k.EventsOf[p], 0, rec.Totals[p].Refs); err != nil {
			t.Fatal(err)
		}
	}
	return k, rec
}

// backends are both ways to run a program, for the laws that both obey.
var backends = []struct {
	name string
	run  func(context.Context, int, Program) error
}{
	{"native", Native},
	{"record", func(ctx context.Context, procs int, p Program) error {
		_, err := Record(ctx, Options{Procs: procs}, p, nullSink{})
		return err
	}},
}

func TestSharesCoverEveryItemOnce(t *testing.T) {
	for n := range 70 {
		for procs := 1; procs <= 33; procs++ {
			next := 0
			for rank := range procs {
				lo, hi := Share(n, procs, rank)
				if lo != next || hi-lo < n/procs || hi-lo > (n+procs-1)/procs {
					t.Fatalf("rank %d of %d has %d..%d of %d, after %d", rank, procs, lo, hi, n, next)
				}
				next = hi
			}
			if next != n {
				t.Fatalf("%d ranks share %d of %d", procs, next, n)
			}
		}
	}
}

type named complex64

func TestReferencesHaveTheElementsSizeAndPlace(t *testing.T) {
	k, rec := recorded(t, 1, func(r *Rank) error {
		f := Shared(r, "f", make([]float64, 10))
		c := Shared(r, "c", make([]complex128, 10))
		n := Shared(r, "n", make([]named, 10))
		b := Private(r, "b", make([]uint8, 10))
		store(r, &f[3], load(r, &f[2]))
		store(r, &c[3], load(r, &c[2]))
		load(r, &n[1])
		load(r, &b[4:8][1:2][0])
		return nil
	})
	base := map[string]uint64{}
	for _, r := range rec.Regions {
		if r.Base%space.PageSize != 0 {
			t.Errorf("array %s starts at %#x, not on a page", r.Name, r.Base)
		}
		base[r.Name] = r.Base
	}
	want := []string{
		row(1, trace.Load, 8, base["f"]+16), row(1, trace.Store, 8, base["f"]+24),
		row(1, trace.Load, 8, base["c"]+32), row(0, trace.Load, 8, base["c"]+40), // complex: part after part
		row(1, trace.Store, 8, base["c"]+48), row(0, trace.Store, 8, base["c"]+56),
		row(1, trace.Load, 4, base["n"]+8), row(0, trace.Load, 4, base["n"]+12),
		row(1, trace.Load, 1, base["b"]+5),
	}
	if got := rows(&k.RefsOf[0]); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestArraysDoNotOverlap(t *testing.T) {
	const procs = 5
	data := map[string][]uint8{"x": make([]uint8, space.PageSize), "y": make([]uint8, space.PageSize+1), "empty": {}, "z": make([]uint8, 1)}
	_, rec := recorded(t, procs, func(r *Rank) error {
		for _, name := range []string{"x", "y", "empty", "z"} {
			Shared(r, name, data[name])
			Private(r, name, make([]uint8, 2*space.PageSize))
			Shared(r, name, data[name]) // again: the same place
		}
		return nil
	})
	if want := 4 + 4*procs; len(rec.Regions) != want {
		t.Fatalf("%d regions, want %d", len(rec.Regions), want)
	}
	for i, a := range rec.Regions {
		for _, b := range rec.Regions[:i] {
			if a.Base < b.Base+max(b.Bytes, 1) && b.Base < a.Base+max(a.Bytes, 1) {
				t.Errorf("%+v overlaps %+v", a, b)
			}
		}
	}
}

func TestInstructionsAreCountedToTheLast(t *testing.T) {
	k, rec := recorded(t, 2, func(r *Rank) error {
		x := Private(r, "x", make([]int32, 1))
		work(r, 10)
		load(r, &x[0])
		work(r, 5)
		r.Barrier()
		store(r, &x[0], 1)
		r.Lock(7)
		r.Unlock(7)
		work(r, 3)
		return nil
	})
	for p := range 2 {
		if got := k.RefsOf[p].Instr; !slices.Equal(got, []uint32{11, 6}) {
			t.Errorf("rank %d: instructions before references %v", p, got)
		}
		var got []string
		for _, e := range k.EventsOf[p].Rows {
			got = append(got, fmt.Sprintf("%s %d: %d instructions, %d references, work %d", e.Kind, e.Peer, e.Instr, e.Refs, e.Work))
		}
		want := []string{
			"barrier 0: 16 instructions, 1 references, work 0",
			"lock 7: 1 instructions, 2 references, work 0",
			"unlock 7: 0 instructions, 2 references, work 0",
			"compute -1: 3 instructions, 2 references, work 0",
		}
		if !slices.Equal(got, want) {
			t.Errorf("rank %d: events\n%s\nwant\n%s", p, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if tot := rec.Totals[p]; tot.Instr != 20 || tot.Refs != 2 || tot.Events != 4 {
			t.Errorf("rank %d: totals %+v", p, tot)
		}
	}
}

// TestLongGapsAreCarriedByComputeEvents: a column holds 2^32-1 instructions, and
// distances are any. Positions add up to what was executed, and the whole trace
// obeys the rules of both streams.
func TestLongGapsAreCarriedByComputeEvents(t *testing.T) {
	steps := []uint32{1, 2, maxGap - 2, maxGap - 1, maxGap, maxGap + 1, math.MaxUint32 - 1, math.MaxUint32}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		want := uint64(0)
		k, rec := recorded(t, 1, func(r *Rank) error {
			x := Shared(r, "x", make([]float64, 1))
			for range rng.IntN(12) {
				for range rng.IntN(4) {
					n := steps[rng.IntN(len(steps))]
					work(r, n)
					want += uint64(n)
				}
				for range rng.IntN(3) {
					load(r, &x[0])
					want++
				}
				if rng.IntN(3) == 0 {
					r.Barrier()
				}
			}
			return nil
		})
		k.Head.WorkUnit = trace.WorkInstr
		if err := trace.Check(&k.Memory); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var sum uint64
		for _, e := range k.EventsOf[0].Rows {
			sum += uint64(e.Instr) + uint64(e.Work)
		}
		if sum != want || uint64(rec.Totals[0].Instr) != want {
			t.Fatalf("seed %d: events sum to %d, total %d, want %d", seed, sum, rec.Totals[0].Instr, want)
		}
	}
}

func TestBatchesAreFullAndNothingIsLost(t *testing.T) {
	for _, n := range []int{0, 1, batchRows - 1, batchRows, batchRows + 1, 2*batchRows + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			k, rec := recorded(t, 1, func(r *Rank) error {
				x := Shared(r, "x", make([]uint16, n))
				for i := range n {
					load(r, &x[i])
				}
				return nil
			})
			got := &k.RefsOf[0]
			if got.Len() != n || rec.Totals[0].Refs != uint64(n) {
				t.Fatalf("%d references of %d", got.Len(), n)
			}
			for i := range n {
				if got.Addr[i] != space.SharedBase+2*uint64(i) {
					t.Fatalf("reference %d of %d is at %#x", i, n, got.Addr[i])
				}
			}
			for i, b := range k.batches {
				if i < len(k.batches)-1 && b <= batchRows-maxParts {
					t.Errorf("batch %d of %d has %d rows", i, len(k.batches), b)
				}
			}
		})
	}
}

func TestWithoutReferencesInstructionsStay(t *testing.T) {
	program := func(r *Rank) error {
		x := Shared(r, "x", data1)
		for range 2*batchRows + 3 {
			work(r, 2)
			load(r, &x[0])
		}
		r.Barrier()
		return nil
	}
	with, full := recorded(t, 2, program)
	without := newKeep(2)
	rec, err := Record(context.Background(), Options{Procs: 2, NoRefs: true}, program, without)
	if err != nil {
		t.Fatal(err)
	}
	for p := range 2 {
		if rec.Totals[p].Instr != full.Totals[p].Instr || rec.Totals[p].Refs != 0 || without.RefsOf[p].Len() != 0 {
			t.Errorf("rank %d: %+v with references, %+v without", p, full.Totals[p], rec.Totals[p])
		}
		for i, e := range without.EventsOf[p].Rows {
			if want := with.EventsOf[p].Rows[i]; e.Instr != want.Instr || e.Kind != want.Kind || e.Refs != 0 {
				t.Errorf("rank %d, event %d: %+v, want %+v but for references", p, i, e, want)
			}
		}
	}
}

var data1 = make([]float64, 1)

func TestBarriersSeparatePhases(t *testing.T) {
	for _, b := range backends {
		for _, procs := range []int{1, 2, 3, 8, 64, MaxProcs}[:testsize.Cases(6, 5)] {
			var arrived atomic.Int64
			err := b.run(context.Background(), procs, func(r *Rank) error {
				for phase := range 4 {
					arrived.Add(1)
					r.Barrier()
					if got := arrived.Load(); got < int64(procs*(phase+1)) {
						return fmt.Errorf("passed barrier %d after %d arrivals", phase, got)
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s, %d ranks: %v", b.name, procs, err)
			}
		}
	}
}

func TestLocksExclude(t *testing.T) {
	for _, b := range backends {
		count := 0 // a data race, were it not for the lock
		err := b.run(context.Background(), 8, func(r *Rank) error {
			for i := range 200 {
				r.Lock(3)
				count++
				work(r, uint32(r.ID()))
				r.Unlock(3)
				work(r, uint32(i%7))
			}
			return nil
		})
		if err != nil || count != 1600 {
			t.Errorf("%s: %d, %v", b.name, count, err)
		}
	}
}

// TestLocksGoByTheClock: ranks ask at 30, 10, 20 instructions and hold the lock
// for 100, and rank 1 asks again at 10+100+5, when the others have waited longer.
func TestLocksGoByTheClock(t *testing.T) {
	var order []int
	recorded(t, 3, func(r *Rank) error {
		work(r, []uint32{30, 10, 20}[r.ID()])
		for range 2 {
			r.Lock(0)
			order = append(order, r.ID())
			work(r, 100)
			r.Unlock(0)
			work(r, 5)
		}
		return nil
	})
	if want := []int{1, 2, 0, 1, 2, 0}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

func TestWaitingForAHeldLock(t *testing.T) {
	var order []string
	recorded(t, 2, func(r *Rank) error {
		work(r, uint32(r.ID()))
		r.Lock(1)
		r.Lock(int32(2 + r.ID())) // gives the other rank its turn while lock 1 is held
		order = append(order, fmt.Sprint("in ", r.ID()))
		work(r, 10)
		r.Unlock(int32(2 + r.ID()))
		order = append(order, fmt.Sprint("out ", r.ID()))
		r.Unlock(1)
		return nil
	})
	if want := []string{"in 0", "out 0", "in 1", "out 1"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

func TestRunsThatCannotFinishSayWhy(t *testing.T) {
	mistake := errors.New("no more water")
	for _, c := range []struct {
		name    string
		procs   int
		program Program
		want    []string
	}{
		{"finished before a barrier", 3, func(r *Rank) error {
			if r.ID() != 1 {
				r.Barrier()
			}
			return nil
		}, []string{"deadlock", "ranks 0, 2 wait at barrier 0 for rank 1 (finished)"}},
		{"locks in a circle", 2, func(r *Rank) error {
			r.Lock(int32(r.ID()))
			r.Barrier()
			r.Lock(int32(1 - r.ID()))
			return nil
		}, []string{"deadlock", "rank 1 waits for lock 0, held by rank 0 (waits for lock 1)",
			"rank 0 waits for lock 1, held by rank 1 (waits for lock 0)"}},
		{"a barrier inside a lock", 2, func(r *Rank) error {
			r.Lock(4)
			r.Barrier()
			r.Unlock(4)
			return nil
		}, []string{"deadlock", "at barrier 0 for rank", "for lock 4, held by rank", "(waits at barrier 0)"}},
		{"a lock twice", 1, func(r *Rank) error {
			r.Lock(9)
			r.Lock(9)
			return nil
		}, []string{"deadlock", "rank 0 waits for lock 9, held by rank 0"}},
		{"many", 100, func(r *Rank) error {
			if r.ID() > 0 {
				r.Barrier()
			}
			return nil
		}, []string{"and 91 more wait at barrier 0 for rank 0 (finished)"}},
		{"a lock kept", 2, func(r *Rank) error {
			r.Lock(int32(r.ID()))
			if r.ID() == 0 {
				r.Unlock(0)
			}
			return nil
		}, []string{"rank 1: finished holding lock 1"}},
		{"a lock not held", 2, func(r *Rank) error {
			r.Barrier()
			if r.ID() == 1 {
				r.Unlock(5)
			}
			r.Barrier()
			return nil
		}, []string{"rank 1: panic at spmd_test.go:", "unlock of lock 5, which this rank does not hold"}},
		{"an error", 4, func(r *Rank) error {
			r.Barrier()
			if r.ID() == 2 {
				return mistake
			}
			r.Barrier()
			return nil
		}, []string{"rank 2: no more water"}},
		{"an index", 2, func(r *Rank) error {
			x := Shared(r, "x", data1)
			if r.ID() == 1 {
				load(r, &x[1])
			}
			r.Barrier()
			return nil
		}, []string{"rank 1: panic at spmd_test.go:", "index out of range [1] with length 1"}},
		{"a name twice", 1, func(r *Rank) error {
			Private(r, "x", make([]int, 3))
			Private(r, "x", make([]int, 3))
			return nil
		}, []string{`rank 0: panic at spmd_test.go:`, `array "x" was placed before with other data; each array of a rank`}},
		{"an array of every rank", 2, func(r *Rank) error {
			Shared(r, "x", make([]int, 3))
			return nil
		}, []string{`panic at spmd_test.go:`, `array "x" was placed before with other data; every rank passes the same slice`}},
		{"no ranks", 0, nil, []string{"procs=0 is out of range; 1 to 4096"}},
		{"too many ranks", MaxProcs + 1, nil, []string{"1 to 4096"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, b := range backends {
				err := b.run(context.Background(), c.procs, c.program)
				if err == nil {
					t.Errorf("%s, %s: no error", c.name, b.name)
					continue
				}
				for _, want := range c.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%s, %s: %q does not say %q", c.name, b.name, err, want)
					}
				}
			}
		})
	}
	for _, b := range backends {
		err := b.run(context.Background(), 2, func(r *Rank) error { return mistake })
		if !errors.Is(err, mistake) {
			t.Errorf("%s: %v does not wrap the program's error", b.name, err)
		}
	}
}

// It ends no goroutine of others, and what it has deferred is done.
func TestProgramThatEndsItsGoroutine(t *testing.T) {
	for _, b := range backends {
		deferred := false
		err := b.run(context.Background(), 2, func(r *Rank) error {
			if r.ID() == 1 {
				defer func() { deferred = true }()
				runtime.Goexit()
			}
			r.Barrier()
			return nil
		})
		if err == nil || err.Error() != "rank 1: the program ended its goroutine" || !deferred {
			t.Errorf("%s: %v, deferred: %v", b.name, err, deferred)
		}
	}
}

func TestCancelling(t *testing.T) {
	for _, b := range backends {
		ctx, cancel := context.WithCancel(context.Background())
		err := b.run(ctx, 3, func(r *Rank) error {
			x := Shared(r, "x", data1)
			for i := 0; ; i++ {
				if load(r, &x[0]); i == 1000 && r.ID() == 1 {
					cancel()
				}
				if i%batchRows == 0 {
					r.Barrier()
				}
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", b.name, err)
		}
	}
}

// full is a disk with room for a number of calls.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Refs(*trace.Refs) error {
	if f.room--; f.room < 0 {
		return errFull
	}
	return nil
}
func (f *full) Events(*trace.Events) error { return f.Refs(nil) }

func TestSinkErrorsEndTheRecording(t *testing.T) {
	before := runtime.NumGoroutine()
	program := func(r *Rank) error {
		x := Shared(r, "x", data1)
		for range 2 * eventRows {
			for range batchRows / 100 {
				load(r, &x[0])
			}
			r.Barrier()
		}
		return nil
	}
	for room := 0; ; room++ {
		_, err := Record(context.Background(), Options{Procs: 2}, program, &full{room})
		if err == nil {
			if room < 10 {
				t.Errorf("only %d calls of the sink", room)
			}
			break
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("room for %d calls: %v", room, err)
		}
	}
	// A goroutine that has said its last word is still counted until it is gone.
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}

// FuzzProgramsEnd runs programs of random barriers and locks: they end in both
// backends, with success or an error, and two recordings are equal.
func FuzzProgramsEnd(f *testing.F) {
	f.Add([]byte("bbLulub"), uint8(3))
	f.Add([]byte{1, 2, 3, 9, 250, 77, 31}, uint8(2))
	f.Fuzz(func(t *testing.T, code []byte, n uint8) {
		procs := int(n%8) + 1
		program := func(r *Rank) error { return interpret(r, code) }
		var texts [2]string
		for i := range texts {
			k := newKeep(procs)
			rec, err := Record(context.Background(), Options{Procs: procs}, program, k)
			texts[i] = fmt.Sprint(rec, err, k.EventsOf)
		}
		if texts[0] != texts[1] {
			t.Errorf("recordings differ:\n%s\n%s", texts[0], texts[1])
		}
		_ = Native(context.Background(), procs, program) // any result; a hang would fail the test
	})
}

// interpret runs code: each byte is one operation, which some ranks may skip.
func interpret(r *Rank, code []byte) error {
	for i, c := range code {
		if c&0x80 != 0 && r.ID() == i%r.Procs() {
			continue
		}
		switch id := int32(c >> 3 & 3); c & 7 {
		case 0, 1:
			work(r, uint32(c)*uint32(r.ID()+1))
		case 2, 3:
			r.Barrier()
		case 4, 5:
			r.Lock(id)
		case 6:
			r.Unlock(id)
		default:
			r.Lock(id)
			work(r, uint32(c))
			r.Unlock(id)
		}
	}
	return nil
}
