package spmd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"spoor/tracegen/tape"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// work counts n instructions, as instrumented code does.
func work[T ~int | ~uint32](r *Rank, n T) {
	if r.rec != nil {
		r.rec.tape.Work(uint64(n))
	}
}

// load and store record a reference to *p by one instruction, as instrumented code
// does, and carry it out.
func load[T any](r *Rank, p *T) T {
	if r.rec != nil {
		put(r.rec.tape, p, kindOf[T](false)+tape.I)
	}
	return *p
}

func store[T any](r *Rank, p *T, v T) {
	if r.rec != nil {
		put(r.rec.tape, p, kindOf[T](true)+tape.I)
	}
	*p = v
}

// put writes the word of a reference to *p, as instrumented code does.
func put[T any](t *tape.Tape, p *T, k uint64) {
	base, off, lim := t.Open()
	if off >= lim {
		off = t.Full(off)
	}
	tape.Put(base, off, unsafe.Pointer(p), k)
	t.Close(off + 8)
}

func kindOf[T any](store bool) uint64 {
	kind := tape.Kind(store, reflect.TypeFor[T]().Size())
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Complex128:
		kind ^= tape.L16 ^ tape.LP8
	case reflect.Complex64:
		kind ^= tape.L8 ^ tape.LP4
	}
	return kind
}

// both runs a program in both backends.
func both(t *testing.T, procs int, program Program) {
	t.Helper()
	for _, b := range backends {
		if err := b.run(context.Background(), procs, program); err != nil {
			t.Errorf("%s, %d ranks: %v", b.name, procs, err)
		}
	}
}

// TestEverySendHasOneReceive, for every number of ranks: each sends i*i+1 messages,
// and nobody knows how many will come to it but by counting what is left.
func TestEverySendHasOneReceive(t *testing.T) {
	for procs := 1; procs <= 33; procs++ {
		var sent, received, sum atomic.Int64
		program := func(r *Rank) error {
			n := r.ID()%5*r.ID()%5 + 1
			for i := range n {
				Send(r, (r.ID()+i*i)%procs, i%3, []int32{int32(r.ID())})
				sent.Add(1)
				sum.Add(int64(r.ID()))
			}
			r.Barrier()
			x := make([]int32, 1)
			for s, ok := Iprobe(r, Any, Any); ok; s, ok = Iprobe(r, Any, Any) {
				got := Recv(r, s.Source, s.Tag, x)
				if got != s || int(x[0]) != s.Source {
					return fmt.Errorf("found %+v, got %+v with %d", s, got, x[0])
				}
				received.Add(1)
				sum.Add(-int64(x[0]))
			}
			return nil
		}
		both(t, procs, program)
		if sent.Load() != received.Load() || sum.Load() != 0 {
			t.Errorf("%d ranks: %d sent, %d received, sum differs by %d", procs, sent.Load(), received.Load(), sum.Load())
		}
		checkWhole(t, procs, program)
	}
}

// checkWhole holds a recording to every rule of traces.
func checkWhole(t testing.TB, procs int, program Program) *keep {
	t.Helper()
	k, _ := recorded(t, procs, program)
	k.Head.WorkUnit = trace.WorkInstr
	if err := trace.Check(&k.Memory); err != nil {
		t.Errorf("%d ranks: %v", procs, err)
	}
	return k
}

// TestMessagesDoNotOvertake: messages of one sender are numbered, and received in
// the order of their numbers, whatever the receives select by.
func TestMessagesDoNotOvertake(t *testing.T) {
	for seed := range testsize.Cases[uint64](30, 10) {
		rng := rand.New(rand.NewPCG(seed, 3))
		procs, n, tags := 1+rng.IntN(6), 20+rng.IntN(50), 1+rng.IntN(3)
		both(t, procs, func(r *Rank) error {
			mine := rand.New(rand.NewPCG(seed, uint64(r.ID())))
			size := func() int { return 1 + mine.IntN(2)*mine.IntN(2*copyUnlocked) } // both ways of copying
			for i := range n {
				for to := range procs {
					data := make([]int32, size())
					data[0] = int32(i)
					Send(r, to, i%tags, data)
				}
			}
			into := make([]int32, 2*copyUnlocked)
			next := map[[2]int]int{} // the number to come, by source and tag
			for range n * procs {
				source, tag := Any, Any
				if mine.IntN(2) == 0 {
					s := Probe(r, Any, Any)
					source, tag = s.Source, []int{Any, s.Tag}[mine.IntN(2)]
				}
				s := Recv(r, source, tag, into)
				number := next[[2]int{s.Source, s.Tag}]
				if want := number*tags + s.Tag; int(into[0]) != want {
					return fmt.Errorf("seed %d: message %d of rank %d tag %d came when %d was next", seed, into[0], s.Source, s.Tag, want)
				}
				next[[2]int{s.Source, s.Tag}]++
			}
			return nil
		})
	}
}

