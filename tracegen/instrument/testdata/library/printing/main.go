// Printing makes texts with fmt and encoding/json, on ranks that share nothing.
package main

import (
	"encoding/json"
	"fmt"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		bytes := 0
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
