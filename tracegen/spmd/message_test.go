package spmd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"spoor/traces/trace"
)

// work counts n instructions, as instrumented code does.
func work(r *Rank, n int) {
	if r.rec != nil {
		r.rec.tape.Work(uint64(n))
	}
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
	for seed := range uint64(30) {
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
		if s, ok := r.backend.(recording); ok {
			at := s.Backend.(*scheduler).ranks[r.ID()].clock()
			if polls > wait/pollMost+20 || at < wait || at > wait+pollMost {
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

// TestWrongMessagesSayWhatIsWrong: all of them end the run with an error that names
// the rank and the place.
func TestWrongMessagesSayWhatIsWrong(t *testing.T) {
	x := make([]int, 4)
	type pointers struct{ p [1]*int }
	for _, c := range []struct {
		want string
		do   func(r *Rank)
	}{
		{"send to rank 2 of 2", func(r *Rank) { Send(r, 2, 0, x) }},
		{"send to rank -1 of 2", func(r *Rank) { Send(r, Any, 0, x) }},
		{"receive from rank 7 of 2", func(r *Rank) { Recv(r, 7, 0, x) }},
		{"receive from rank -2 of 2", func(r *Rank) { Irecv(r, -2, 0, x) }},
		{"tag -1 is out of range; 0 to 2147483647", func(r *Rank) { Send(r, 0, Any, x) }},
		{"tag 2147483648 is out of range", func(r *Rank) { Isend(r, 0, 1<<31, x) }},
		{"tag -2 is out of range; -1 to", func(r *Rank) { Recv(r, 0, -2, x) }},
		{"message of 3 elements received into 2 (from rank 1, tag 5)", func(r *Rank) { Send(r, 1, 5, x[:3]); Recv(r, Any, 5, x[:2]) }},
		{"message of int received as uint (from rank 1, tag 5)", func(r *Rank) { q := Irecv(r, 1, Any, []uint{1}); Send(r, 1, 5, x[:1]); q.Wait() }},
		{"message of int received as uint (from rank 1, tag 5)", func(r *Rank) {
			q := Irecv(r, 1, Any, []uint{1})
			Send(r, 1, 5, x[:1])
			for _, ok := q.Test(); !ok; _, ok = q.Test() {
			}
		}},
		{"elements of type string hold pointers", func(r *Rank) { Send(r, 0, 0, []string{""}) }},
		{"elements of type spmd.pointers hold pointers", func(r *Rank) { Recv(r, 0, 0, []pointers{}) }},
		{"vector of 2 blocks of 3 elements, 2 apart: blocks must not overlap", func(r *Rank) { SendVector(r, 0, 0, x, Vector{2, 3, 2}) }},
		{"vector of 2 blocks of 2 elements, 3 apart, does not fit 4 elements", func(r *Rank) { SendVector(r, 0, 0, x, Vector{2, 2, 3}) }},
		{"vector of -1 blocks", func(r *Rank) { RecvVector(r, 0, 0, x, Vector{-1, 2, 3}) }},
		{"does not fit 4 elements", func(r *Rank) { IrecvVector(r, 0, 0, x, Vector{1 << 62, 4, 1 << 62}) }},
		{"lock -1: numbers start from 0", func(r *Rank) { r.Lock(-1) }},
		{"flag -5: numbers start from 0", func(r *Rank) { r.Signal(-5) }},
		{"flag -1: numbers start from 0", func(r *Rank) { r.WaitFlag(-1, 1) }},
		{"waiting for -1 signals", func(r *Rank) { r.WaitFlag(0, -1) }},
	} {
		for _, b := range backends {
			err := b.run(context.Background(), 2, func(r *Rank) error {
				if r.ID() == 1 {
					c.do(r)
				}
				r.Barrier()
				return nil
			})
			if err == nil || !strings.HasPrefix(err.Error(), "rank 1: panic at message_test.go:") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", b.name, err, c.want)
			}
		}
	}
}

// TestStuckMessagesSayWhoWaitsForWhom, and what programs leave behind is named.
func TestStuckMessagesSayWhoWaitsForWhom(t *testing.T) {
	x := make([]int, 1)
	for _, c := range []struct {
		name    string
		procs   int
		program func(r *Rank)
		want    []string
	}{
		{"everybody receives first", 3, func(r *Rank) { Recv(r, (r.ID()+1)%3, 7, make([]int, 1)) }, []string{
			"deadlock: rank 0 waits for a message from rank 1 with tag 7 (rank 1 (waits for a message from rank 2 with tag 7)); rank 1"}},
		{"one too many", 2, func(r *Rank) {
			if r.ID() == 0 {
				Send(r, 1, 0, x)
			} else {
				Recv(r, Any, 0, make([]int, 1))
				Recv(r, Any, 0, make([]int, 1))
			}
		}, []string{"deadlock: rank 1 waits for a message from any rank with tag 0"}},
		{"the sender has finished", 2, func(r *Rank) {
			if r.ID() == 1 {
				Probe(r, 0, Any)
			}
		}, []string{"deadlock: rank 1 waits for a message from rank 0 with any tag (rank 0 (finished))"}},
		{"another communicator", 2, func(r *Rank) {
			c := r.World().Dup()
			if r.ID() == 0 {
				Send(r, 1, 3, x)
				r.WaitFlag(4, 2)
			} else {
				Recv(c, 0, 3, make([]int, 1))
			}
		}, []string{"rank 0 waits for 2 signals of flag 4", "rank 1 waits for a message from rank 0 with tag 3 in group 3 (rank 0 (waits for 2 signals of flag 4))"}},
		{"several requests", 2, func(r *Rank) {
			if r.ID() == 0 {
				WaitAny(Irecv(r, 1, 1, make([]int, 1)), Irecv(r, Any, 2, make([]int, 1)))
			} else {
				r.Lock(1)
				Irecv(r, 0, 9, make([]int, 1)).Wait()
			}
		}, []string{"rank 0 waits for a message from rank 1 with tag 1 or for a message from any rank with tag 2;",
			"rank 1 waits for a message from rank 0 with tag 9 (rank 0 (waits for a message from rank 1 with tag 1 or"}},
		{"a barrier and a message", 3, func(r *Rank) {
			if r.ID() < 2 {
				r.Barrier()
			}
			Recv(r, 0, 1, make([]int, 1))
		}, []string{"ranks 0, 1 wait at barrier 0 for rank 2 (waits for a message from rank 0 with tag 1); rank 2 waits for a message from rank 0 with tag 1 (rank 0 (waits at barrier 0))"}},
		{"messages left", 2, func(r *Rank) {
			if r.ID() == 0 {
				Send(r, 1, 3, make([]int, 5))
				Send(r, 1, 4, x)
			}
		}, []string{"rank 1: finished without receiving 5 elements from rank 0 with tag 3, 1 elements from rank 0 with tag 4"}},
		{"a message left in a communicator", 2, func(r *Rank) { Send(r.World().Dup(), 0, 0, x) }, []string{
			"rank 0: finished without receiving 1 elements from rank 0 with tag 0 in group 3, 1 elements from rank 1 with tag 0 in group 3"}},
		{"requests left", 2, func(r *Rank) {
			if r.ID() == 1 {
				Isend(r, 1, 0, x)
				Irecv(r, 1, 0, make([]int, 1)).Wait()
				Irecv(r, Any, 2, x)
			}
		}, []string{"rank 1: finished without waiting for an isend of 1 elements with tag 0, an irecv for a message from any rank with tag 2"}},
	} {
		for _, b := range backends {
			err := b.run(context.Background(), c.procs, func(r *Rank) error { c.program(r); return nil })
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s: %v\ndoes not say\n%q", c.name, b.name, err, want)
				}
			}
		}
	}
}

// TestNoFalseDeadlocks: ranks sleep and wake each other as fast as they can.
func TestNoFalseDeadlocks(t *testing.T) {
	for _, procs := range []int{2, 3, 16} {
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
	}
}

// TestRowsOfMessages shows every kind of event, with all of its columns.
func TestRowsOfMessages(t *testing.T) {
	k := checkWhole(t, 2, func(r *Rank) error {
		m := Private(r, "m", make([]float64, 12)) // 3 rows of 4
		column := Vector{3, 1, 4}
		if r.ID() == 0 {
			SendVector(r, 1, 5, m[1:], column)
			r.Signal(3)
			Isend(r, 1, 6, m[4:8]).Wait()
			Send(r.World().Dup(), 1, 0, m[:1])
			r.Clock()
			return nil
		}
		Probe(r, Any, 5)
		Recv(r, Any, 5, make([]float64, 4)) // nowhere
		q := IrecvVector(r, 0, Any, m, Vector{2, 2, 4})
		q.Test()
		r.WaitFlag(3, 1)
		q.Wait()
		c := r.World().Dup()
		for _, ok := Iprobe(c, 0, 0); !ok; _, ok = Iprobe(c, 0, 0) {
		}
		Recv(c, 0, 0, m)
		return nil
	})
	base := privateBase
	for p, want := range [][]string{
		{
			fmt.Sprintf("send peer 1 tag 5 group -1 request -1 bytes 24 at %#x: 3 x 8 / 32", base+8),
			"signal peer 3",
			fmt.Sprintf("isend peer 1 tag 6 group -1 request 0 bytes 32 at %#x: 1 x 32 / 32", base+32),
			"wait peer -1 tag -1 group -1 request 0",
			fmt.Sprintf("send peer 1 tag 0 group 3 request -1 bytes 8 at %#x: 1 x 8 / 8", base),
			"clock",
			"compute",
		}, {
			"probe peer -1 tag 5 group -1 request -1 bytes 24 at 0x0: 1 x 0 / 0",
			"recv peer -1 tag 5 group -1 request -1 bytes 24 at 0x0: 1 x 32 / 32",
			fmt.Sprintf("irecv peer 0 tag -1 group -1 request 0 bytes 32 at %#x: 2 x 16 / 32", base+privateStride),
			"test peer 0 tag 6 group -1 request 0 bytes 32 at 0x0: 1 x 0 / 0",
			"waitflag peer 3 tag 1",
			"iprobe peer 0 tag 0 group 3 request -1 bytes 8 at 0x0: 1 x 0 / 0",
			fmt.Sprintf("recv peer 0 tag 0 group 3 request -1 bytes 8 at %#x: 1 x 96 / 96", base+privateStride),
			"compute",
		},
	} {
		var got []string
		for _, e := range k.EventsOf[p].Rows {
			full := fmt.Sprintf("%s peer %d tag %d group %d request %d bytes %d at %#x: %d x %d / %d",
				e.Kind, e.Peer, e.Tag, e.Group, e.Request, e.Bytes, e.Addr, e.Count, e.Block, e.Stride)
			for _, empty := range []string{` at 0x0: 0 x 0 / 0`, ` bytes 0`, ` request -1$`, ` group -1$`, ` tag -1$`, ` peer -1$`} {
				full = regexp.MustCompile(empty+"$").ReplaceAllString(full, "")
			}
			if e.Group != 0 { // the collectives of the world, which Dup calls
				got = append(got, full)
			}
		}
		got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "compute ") })
		if !slices.Equal(got, want) {
			t.Errorf("rank %d:\n%s\nwant\n%s", p, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// choices makes a program out of the bytes of a fuzzer.
type choices struct {
	bytes []byte
	then  *rand.PCG
}

func (c *choices) Uint64() uint64 {
	if len(c.bytes) == 0 {
		return c.then.Uint64()
	}
	var word [8]byte
	n := copy(word[:], c.bytes[:min(2, len(c.bytes))])
	c.bytes = c.bytes[n:]
	return binary.LittleEndian.Uint64(word[:]) << 48
}

// FuzzMessages holds random programs of all operations to the naive machine, their
// recordings to the rules of traces and to themselves at another GOMAXPROCS, and
// what natively happens to what is recorded where time has no say.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("one and two and three and four"), uint64(1))
	f.Add([]byte{}, uint64(2))
	f.Fuzz(func(t *testing.T, code []byte, seed uint64) {
		rng := rand.New(&choices{code, rand.NewPCG(seed, 1)})
		program := randomSteps(rng, 1+rng.IntN(5))
		if err := checkProgram(program); err != nil {
			t.Fatal(err)
		}
	})
}

func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 77))
		if err := checkProgram(randomSteps(rng, 1+rng.IntN(5))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func checkProgram(program [][]step) error {
	if err := againstNaive(program); err != nil {
		return err
	}
	clocked, err := recordSteps(program)
	if err == nil {
		clocked.Head.WorkUnit = trace.WorkInstr
		err = trace.Check(&clocked.Memory)
	}
	if !legal(err) {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	again, _ := recordSteps(program)
	if a, b := fmt.Sprint(clocked.EventsOf), fmt.Sprint(again.EventsOf); a != b {
		return fmt.Errorf("recordings differ:\n%s\n%s", a, b)
	}
	return againstNative(program)
}

func recordSteps(program [][]step) (*keep, error) {
	k := newKeep(len(program))
	_, err := Record(context.Background(), Options{Procs: len(program)}, func(r *Rank) error {
		var log []string
		perform(r, program[r.ID()], &log, func() uint64 { return 0 })
		return nil
	}, k)
	return k, err
}

// againstNative runs a program natively. If it has neither wildcards nor polls,
// ranks see what they see in a recording.
func againstNative(program [][]step) error {
	logs := [2][][]string{make([][]string, len(program)), make([][]string, len(program))}
	var errs [2]error
	for i, b := range backends {
		errs[i] = b.run(context.Background(), len(program), func(r *Rank) error {
			perform(r, program[r.ID()], &logs[i][r.ID()], func() uint64 { return 0 })
			return nil
		})
		if !legal(errs[i]) {
			return fmt.Errorf("%s: %w", b.name, errs[i])
		}
	}
	for _, steps := range program {
		for _, s := range steps {
			if s.kind == trace.Test || s.kind == trace.Iprobe || s.kind == trace.Clock || s.kind == trace.Lock || len(s.requests) > 1 ||
				s.kind != trace.Barrier && s.peer == Any {
				return nil
			}
		}
	}
	if native, recorded := fmt.Sprint(logs[0], errs[0]), fmt.Sprint(logs[1], errs[1]); native != recorded {
		return fmt.Errorf("native and recorded runs differ:\n%s\n%s", native, recorded)
	}
	return nil
}
