// Printing makes texts with fmt and encoding/json, on ranks that share nothing.
package main

import (
	"encoding/json"
	"fmt"

	"spoor/tracegen/spmd"
)

// pages are compared by a function of the compiler.
type pages [64]struct {
	name string
	size float64
}

//go:noinline
func same(a, b *pages) bool { return *a == *b }

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		bytes := 0
		if same(new(pages), new(pages)) {
			bytes++
		}
		for i := range 5000 {
			text, err := json.Marshal(map[string]int{fmt.Sprintf("%d-%d", r.ID(), i): i})
			if err != nil {
				return err
			}
			bytes += len(text)
		}
		r.Barrier()
		return nil
	})
}
