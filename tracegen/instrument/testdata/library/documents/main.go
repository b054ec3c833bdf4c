// Documents writes and reads JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"spoor/tracegen/spmd"
)

type item struct {
	Name   string            `json:"name"`
	Price  float64           `json:"price"`
	Tags   []string          `json:"tags"`
	Number int               `json:"number"`
	Extra  map[string]string `json:"extra,omitempty"`
}

func main() {
	spmd.Main(func(*spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		var items []item
		for i := range 500 {
			items = append(items, item{Name: fmt.Sprint("item ", i), Price: float64(i) * 1.25, Tags: []string{"a", "b\n"}, Number: i,
				Extra: map[string]string{"color": "red"}})
		}
		text, err := json.Marshal(items)
		if err != nil {
			return err
		}
		var read []item
		if err := json.Unmarshal(text, &read); err != nil {
			return err
		}
		var any []map[string]any
		return json.Unmarshal(text, &any)
	})
}
