package main

import (
	"iter"
	"maps"
	"slices"
)

func upTo(a []int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range a {
			if !yield(a[i]) {
				at("stopped", 0)
				return
			}
		}
		at("exhausted", 0)
	}
}

func pairs(a []int) iter.Seq2[int, *int] {
	return func(yield func(int, *int) bool) {
		for i := range a {
			if !yield(i, &a[i]) {
				return
			}
		}
	}
}

func iterators() {
	a := []int{4, 3, 2, 1}
	s := 0
	for v := range upTo(a) {
		s += v * a[0]
	}
	for i, p := range pairs(a) {
		*p += i
		if i == 2 {
			break
		}
		if i == 1 {
			continue
		}
		s += *p
	}
	show("range func", s, a)
	show(found(find(a, 4)))
	show(found(find(a, 77)))
outer:
	for v := range upTo(a) {
		for w := range upTo(a) {
			if w == v {
				continue outer
			}
			if w+v > 100 {
				break outer
			}
			s += w
			for range upTo(a[:2]) {
				s++
				if s%17 == 0 {
					break outer
				}
			}
		}
	}
	show("nested", s)
	for range upTo(a) {
		s++
	}
	var k int
	for k = range upTo(a) {
		s += k
	}
	for a[0] = range upTo(a) {
		s += a[0]
	}
	var st struct{ i int }
	for st.i, _ = range pairs(a) {
		s += st.i
	}
	show("assigned", s, k, a, st)
	next, stop := iter.Pull(upTo(a))
	v, ok := next()
	w, _ := next()
	stop()
	show("pulled", v, w, ok, slices.Sorted(maps.Keys(map[int]bool{3: true, 1: true})), slices.Collect(upTo(a)))
	try("panic in body", func() {
		for v := range upTo(a) {
			a[v+100] = 1
		}
	})
	show("deferred", deferring(a))
	func() {
		for v := range upTo(a) {
			if v > 1 {
				return
			}
			s++
		}
	}()
	for v := range upTo(a) {
		if v == 4 {
			goto out
		}
		s += v
	}
out:
	show("left", s)
}

func found(i int, ok bool) (string, any, any) { return "found", i, ok }

func find(a []int, v int) (at int, found bool) {
	for i, p := range pairs(a) {
		if *p == v {
			return i, true
		}
		for range upTo(a[:1]) {
			if v == 77 && i == 3 {
				return -7, false
			}
		}
	}
	return -1, false
}

func deferring(a []int) (s int) {
	defer func() { s += a[0] }()
	for v := range upTo(a) {
		defer func() { s = s*10 + v%10 }()
		s += v
	}
	return s
}
