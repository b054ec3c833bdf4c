// Sorting sorts numbers, records and strings in four ways.
package main

import (
	"cmp"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strconv"

	"spoor/tracegen/spmd"
)

type record struct {
	name string
	key  int
}

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		g := rand.New(rand.NewPCG(1, 2))
		numbers := spmd.Private(r, "numbers", make([]int, 1<<14))
		records := spmd.Private(r, "records", make([]record, 1<<12))
		names := spmd.Private(r, "names", make([]string, 1<<12))
		for i := range numbers {
			numbers[i] = g.Int()
		}
		for i := range records {
			names[i] = strconv.Itoa(numbers[i])
			records[i] = record{names[i], numbers[i] % 100}
		}
		slices.Sort(numbers)
		sort.Strings(names)
		sort.Slice(records, func(i, j int) bool { return records[i].name < records[j].name })
		slices.SortStableFunc(records, func(a, b record) int { return cmp.Compare(a.key, b.key) })
		return nil
	})
}
