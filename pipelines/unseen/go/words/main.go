// Command words counts the words of a text: goroutines count parts of it in maps of their own, and send the maps to main.
//
//	words GOROUTINES WORDS DISTINCT
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

func text(words, distinct int) string {
	var b strings.Builder
	s := uint32(9)
	for range words {
		s = s*1664525 + 1013904223
		fmt.Fprintf(&b, "w%x ", int(s>>8)%distinct*2654435761%65536)
	}
	return b.String()
}

func count(part string) map[string]int {
	counts := map[string]int{}
	for word := range strings.FieldsSeq(part) {
		counts[word]++
	}
	return counts
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "words: give GOROUTINES WORDS DISTINCT")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	words, _ := strconv.Atoi(os.Args[2])
	distinct, _ := strconv.Atoi(os.Args[3])
	all := text(words, distinct)
	results := make(chan map[string]int, n)
	for i := n; i > 0; i-- {
		end := len(all) / i
		if i > 1 {
			end += strings.IndexByte(all[end:], ' ')
		}
		part := all[:end]
		all = all[end:]
		go func() { results <- count(part) }()
	}
	total := map[string]int{}
	for range n {
		for word, c := range <-results {
			total[word] += c
		}
	}
	fmt.Println(len(total), total["w0"])
}
