// Command lru serves requests from a cache of least recent use, with one lock for its map and its list. Misses compute a value outside
// of the lock.
//
//	lru GOROUTINES REQUESTS PLACES
package main

import (
	"container/list"
	"fmt"
	"os"
	"strconv"
	"sync"
)

type entry struct{ key, value uint32 }

type cache struct {
	sync.Mutex
	places int
	at     map[uint32]*list.Element
	order  list.List
}

func (c *cache) get(key uint32) (uint32, bool) {
	c.Lock()
	defer c.Unlock()
	e := c.at[key]
	if e == nil {
		return 0, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry).value, true
}

func (c *cache) put(key, value uint32) {
	c.Lock()
	defer c.Unlock()
	if c.at[key] != nil {
		return
	}
	c.at[key] = c.order.PushFront(entry{key, value})
	if c.order.Len() > c.places {
		last := c.order.Remove(c.order.Back()).(entry)
		delete(c.at, last.key)
	}
}

func compute(key uint32) uint32 {
	var table [64]uint32
	for i := range 256 {
		key = key*1664525 + 1013904223
		table[i%64] ^= key
	}
	return table[key%64]
}

func (c *cache) serve(s uint32, requests int) (misses int) {
	for range requests {
		s = s*1664525 + 1013904223
		key := (s >> 8) % 1024
		key = key * key / 1024
		if _, there := c.get(key); !there {
			misses++
			c.put(key, compute(key))
		}
	}
	return misses
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "lru: give GOROUTINES REQUESTS PLACES")
		os.Exit(2)
	}
	n, _ := strconv.Atoi(os.Args[1])
	requests, _ := strconv.Atoi(os.Args[2])
	places, _ := strconv.Atoi(os.Args[3])
	c := &cache{places: places, at: map[uint32]*list.Element{}}
	misses := make(chan int, n)
	for i := range n {
		go func() { misses <- c.serve(uint32(i), requests/n) }()
	}
	sum := 0
	for range n {
		sum += <-misses
	}
	fmt.Println(sum > 0, c.order.Len())
}
