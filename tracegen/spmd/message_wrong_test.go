package spmd

import (
	"context"
	"strings"
	"testing"
)

// TestWrongMessagesSayWhatIsWrong: all of them end the run with an error that names
// the rank and the place.
func TestWrongMessagesSayWhatIsWrong(t *testing.T) {
	x := make([]int, 4)
	type pointers struct{ _ [1]*int }
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
		{"elements of type string, which hold pointers", func(r *Rank) { Send(r, 0, 0, []string{""}) }},
		{"elements of type spmd.pointers, which hold pointers", func(r *Rank) { Recv(r, 0, 0, []pointers{}) }},
		{"vector of 2 blocks of 3 elements, 2 apart: blocks must not overlap", func(r *Rank) { SendVector(r, 0, 0, x, Vector{2, 3, 2}) }},
		{"vector of 2 blocks of 2 elements, 3 apart, does not fit 4 elements", func(r *Rank) { SendVector(r, 0, 0, x, Vector{2, 2, 3}) }},
		{"vector of -1 blocks of 2 elements", func(r *Rank) { RecvVector(r, 0, 0, x, Vector{-1, 2, 3}) }},
		{"does not fit 4 elements", func(r *Rank) { IrecvVector(r, 0, 0, x, Vector{1 << 62, 4, 1 << 62}) }},
		{"lock -1: numbers start from 0", func(r *Rank) { r.Lock(-1) }},
		{"flag -5: numbers start from 0", func(r *Rank) { r.Signal(-5) }},
		{"flag -1: numbers start from 0", func(r *Rank) { r.WaitFlag(-1, 1) }},
		{"waiting for -1 signals", func(r *Rank) { r.WaitFlag(0, -1) }},
	} {
		t.Run(c.want, func(t *testing.T) {
			for _, b := range backends {
				err := b.run(context.Background(), 2, func(r *Rank) error {
					if r.ID() == 1 {
						c.do(r)
					}
					r.Barrier()
					return nil
				})
				if err == nil || !strings.HasPrefix(err.Error(), "rank 1: panic at message_wrong_test.go:") || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: got %v, want %q", b.name, err, c.want)
				}
			}
		})
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
		}, []string{"rank 1: finished without receiving 5 elements from rank 0 with tag 3, 1 element from rank 0 with tag 4"}},
		{"a message left in a communicator", 2, func(r *Rank) { Send(r.World().Dup(), 0, 0, x) }, []string{
			"rank 0: finished without receiving 1 element from rank 0 with tag 0 in group 3, 1 element from rank 1 with tag 0 in group 3"}},
		{"requests left", 2, func(r *Rank) {
			if r.ID() == 1 {
				Isend(r, 1, 0, x)
				Irecv(r, 1, 0, make([]int, 1)).Wait()
				Irecv(r, Any, 2, x)
			}
		}, []string{"rank 1: finished without waiting for an isend of 1 element with tag 0, an irecv for a message from any rank with tag 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, b := range backends {
				err := b.run(context.Background(), c.procs, func(r *Rank) error { c.program(r); return nil })
				for _, want := range c.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s, %s: %v\ndoes not say\n%q", c.name, b.name, err, want)
					}
				}
			}
		})
	}
}
