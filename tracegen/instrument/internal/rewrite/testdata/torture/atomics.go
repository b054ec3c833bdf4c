package main

import "sync/atomic"

type stats struct {
	hits atomic.Int64
	bits atomic.Uint32
	on   atomic.Bool
	who  atomic.Pointer[point]
	any  atomic.Value
	old  int64
}

func atomics() {
	var n int64
	a := make([]int32, 3)
	s := &stats{}
	atomic.AddInt64(&n, 5)
	atomic.StoreInt32(&a[at("i", 1)], int32(atomic.LoadInt64(&n)))
	atomic.CompareAndSwapInt32(&a[1], 5, a[0]+7)
	old := atomic.SwapInt32(&a[2], a[1])
	s.hits.Add(n)
	s.hits.Store(s.hits.Load() + int64(a[1]))
	s.bits.Or(6)
	s.bits.And(uint32(a[2]) | 2)
	s.on.Store(s.hits.CompareAndSwap(12, 13))
	s.who.Store(&point{1, 2})
	s.who.Load().x++
	s.any.Store(a[1])
	atomic.AddInt64(&s.old, s.hits.Load())
	list := []*stats{s}
	list[0].hits.Add(int64(list[0].who.Load().x))
	if !s.on.Load() || atomic.LoadInt64(&s.old) > 1000 {
		s.old++
	}
	show("atomic", n, a, old, s.hits.Load(), s.bits.Load(), s.on.Load(), *s.who.Load(), s.any.Load(), s.old)
}
