// Command mergesort sorts keys by a tree of goroutines: each sorts a half, and waits for the goroutine with the other.
//
//	mergesort GOROUTINES KEYS
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
)

func merge(out, a, b []int32) {
	for i := range out {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			out[i], a = a[0], a[1:]
		} else {
			out[i], b = b[0], b[1:]
		}
	}
}

func sort(keys, room []int32, goroutines int) {
	if len(keys) < 16 {
		for i := range keys {
			for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
				keys[j], keys[j-1] = keys[j-1], keys[j]
			}
		}
		return
	}
	half := len(keys) / 2
	var other sync.WaitGroup
	if goroutines > 1 {
		other.Go(func() { sort(keys[half:], room[half:], goroutines/2) })
	} else {
		sort(keys[half:], room[half:], 1)
	}
	sort(keys[:half], room[:half], max(1, goroutines/2))
	other.Wait()
	merge(room, keys[:half], keys[half:])
	copy(keys, room)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "mergesort: give GOROUTINES KEYS")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	number, _ := strconv.Atoi(os.Args[2])
	keys := make([]int32, number)
	s := uint32(1)
	for i := range keys {
		s = s*1664525 + 1013904223
		keys[i] = int32(s >> 4)
	}
	sort(keys, make([]int32, number), n)
	fmt.Println(slices.IsSorted(keys), keys[number/2])
}
