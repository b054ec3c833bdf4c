// Words splits, joins, replaces and compares text.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(*spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		var b strings.Builder
		for i := range 4000 {
			fmt.Fprintf(&b, "line %d: the quick brown fox, %x; ", i, i*i)
		}
		text := b.String()
		n := 0
		for _, w := range strings.Fields(text) {
			w = strings.TrimFunc(w, unicode.IsPunct)
			if strings.Contains(w, "o") {
				n += strings.Index(w, "o")
			}
		}
		upper := strings.ToUpper(strings.ReplaceAll(text, "quick", "slow"))
		parts := strings.Split(upper, ",")
		joined := []byte(strings.Join(parts, ";"))
		n += bytes.Count(joined, []byte("FOX")) + bytes.IndexByte(joined, '#')
		if !strings.EqualFold(text[:100], upper[:100]) {
			n += strings.LastIndex(upper, "FOX")
		}
		return nil
	})
}
