package program

import (
	"fmt"
	"math"
	"slices"
)

// Dependents are the operations of a Graph that need each operation.
type Dependents struct {
	rows  []int32 // that need operation i: from start[i] to start[i+1]
	start []int32
}

// Of returns the operations that need an operation.
func (d *Dependents) Of(row int64) []int32 { return d.rows[d.start[row]:d.start[row+1]] }

// Link computes the dependents from the needs of n operations. It tells how many others each operation needs.
func (d *Dependents) Link(of *Graph, n int, needs func(op, needs int)) error {
	if len(of.Starts) != n+1 || len(of.Rows) > math.MaxInt32 {
		return fmt.Errorf("the graph has %d operations but dependencies for %d, in all %d", n, len(of.Starts)-1, len(of.Rows))
	}
	d.start, d.rows = make([]int32, n+1), make([]int32, len(of.Rows))
	for i := range n {
		needs(i, int(of.Starts[i+1]-of.Starts[i]))
		for _, need := range of.Rows[of.Starts[i]:of.Starts[i+1]] {
			if need < 0 || int(need) >= n {
				return fmt.Errorf("operation %d depends on operation %d, but there are only %d operations", i, need, n)
			}
			d.start[need+1]++
		}
	}
	for i := range n {
		d.start[i+1] += d.start[i]
	}
	at := slices.Clone(d.start)
	for i := range n {
		for _, need := range of.Rows[of.Starts[i]:of.Starts[i+1]] {
			d.rows[at[need]] = int32(i)
			at[need]++
		}
	}
	return nil
}
