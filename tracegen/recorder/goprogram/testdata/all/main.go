// Command all uses each way in which goroutines wait for each other. Its argument selects one. It imports little, so that it
// is built soon.
package main

import (
	"iter"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	workers = 4
	steps   = 8
)

var ways = map[string]func() int{
	"unbuffered": unbuffered, "buffered": buffered, "select": selects, "close": closes, "mutex": mutex, "handed": handed,
	"rwmutex": rwmutex, "once": once, "cond": cond, "timer": timer, "iter": pull, "panic": panics, "inside": inside, "many": many,
	"pool": pool, "gc": collected, "spin": spin,
}

func main() {
	println(ways[os.Args[1]]())
}

// all runs a function in some goroutines, and waits for them.
func all(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(i)
		}()
	}
	wg.Wait()
}

func unbuffered() (sum int) {
	c, back := make(chan int), make(chan int)
	go func() {
		for i := range c {
			back <- i * i
		}
		close(back)
	}()
	for i := range steps {
		c <- i
		sum += <-back
	}
	close(c)
	<-back
	return sum
}

func buffered() (sum int) {
	c, results := make(chan int, 2), make(chan int, workers)
	for range workers {
		go func() {
			n := 0
			for i := range c {
				n += i
			}
			results <- n
		}()
	}
	for i := range workers * steps {
		c <- i
	}
	close(c)
	for range workers {
		sum += <-results
	}
	return sum
}

func selects() (sum int) {
	a, b, quit := make(chan int), make(chan int, 1), make(chan bool)
	go func() {
		for i := range steps {
			select {
			case a <- i:
			case b <- 10 * i:
			}
		}
		close(quit)
	}()
	for {
		select {
		case i := <-a:
			sum += i
		case i := <-b:
			sum += i / 10
		case <-quit:
			select {
			case i := <-b:
				sum += i / 10
			default:
			}
			return sum
		}
	}
}

func closes() int {
	start := make(chan bool)
	var n atomic.Int64
	time.AfterFunc(time.Millisecond, func() { close(start) })
	all(workers, func(int) {
		<-start
		n.Add(1)
	})
	<-start
	return int(n.Load())
}

func mutex() (sum int) {
	var mu sync.Mutex
	all(workers, func(i int) {
		for range steps {
			mu.Lock()
			sum += i
			mu.Unlock()
		}
		for !mu.TryLock() {
			runtime.Gosched()
		}
		mu.Unlock()
	})
	return sum
}

// handed has a mutex that one goroutine takes and another releases.
func handed() (sum int) {
	var mu sync.Mutex
	locked := make(chan bool)
	go func() {
		for range steps {
			mu.Lock()
			locked <- true
		}
		close(locked)
	}()
	for range locked {
		sum++
		mu.Unlock()
	}
	return sum
}

// inside has a goroutine that waits for another while it holds a mutex, which the other one needs before.
func inside() (sum int) {
	var mu sync.Mutex
	c := make(chan int, 1)
	all(2, func(i int) {
		for j := range steps {
			if i == 0 {
				if j == 0 {
					mu.Lock()
					sum++
					mu.Unlock()
				}
				c <- j
				continue
			}
			if j == 0 {
				time.Sleep(20 * time.Millisecond)
			}
			mu.Lock()
			sum += <-c
			mu.Unlock()
		}
	})
	return sum
}

func rwmutex() (sum int) {
	var mu sync.RWMutex
	all(workers, func(i int) {
		for range steps {
			if i == 0 {
				mu.Lock()
				sum++
				mu.Unlock()
				continue
			}
			mu.RLock()
			_ = sum
			mu.RUnlock()
			if mu.TryRLock() {
				mu.RUnlock()
			}
		}
	})
	return sum
}

func once() (sum int) {
	var o sync.Once
	value := sync.OnceValue(func() int { return 7 })
	var n atomic.Int64
	all(workers, func(int) {
		for range steps {
			o.Do(func() { sum++ })
			n.Add(int64(value()))
		}
	})
	return sum + int(n.Load())
}

func cond() (sum int) {
	var mu sync.Mutex
	items := 0
	c := sync.NewCond(&mu)
	all(2, func(i int) {
		for range steps {
			mu.Lock()
			if i == 0 {
				items++
				c.Signal()
			} else {
				for items == 0 {
					c.Wait()
				}
				items--
				sum++
			}
			mu.Unlock()
		}
	})
	mu.Lock()
	c.Broadcast()
	mu.Unlock()
	return sum
}

func timer() (sum int) {
	tick := time.NewTicker(time.Millisecond)
	for range 3 {
		<-tick.C
		sum++
	}
	tick.Stop()
	time.Sleep(time.Millisecond)
	select {
	case <-time.After(time.Hour):
	case <-time.After(time.Millisecond):
		sum++
	}
	return sum
}

func pull() (sum int) {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := range steps {
			if !yield(i) {
				return
			}
		}
	})
	defer stop()
	for i, ok := next(); ok; i, ok = next() {
		sum += i
	}
	return sum
}

// panics recovers from panics inside of calls that wait.
func panics() (sum int) {
	try := func(f func()) {
		defer func() {
			if recover() != nil {
				sum++
			}
		}()
		f()
	}
	c := make(chan int)
	close(c)
	var wg sync.WaitGroup
	try(func() { c <- 1 })
	try(func() { close(c) })
	try(func() { wg.Done() })
	try(func() {
		select {
		case c <- 1:
		case <-make(chan int):
		}
	})
	work := 0
	for i := range 1000 {
		work += i
	}
	return sum + work
}

// many has a goroutine for each element, of which each waits for the one before.
func many() int {
	const n = 2000
	first := make(chan int)
	c := first
	for range n {
		next := make(chan int)
		go func(from, to chan int) { to <- 1 + <-from }(c, next)
		c = next
	}
	first <- 0
	return <-c
}

func pool() (sum int) {
	p := sync.Pool{New: func() any { return new(int) }}
	var n atomic.Int64
	all(workers, func(int) {
		for range steps {
			x := p.Get().(*int)
			n.Add(1)
			p.Put(x)
		}
	})
	return int(n.Load())
}

// collected makes garbage, so that the collector runs.
func collected() (sum int) {
	var keep [workers][]byte
	all(workers, func(i int) {
		for range 200 {
			keep[i] = make([]byte, 64<<10)
		}
	})
	return len(keep[0])
}

// spin waits for another goroutine without a call.
func spin() int {
	var ready atomic.Bool
	go func() { ready.Store(true) }()
	for !ready.Load() {
	}
	return 1
}
