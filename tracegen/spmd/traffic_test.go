package spmd

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"spoor/traces/trace"
)

// sent counts what each rank sends in a group.
func (k *keep) sent(group int32) []Traffic {
	out := make([]Traffic, len(k.EventsOf))
	for p, events := range k.EventsOf {
		for _, e := range events.Rows {
			if (e.Kind == trace.Send || e.Kind == trace.Isend) && e.Group == group {
				out[p].Messages++
				out[p].Bytes += e.Bytes
			}
		}
	}
	return out
}

// checkTrace holds all that was kept to the rules of traces.
func checkTrace(t *testing.T, k *keep) {
	t.Helper()
	for p := range k.EventsOf {
		k.RefsOf[p].Proc, k.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
	}
	if err := trace.Check(&k.Memory); err != nil {
		t.Fatal(err)
	}
}

// TestTrafficIsTheClosedForm: the messages and bytes that every rank is recorded to
// send are those that Algorithms promises.
func TestTrafficIsTheClosedForm(t *testing.T) {
	for _, a := range Algorithms {
		t.Run(fmt.Sprintf("%s/%s", a.Collective, a.Name), func(t *testing.T) {
			t.Parallel()
			for _, procs := range testProcs() {
				rng := rand.New(rand.NewPCG(uint64(procs), 9))
				for _, n := range []int{0, 1, 7, 64, 1 + rng.IntN(200)} {
					root := rng.IntN(procs)
					k, _ := recorded(t, procs, func(r *Rank) error {
						return checkCollective(r.World().With(a.Name), a, root, n, 3)
					})
					for rank, got := range k.sent(worldContext + 1) {
						want := a.Traffic(Call{Procs: procs, ID: rank, Root: root, Count: int64(n), Size: int64(unsafe.Sizeof(affine{}))})
						if got != want {
							t.Fatalf("rank %d of %d, root %d, %d elements: sent %+v, want %+v", rank, procs, root, n, got, want)
						}
					}
					checkTrace(t, k)
				}
			}
		})
	}
}

// TestTrafficOfAllRanks: sums over the ranks, in forms that are known.
func TestTrafficOfAllRanks(t *testing.T) {
	for _, procs := range testProcs() {
		p := int64(procs)
		for _, a := range Algorithms {
			var sum Traffic
			for id := range procs {
				one := a.Traffic(Call{Procs: procs, ID: id, Root: procs / 2, Count: 60, Size: 8})
				sum.Messages += one.Messages
				sum.Bytes += one.Bytes
			}
			var want Traffic
			switch key := fmt.Sprint(a.Collective, " ", a.Name); key {
			case "bcast binomial", "reduce binomial", "gather linear", "scatter linear":
				want = Traffic{p - 1, (p - 1) * 480} // each rank but the root is sent data once, or sends it
			case "gather binomial", "scatter binomial":
				want = Traffic{p - 1, sum.Bytes}
			case "allgather ring", "alltoall pairwise":
				want = Traffic{p * (p - 1), p * (p - 1) * 480}
			case "allgather bruck":
				want = Traffic{p * int64(log2Ceil(procs)), p * (p - 1) * 480}
			case "allreduce ring":
				want = Traffic{2 * p * (p - 1), 2 * (p - 1) * 480} // every piece moves 2(P-1) times
			default:
				continue
			}
			if sum != want {
				t.Errorf("%s %s of %d: %+v, want %+v", a.Name, a.Collective, procs, sum, want)
			}
		}
	}
}
