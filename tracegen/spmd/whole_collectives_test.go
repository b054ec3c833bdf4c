package spmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// rows lists the events of a rank but the computes.
func (k *keep) rows(rank int) (out []string) {
	for _, e := range k.EventsOf[rank].Rows {
		if e.Kind != trace.Compute {
			out = append(out, fmt.Sprintf("%s peer %d group %d: %d bytes, %d x %d every %d", e.Kind, e.Peer, e.Group, e.Bytes, e.Count, e.Block, e.Stride))
		}
	}
	return out
}

func TestWholeCollectivesAreOneEventEach(t *testing.T) {
	const procs, n = 6, 3
	world, odd := worldContext, groupOf(5, 0, procs)
	k := newKeep(procs)
	out := make([]int32, n*procs)
	_, err := Record(context.Background(), Options{Procs: procs, WholeCollectives: true}, func(r *Rank) error {
		// The members of each half in descending order: rank 4 or 5 leads.
		c := r.World().Split(r.ID()%2, -r.ID())
		x, add := make([]int32, n), func(a, b int32) int32 { return a + b }
		all, some := make([]int32, n*procs), make([]int32, n*3)
		Bcast(c, 2, x) // rank 0 or 1
		Reduce(r, 4, x, add)
		AllReduce(r, x, add)
		Scan(c, x, add)
		Gather(r, 3, x, all)
		AllGather(c, x, some)
		Scatter(r, 2, all, x)
		AllToAll(r, all, out)
		AllToAllV(c, x, []int{1, 1, 1}, some, []int{1, 1, 1})
		Sync(c)
		r.Barrier()
		Send(c, (c.ID()+1)%3, 5, x)
		Recv(c, (c.ID()+2)%3, 5, some)
		return nil
	}, k)
	if err != nil {
		t.Fatal(err)
	}
	want := func(root2 int, g int32) []string {
		block := "12 bytes, 1 x 12 every 12"
		return []string{
			fmt.Sprintf("allgather peer -1 group %d: 16 bytes, 1 x 16 every 16", world),
			fmt.Sprintf("bcast peer %d group %d: %s", root2, g, block),
			fmt.Sprintf("reduce peer 4 group %d: %s", world, block),
			fmt.Sprintf("allreduce peer -1 group %d: %s", world, block),
			fmt.Sprintf("scan peer -1 group %d: %s", g, block),
			fmt.Sprintf("gather peer 3 group %d: %s", world, block),
			fmt.Sprintf("allgather peer -1 group %d: %s", g, block),
			fmt.Sprintf("scatter peer 2 group %d: %s", world, block),
			fmt.Sprintf("alltoall peer -1 group %d: 72 bytes, 1 x 72 every 72", world),
			fmt.Sprintf("alltoall peer -1 group %d: %s", g, block),
			fmt.Sprintf("barrier peer -1 group %d: 0 bytes, 1 x 0 every 0", g),
		}
	}
	for rank := range procs {
		g, root := groupOf(4, 0, procs), 0
		if rank%2 == 1 {
			g, root = odd, 1
		}
		got, want := k.rows(rank), want(root, g)
		if !slices.Equal(got[:min(len(want), len(got))], want) {
			t.Errorf("rank %d:\n%s\nwant\n%s", rank, strings.Join(got, "\n"), strings.Join(want, "\n"))
			continue
		}
		var messages []string // after the collectives, messages are recorded again
		for _, row := range got[len(want):] {
			kind, _, _ := strings.Cut(row, " ")
			messages = append(messages, kind)
		}
		if !slices.Equal(messages, []string{"barrier", "send", "recv"}) {
			t.Errorf("rank %d: then %v", rank, messages)
		}
	}
	checkTrace(t, k)
}

// TestWholeOrNotResultsAreTheSame: nothing but the events depends on how collectives
// are recorded: neither results nor clocks.
func TestWholeOrNotResultsAreTheSame(t *testing.T) {
	const procs = 7
	var first [procs]string
	for _, whole := range []bool{false, true} {
		var got [procs]string
		_, err := Record(context.Background(), Options{Procs: procs, WholeCollectives: whole}, func(r *Rank) error {
			for i, a := range Algorithms {
				work(r, uint32(17*r.ID()))
				if err := checkCollective(r, a, i%procs, 5, 1); err != nil {
					return err
				}
				got[r.ID()] += fmt.Sprint(r.Clock(), " ")
			}
			return nil
		}, newKeep(procs))
		if err != nil {
			t.Fatal(err)
		}
		if !whole {
			first = got
		} else if first != got {
			t.Errorf("clocks %v, whole %v", first, got)
		}
	}
}
