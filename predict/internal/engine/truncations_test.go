package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
)

// Who receives with too little room is found by every protocol, by any number of workers, and whether somebody observes or not. By hand it is
// known where ranks send to each other in turns: message i has i % 7 bytes, and its receive room for i % 5.
func TestShortReceives(t *testing.T) {
	want := outcome.Truncations{Group: program.None}
	all := make([][]program.Op, 6)
	for i := range 300 {
		from, to := int32(i%6), int32((i+1+i/6%5)%6)
		s, r := send(to, int64(i%7)), recv(from)
		s.Tag, r.Tag, r.Bytes = int32(i), int32(i), int64(i%5)
		all[from], all[to] = append(all[from], s), append(all[to], r)
		if i%5 == 0 || i%5 >= i%7 {
			continue
		}
		if want.Receives++; want.Receives == 1 || to < want.Rank {
			want = outcome.Truncations{Receives: want.Receives, Rank: to, From: from, Tag: int32(i), Group: program.None, Room: int64(i % 5), Bytes: int64(i % 7)}
		}
	}
	for _, p := range []outcome.Protocol{outcome.Sequential, outcome.Quantum, outcome.Whoa} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			for _, workers := range []int{1, 2, 5} {
				for _, obs := range []observe.Observer{nil, observe.NopObserver{}} {
					res, err := Run(context.Background(), programs(all, 0), Options{Model: loggp(), Protocol: p, Workers: workers, Observer: obs})
					if err != nil {
						t.Fatal(err)
					}
					if res.Truncations.Number = 0; res.Truncations != want {
						t.Errorf("%s, %d workers, observer %v: got %+v, want %+v", p, workers, obs, res.Truncations, want)
					}
				}
			}
		})
	}
}

func TestShortReceivesAgree(t *testing.T) {
	found := uint64(0)
	for seed := range uint64(40) {
		ops, _, opt := random(seed, 2+int(seed%9), 60, false, false)
		rng := rand.New(rand.NewPCG(seed, 5))
		for _, rank := range ops {
			for i := range rank {
				if k := rank[i].Kind; k == program.Recv || k == program.Irecv {
					rank[i].Bytes = rng.Int64N(40)
				}
			}
		}
		if !agree(t, ops, nil, opt) {
			continue
		}
		res, err := Run(context.Background(), programs(ops, 0), opt)
		if err != nil {
			t.Fatal(err)
		}
		found += res.Truncations.Receives
	}
	if found < 100 {
		t.Errorf("%d receives with too little room", found)
	}
}
