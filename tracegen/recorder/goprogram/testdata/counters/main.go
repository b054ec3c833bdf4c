// Command counters counts in two goroutines. The counters lie in one cache line, or with the argument "padded" in two.
package main

import (
	"fmt"
	"os"
	"sync"
)

type shared struct{ a, b int }

type padded struct {
	a int
	_ [56]byte
	b int
	_ [56]byte
}

var (
	near   shared
	apart  padded
	rounds = 10000
)

func main() {
	a, b := &near.a, &near.b
	if len(os.Args) > 1 && os.Args[1] == "padded" {
		a, b = &apart.a, &apart.b
	}
	var wg sync.WaitGroup
	for _, n := range []*int{a, b} {
		wg.Go(func() {
			for range rounds {
				*n++
			}
		})
	}
	wg.Wait()
	fmt.Println(*a + *b)
}
