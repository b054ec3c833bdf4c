package spmd_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"spoor/tracegen/spmd"
)

// Every rank has a part of a vector; all learn its norm.
func ExampleAllReduce() {
	program := func(r *spmd.Rank) error {
		lo, hi := r.Share(8)
		sum := []float64{0}
		for i := lo; i < hi; i++ {
			sum[0] += float64(i * i)
		}
		spmd.AllReduce(r, sum, func(a, b float64) float64 { return a + b })
		if r.ID() == 2 {
			fmt.Println("rank 2 knows the sum of squares:", sum[0])
		}
		return nil
	}
	if err := spmd.Native(context.Background(), 3, program); err != nil {
		fmt.Println(err)
	}
	// Output:
	// rank 2 knows the sum of squares: 140
}

// Six ranks are a mesh of two rows and three columns. Each row finds its total, and
// rank 0 of each column what came together in it.
func ExampleComm_Split() {
	const cols = 3
	totals := make([]string, 6)
	program := func(r *spmd.Rank) error {
		add := func(a, b int) int { return a + b }
		row := r.World().Split(r.ID()/cols, r.ID())
		col := r.World().Split(r.ID()%cols, r.ID())
		x, y := []int{r.ID()}, []int{r.ID()}
		spmd.AllReduce(row, x, add)
		spmd.Reduce(col, 0, y, add)
		totals[r.ID()] = fmt.Sprintf("rank %d is %d of its row (total %d)", r.ID(), row.ID(), x[0])
		if col.ID() == 0 {
			totals[r.ID()] += fmt.Sprintf(" and first of its column (total %d)", y[0])
		}
		return nil
	}
	if err := spmd.Native(context.Background(), 2*cols, program); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Join(totals, "\n"))
	// Output:
	// rank 0 is 0 of its row (total 3) and first of its column (total 3)
	// rank 1 is 1 of its row (total 3) and first of its column (total 5)
	// rank 2 is 2 of its row (total 3) and first of its column (total 7)
	// rank 3 is 0 of its row (total 12)
	// rank 4 is 1 of its row (total 12)
	// rank 5 is 2 of its row (total 12)
}

// What a broadcast of 1000 bytes costs each of six ranks, and another algorithm for it.
func ExampleComm_With() {
	for _, a := range spmd.Algorithms {
		if a.Collective.String() != "bcast" {
			continue
		}
		fmt.Printf("%s:\n", a.Name)
		for id := range 6 {
			t := a.Traffic(spmd.Call{Procs: 6, ID: id, Root: 0, Count: 1000, Size: 1})
			fmt.Printf("  rank %d sends %d messages, %d bytes\n", id, t.Messages, t.Bytes)
		}
	}
	err := spmd.Native(context.Background(), 6, func(r *spmd.Rank) error {
		spmd.Bcast(r, 0, make([]byte, 1000))                              // binomial, because it is short
		spmd.Bcast(r.World().With("scatter-ring"), 0, make([]byte, 1000)) // as asked
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// binomial:
	//   rank 0 sends 3 messages, 3000 bytes
	//   rank 1 sends 0 messages, 0 bytes
	//   rank 2 sends 1 messages, 1000 bytes
	//   rank 3 sends 0 messages, 0 bytes
	//   rank 4 sends 1 messages, 1000 bytes
	//   rank 5 sends 0 messages, 0 bytes
	// scatter-ring:
	//   rank 0 sends 8 messages, 1667 bytes
	//   rank 1 sends 5 messages, 833 bytes
	//   rank 2 sends 6 messages, 1000 bytes
	//   rank 3 sends 5 messages, 833 bytes
	//   rank 4 sends 6 messages, 1000 bytes
	//   rank 5 sends 5 messages, 834 bytes
}

// Ranks take intervals, split those that are long, and add up the lengths of the
// others.
func ExampleQueue() {
	type interval struct{ lo, hi int }
	var mu sync.Mutex
	total, pieces := 0, 0
	program := func(r *spmd.Rank) error {
		q := spmd.NewQueue(r, "intervals", 100, interval{0, 100})
		for {
			i, ok := q.Take(r)
			if !ok {
				return nil
			}
			if mid := (i.lo + i.hi) / 2; i.hi-i.lo > 4 {
				q.Put(r, interval{i.lo, mid})
				q.Put(r, interval{mid, i.hi})
				continue
			}
			mu.Lock()
			total += i.hi - i.lo
			pieces++
			mu.Unlock()
		}
	}
	if err := spmd.Native(context.Background(), 4, program); err != nil {
		fmt.Println(err)
	}
	fmt.Println(pieces, "pieces of", total)
	// Output:
	// 32 pieces of 100
}
