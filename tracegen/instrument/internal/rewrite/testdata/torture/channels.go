package main

import (
	"sync"
	"time"
)

func channels() {
	a := []int{1, 2, 3, 4}
	ch := make(chan int, 4)
	chans := []chan int{ch, make(chan int, 1)}
	ch <- a[2]
	chans[0] <- a[1] + at("v", 1)
	a[0] = <-ch
	a[1] = <-chans[at("c", 0)] + a[2]
	select {
	case ch <- a[3]:
	default:
		at("full", 0)
	}
	select {
	case a[2] = <-ch:
	default:
	}
	select {
	case v := <-chans[1]:
		at("empty", v)
	case chans[at("send", 1)] <- at("value", a[0]):
		at("sent", 0)
	}
	var ok bool
	select {
	case a[3], ok = <-chans[1]:
		if ok {
			break
		}
		at("never", 0)
	case <-time.After(time.Second):
	}
	show("select", a, ok)
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for i := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			total += a[i] * i
		}()
	}
	wg.Wait()
	for i := 0; i < 3; i++ {
		wg.Go(func() {
			mu.Lock()
			total += a[i]
			mu.Unlock()
		})
	}
	wg.Wait()
	results := make(chan [2]int, 3)
	for _, v := range a[:3] {
		go worker(v, a[v%2], results)
	}
	sums := [2]int{}
	for range 3 {
		r := <-results
		sums[0] += r[0]
		sums[1] += r[1]
	}
	show("goroutines", total, sums)
	stop := make(chan struct{})
	out := make(chan int)
	go func() {
		defer close(out)
		for i := 0; ; i++ {
			select {
			case out <- i * a[0]:
			case <-stop:
				return
			}
		}
	}()
	got := 0
loop:
	for {
		select {
		case v, more := <-out:
			if !more {
				break loop
			}
			got += v
			if v > 9 {
				close(stop)
				for range out {
				}
				break loop
			}
		}
	}
	show("pipeline", got > 0)
	var cond = sync.NewCond(&mu)
	ready := false
	go func() { mu.Lock(); ready = true; mu.Unlock(); cond.Signal() }()
	mu.Lock()
	for !ready {
		cond.Wait()
	}
	mu.Unlock()
	var once sync.Once
	for range 2 {
		once.Do(func() { a[0]++ })
	}
	show("sync", ready, a[0])
}

func worker(v, w int, results chan<- [2]int) {
	var r [2]int
	r[0], r[1] = v, w
	results <- r
}
