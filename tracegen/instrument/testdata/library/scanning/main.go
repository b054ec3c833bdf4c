// Scanning reads numbers and words from text.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		text := strings.Repeat("alpha 17 beta 3.25e2 gamma -99 Übung 0x1f delta\n", 1000)
		lines := bufio.NewScanner(strings.NewReader(text))
		sum, letters := 0.0, 0
		for lines.Scan() {
			words := bufio.NewScanner(strings.NewReader(lines.Text()))
			words.Split(bufio.ScanWords)
			for words.Scan() {
				if x, err := strconv.ParseFloat(words.Text(), 64); err == nil {
					sum += x
				} else if n, err := strconv.ParseInt(words.Text(), 0, 64); err == nil {
					sum += float64(n)
				}
				for _, c := range words.Text() {
					if unicode.IsLetter(c) {
						letters++
					}
				}
			}
		}
		var a, b int
		if _, err := fmt.Sscanf("12 34", "%d %d", &a, &b); err != nil {
			return err
		}
		return lines.Err()
	})
}
