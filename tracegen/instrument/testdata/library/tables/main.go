// Tables counts words and numbers in maps.
package main

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		g := rand.New(rand.NewPCG(1, 2))
		numbers, words := map[uint64]int{}, map[string]int{}
		for range 1 << 16 {
			n := g.Uint64() >> 52
			numbers[n]++
			if n%16 == 0 {
				words[strconv.FormatUint(n, 16)]++
			}
		}
		keys := spmd.Private(r, "keys", slices.Sorted(maps.Keys(numbers)))
		sum := 0
		for _, k := range keys {
			sum += numbers[k]
		}
		delete(words, strconv.Itoa(sum))
		return nil
	})
}