// TestVectorsAreTheirDefinition: what SendVector and RecvVector do is a loop over
// blocks and the elements in them.
func TestVectorsAreTheirDefinition(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		random := func() Vector {
			block := rng.IntN(5)
			return Vector{rng.IntN(5), block, block + rng.IntN(4)}
		}
		out, in := random(), random()
		if in.Count*in.Block < out.Count*out.Block {
			in = Vector{out.Count * out.Block, 1, 1 + rng.IntN(3)}
		}
		data := make([]complex64, 60)
		for i := range data {
			data[i] = complex(float32(i), -1)
		}
		want := make([]complex64, 60)
		places := placesOf(in)
		for i, at := range placesOf(out) {
			want[places[i]] = data[at]
		}
		both(t, 2, func(r *Rank) error {
			got := make([]complex64, 60)
			switch {
			case r.ID() == 0 && seed%2 == 0:
				SendVector(r, 1, 0, data, out)
			case r.ID() == 0:
				IsendVector(r, 1, 0, data, out).Wait()
			default:
				var s Status
				if seed%4 < 2 {
					s = RecvVector(r, 0, 0, got, in)
				} else {
					s = IrecvVector(r, 0, 0, got, in).Wait()
				}
				if !slices.Equal(got, want) || s.Count != out.Count*out.Block {
					return fmt.Errorf("%+v to %+v: got %v, want %v", out, in, got, want)
				}
			}
			return nil
		})
	}
}

func placesOf(v Vector) (places []int) {
	for b := range v.Count {
		for i := range v.Block {
			places = append(places, b*v.Stride+i)
		}
	}
	return places
}

func TestRequests(t *testing.T) {
	both(t, 3, func(r *Rank) error {
		if r.ID() > 0 {
			for range 3 {
				Recv(r, 0, 1, []byte{0})
				Send(r, 0, r.ID(), []byte{byte(r.ID()), 9})
			}
			return nil
		}
		var into [3][6][2]byte
		for round := range into {
			qs := []*Request{nil}
			for i := range 2 {
				qs = append(qs, Irecv(r, i+1, Any, into[round][i][:]))
			}
			q := Isend(r, 1, 1, []byte{7})
			if s, ok := q.Test(); !ok || s.Count != 1 {
				return fmt.Errorf("a send is not done: %v %+v", ok, s)
			}
			if _, ok := qs[2].Test(); ok {
				return fmt.Errorf("an answer before the question")
			}
			if i, s := WaitAny(qs...); i != 1 || s != (Status{1, 1, 2}) || into[round][0] != [2]byte{1, 9} {
				return fmt.Errorf("request %d, %+v, %v", i, s, into[round])
			}
			WaitAll(Isend(r, 2, 1, []byte{7}), nil)
			for s, ok := qs[2].Test(); ; s, ok = qs[2].Test() {
				if ok && s != (Status{2, 2, 2}) {
					return fmt.Errorf("got %+v", s)
				}
				if ok {
					break
				}
			}
			if s := qs[2].Wait(); s.Source != 2 { // again
				return fmt.Errorf("got %+v", s)
			}
			if i, _ := WaitAny(qs...); i != -1 {
				return fmt.Errorf("waited for request %d of none", i)
			}
		}
		return nil
	})
}

// TestTheEarliestCounts: rank 1 has run ahead and sent at 1000 before rank 2 sends at
// 20, which it does after it has waited for its turn at the lock.
func TestTheEarliestCounts(t *testing.T) {
	for _, wait := range []func(r *Rank) int{
		func(r *Rank) int {
			i, _ := WaitAny(Irecv(r, 1, 0, make([]byte, 1)), Irecv(r, 2, 0, make([]byte, 1)))
			return i + 1
		},
		func(r *Rank) int { return Recv(r, Any, 0, make([]byte, 1)).Source },
		func(r *Rank) int { return Irecv(r, Any, 0, make([]byte, 1)).Wait().Source },
		func(r *Rank) int { return Probe(r, Any, 0).Source },
	} {
		first := 0
		_, err := Record(context.Background(), Options{Procs: 3}, func(r *Rank) error {
			switch r.ID() {
			case 0:
				first = wait(r)
			case 1:
				work(r, 1000)
				Send(r, 0, 0, []byte{1})
			case 2:
				work(r, 20)
				r.Lock(0)
				Send(r, 0, 0, []byte{1})
				r.Unlock(0)
			}
			return nil
		}, nullSink{})
		if first != 2 {
			t.Errorf("rank %d came first (%v)", first, err)
		}
	}
}

// TestAnySourceIsFirstComeFirstServed, when ranks send one after the other, from the
// last to the first.
func TestAnySourceIsFirstComeFirstServed(t *testing.T) {
	const procs = 5
	both(t, procs, func(r *Rank) error {
		r.WaitFlag(0, procs-1-r.ID())
		if r.ID() > 0 {
			work(r, 1)
			Send(r, 0, 0, []byte{1})
			r.Signal(0)
			return nil
		}
		for want := procs - 1; want > 0; want-- {
			if s := Recv(r, Any, 0, make([]byte, 1)); s.Source != want {
				return fmt.Errorf("rank %d came when %d had", s.Source, want)
			}
		}
		return nil
	})
}

