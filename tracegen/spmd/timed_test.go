package spmd

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// A run takes as long as its slowest rank, and its clock and time begin when the ranks do.
func TestTimed(t *testing.T) {
	for _, procs := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			const least = 2 * time.Millisecond
			var clock time.Duration
			took, err := Timed(context.Background(), procs, func(r *Rank) error {
				for i := range 100 { // copies are used again, with other lengths
					Send(r, (r.ID()+1)%r.Procs(), 0, make([]int64, i%7))
					in := make([]int64, 6)
					if s := Recv(r, (r.ID()+r.Procs()-1)%r.Procs(), 0, in); s.Count != i%7 {
						t.Errorf("message %d has %d elements", i, s.Count)
					}
				}
				if r.ID() == procs-1 {
					time.Sleep(least)
					clock = r.Clock()
				}
				return nil
			})
			if err != nil || took < clock || clock < least {
				t.Errorf("%d ranks: %v, clock %v, error %v", procs, took, clock, err)
			}
			rotten := errors.New("rotten")
			if _, err := Timed(context.Background(), procs, func(r *Rank) error { return rotten }); !errors.Is(err, rotten) {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := Timed(context.Background(), 0, nil); err == nil {
		t.Error("no error for no ranks")
	}
}

// Copies that are used again hold what was sent last, whatever was in them before.
func TestCopiesAreUsedAgain(t *testing.T) {
	err := Native(context.Background(), 1, func(r *Rank) error {
		for i := range 300 {
			out := make([]int32, i%40+1)
			for j := range out {
				out[j] = int32(i*100 + j)
			}
			v := Vector{Count: (len(out) + 1) / 2, Block: 1, Stride: 2}
			Send(r, 0, 0, out)
			SendVector(r, 0, 1, out, v)
			in := make([]int32, 40)
			Recv(r, 0, 1, in)
			for j := range v.Count {
				if in[j] != out[2*j] {
					t.Fatalf("message %d: element %d is %d, want %d", i, j, in[j], out[2*j])
				}
			}
			Recv(r, 0, 0, in)
			for j := range out {
				if in[j] != out[j] {
					t.Fatalf("message %d: element %d is %d, want %d", i, j, in[j], out[j])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
