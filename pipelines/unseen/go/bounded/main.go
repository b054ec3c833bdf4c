// Command bounded has producers, which make jobs, and consumers, which do them. They share one channel with few places.
//
//	bounded GOROUTINES JOBS WORK
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

type job struct{ data []int32 }

func produce(jobs chan<- job, n, work int) {
	for k := range n {
		data := make([]int32, work)
		for i := range data {
			data[i] = int32(i*k) % 1009
		}
		jobs <- job{data}
	}
}

func consume(jobs <-chan job) (sum int64) {
	for j := range jobs {
		for pass := range int32(4) {
			for i, v := range j.data {
				j.data[i] = v*3 + pass
				sum += int64(v & 1)
			}
		}
	}
	return sum
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "bounded: give GOROUTINES JOBS WORK")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	all, _ := strconv.Atoi(os.Args[2])
	work, _ := strconv.Atoi(os.Args[3])
	jobs := make(chan job, 4)
	sums := make(chan int64, n)
	var producers sync.WaitGroup
	for range n / 2 {
		producers.Go(func() { produce(jobs, all/(n/2), work) })
	}
	for range n - n/2 {
		go func() { sums <- consume(jobs) }()
	}
	producers.Wait()
	close(jobs)
	var sum int64
	for range n - n/2 {
		sum += <-sums
	}
	fmt.Println(sum)
}
