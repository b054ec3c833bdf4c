// Command sieve finds primes by a chain of goroutines: each strikes out the multiples of some primes from blocks of numbers.
//
//	sieve GOROUTINES LIMIT BLOCK
package main

import (
	"fmt"
	"os"
	"strconv"
)

type block struct {
	first  int
	struck []bool
}

func small(limit int) (primes []int) {
	for n := 2; n*n <= limit; n++ {
		prime := true
		for _, p := range primes {
			prime = prime && n%p != 0
		}
		if prime {
			primes = append(primes, n)
		}
	}
	return primes
}

func strike(in <-chan block, out chan<- block, primes []int) {
	for b := range in {
		for _, p := range primes {
			for n := max(p*p, (b.first+p-1)/p*p); n < b.first+len(b.struck); n += p {
				b.struck[n-b.first] = true
			}
		}
		out <- b
	}
	close(out)
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "sieve: give GOROUTINES LIMIT BLOCK")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	limit, _ := strconv.Atoi(os.Args[2])
	size, _ := strconv.Atoi(os.Args[3])
	primes := small(limit)
	first := make(chan block, 2)
	in := first
	for i := range n {
		out := make(chan block, 2)
		// Small primes strike most, so that the first goroutines get fewer.
		go strike(in, out, primes[len(primes)*i*i/n/n:len(primes)*(i+1)*(i+1)/n/n])
		in = out
	}
	go func() {
		for f := 0; f < limit; f += size {
			first <- block{f, make([]bool, size)}
		}
		close(first)
	}()
	count := -2 // neither 0 nor 1
	for b := range in {
		for _, s := range b.struck {
			if !s {
				count++
			}
		}
	}
	fmt.Println(count)
}
