package stage

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"text/tabwriter"

	"spoor/traces/store"
)

// Tables for people are aligned as the standard library does it, which keeps all cells in memory.
func TestTablesAreAligned(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var x store.Table
		rows := r.IntN(5)
		for range r.IntN(5) {
			texts, numbers := []string{}, []float64{}
			for range rows {
				texts = append(texts, strings.Repeat([]string{"", "a", "ä", "\t", "µs "}[r.IntN(5)], r.IntN(4)))
				numbers = append(numbers, r.Float64()*1e6)
			}
			c := store.Column{Name: strings.Repeat("n", 1+r.IntN(6)), Unit: []string{"", "s"}[r.IntN(2)], Data: texts}
			if r.IntN(2) == 0 {
				c.Data = numbers
			}
			x.Columns = append(x.Columns, c)
		}
		var got, want bytes.Buffer
		out := tabwriter.NewWriter(&want, 0, 0, 2, ' ', 0)
		for row := -1; row < x.Rows(); row++ {
			for i, c := range x.Columns {
				text := head(c)
				if row >= 0 {
					text = escape(cell(c, row, 4))
				}
				fmt.Fprint(out, []string{"\t", ""}[min(1, max(0, 1-i))], text)
			}
			fmt.Fprintln(out)
		}
		out.Flush()
		if err := printTable(&got, &x); err != nil || got.String() != want.String() {
			t.Fatalf("seed %d: %v\n%q, want\n%q", seed, err, &got, &want)
		}
	}
}