// TestSendsCopy: what is sent is what the memory held then.
func TestSendsCopy(t *testing.T) {
	for _, n := range []int{1, copyUnlocked, 3 * copyUnlocked} {
		both(t, 2, func(r *Rank) error {
			x := make([]byte, n)
			if r.ID() == 0 {
				for i := range 10 {
					x[n-1] = byte(i)
					q := Isend(r, 1, 0, x)
					x[n-1] = 99
					q.Wait()
				}
				return nil
			}
			for i := range 10 {
				if Recv(r, 0, 0, x); x[n-1] != byte(i) {
					return fmt.Errorf("got %d, want %d", x[n-1], i)
				}
			}
			return nil
		})
	}
}

// TestPollingMakesProgress: a loop of polls sees what it waits for, and in a
// recording soon, in instructions and in events.
func TestPollingMakesProgress(t *testing.T) {
	const wait = 1_000_000
	program := func(r *Rank) error {
		if r.ID() == 0 {
			work(r, wait)
			Send(r, 1, 0, []byte{1})
			Send(r, 2, 0, []byte{1})
			work(r, wait)
			Recv(r, 2, 0, make([]byte, 1))
			return nil
		}
		x := make([]byte, 1)
		q := Irecv(r, 0, 0, x)
		polls := 0
		for _, ok := q.Test(); !ok; _, ok = q.Test() {
			polls++
		}
		if s, ok := r.backend.(recordingBackend); ok {
			at := s.Backend.(*scheduler).ranks[r.ID()].clock()
			if polls > wait/maxPollWait+20 || at < wait || at > wait+maxPollWait {
				return fmt.Errorf("%d polls, until %d", polls, at)
			}
		}
		if r.ID() == 2 {
			Send(r, 0, 0, x)
		}
		return nil
	}
	both(t, 3, program)
	checkWhole(t, 3, program)
}

// TestCancellingMessages: a run ends though all ranks would wait or work forever.
func TestCancellingMessages(t *testing.T) {
	for name, forever := range map[string]func(r *Rank){
		"poll":    func(r *Rank) { Iprobe(r, Any, Any) },
		"barrier": func(r *Rank) { r.Barrier() },
		"send":    func(r *Rank) { Sendrecv(r, 0, 0, []int{1}, 0, 0, []int{2}) },
		"lock":    func(r *Rank) { r.Lock(0); r.Unlock(0) },
		"wait": func(r *Rank) {
			if r.ID() == 0 {
				r.Clock()
			} else {
				r.WaitFlag(0, 1)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, b := range backends {
				ctx, cancel := context.WithCancel(context.Background())
				procs := 3
				if name == "send" {
					procs = 1
				}
				err := b.run(ctx, procs, func(r *Rank) error {
					for i := 0; ; i++ {
						if forever(r); i == 1000 && r.ID() == 0 {
							cancel()
						}
					}
				})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %s: %v", name, b.name, err)
				}
			}
		})
	}
}

func TestFlagsCount(t *testing.T) {
	for procs := 1; procs <= 9; procs++ {
		both(t, procs, func(r *Rank) error {
			x := Alloc[int](r, "x", procs)
			for round := range 5 {
				x[r.ID()] = round
				r.Signal(int32(round))
				r.WaitFlag(int32(round), procs)
				r.WaitFlag(int32(round), procs) // sticky
				for _, v := range x {
					if v != round {
						return fmt.Errorf("round %d: %v", round, x)
					}
				}
				r.Barrier()
			}
			return nil
		})
	}
}

func TestClockGoesOn(t *testing.T) {
	both(t, 2, func(r *Rank) error {
		start := r.Clock()
		work(r, 100)
		for until := start + 1000; r.Clock() < until; {
		}
		if r.ID() == 1 {
			for last := r.Clock(); r.Clock()-last > 1e9; last = r.Clock() {
			}
		}
		return nil
	})
}

// TestNoFalseDeadlocks: ranks sleep and wake each other as fast as they can.
func TestNoFalseDeadlocks(t *testing.T) {
	for _, procs := range []int{2, 3, 16} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			err := Native(context.Background(), procs, func(r *Rank) error {
				x := make([]int, 1)
				for i := range 3000 / procs {
					if r.ID() == 0 {
						for range procs - 1 {
							s := Recv(r, Any, i, x)
							Send(r, s.Source, i, x)
						}
					} else {
						Send(r, 0, i, x)
						Recv(r, 0, i, x)
					}
					r.Lock(0)
					r.Unlock(0)
					if r.Signal(1); i%10 == 0 {
						r.WaitFlag(1, procs*i)
						r.Barrier()
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("%d ranks: %v", procs, err)
			}
		})
	}
}
