// Command search looks for several words in a text. Goroutines take its parts by an atomic counter, and add to one shared table.
//
//	search GOROUTINES BYTES PART
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

var words = []string{"abba", "acac", "bcd", "dead", "cab", "face", "bead", "add"}

func at(text []byte, word string) bool {
	for i := range len(word) {
		if text[i] != word[i] {
			return false
		}
	}
	return true
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "search: give GOROUTINES BYTES PART")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	size, _ := strconv.Atoi(os.Args[2])
	part, _ := strconv.Atoi(os.Args[3])
	text := make([]byte, size+8)
	s := uint32(13)
	for i := range size {
		s = s*1664525 + 1013904223
		text[i] = "abcdef"[(s>>16)%6]
	}
	found := make([]atomic.Int32, len(words))
	var next atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for from := int(next.Add(int64(part))) - part; from < size; from = int(next.Add(int64(part))) - part {
				for i := from; i < min(from+part, size); i++ {
					for k, w := range words {
						if at(text[i:], w) {
							found[k].Add(1)
						}
					}
				}
			}
		})
	}
	all.Wait()
	for k, w := range words {
		fmt.Println(w, found[k].Load())
	}
}
