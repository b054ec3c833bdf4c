package spmd

import (
	"context"
	"testing"
)

func TestRing(t *testing.T) {
	for _, b := range backends {
		for _, procs := range []int{1, 2, 3, 33} {
			err := b.run(context.Background(), procs, func(r *Rank) error {
				x := []int{r.ID()}
				for range procs {
					s := Sendrecv(r, (r.ID()+1)%procs, 3, x, (r.ID()+procs-1)%procs, 3, x)
					if s.Count != 1 || s.Tag != 3 || s.Source != (r.ID()+procs-1)%procs {
						t.Errorf("status %+v", s)
					}
				}
				if x[0] != r.ID() {
					t.Errorf("%s: rank %d has %d", b.name, r.ID(), x[0])
				}
				if r.ID() == 0 {
					for range procs - 1 {
						Recv(r, Any, Any, x)
					}
				} else {
					Send(r, 0, 5, x)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s, %d ranks: %v", b.name, procs, err)
			}
		}
	}
}
