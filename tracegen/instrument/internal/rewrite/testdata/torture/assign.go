package main

import "fmt"

type point struct{ x, y int }

type node struct {
	v    int
	next *node
	in   point
	arr  [4]int
	m    map[string][]int
	s    []int
	c    complex128
	str  string
	f    func(int) int
	any  any
	_    int
}

type truth bool

var (
	slice  = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	number int
	array  [5]int
	table  = map[string]int{"a": 1}
	global node
	ptr    = &global
)

func assignments() {
	a := []int{0, 1, 4, 9, 16, 25, 36, 49, 64, 81}
	a[at("i", 1)] = at("v", 7)
	a[at("i", 2)] += at("v", 5) + a[at("j", 3)]
	a[3]++
	a[a[1]]--
	a[5] <<= uint(a[0]) + 1
	a[6] &^= 3
	a[7] %= a[3]
	a[8], a[9] = a[9]/a[3], a[8]/2
	show("slices", a)

	var local [6]int
	k := 2
	local[k] = a[1]
	local[k+1] += local[k]
	local[a[0]]++
	pl := &local
	pl[5] = 55
	for i := range pl {
		pl[i] += i
	}
	show("arrays", local, *pl)

	number = a[2]
	number *= 3
	number++
	array[number%5] = number
	array[a[0]] -= array[number%5]
	slice[3], number = number, slice[4]
	show("package", number, array, slice)

	global.in.x, ptr.in.y = 5, 6
	ptr.next = &node{v: 3, in: point{1, 2}}
	ptr.next.arr[ptr.next.v]++
	ptr.next.next = ptr
	ptr.next.next.v += 10
	ptr.c += complex(1, float64(ptr.v))
	ptr.next.s = append(ptr.next.s, ptr.v, ptr.in.x)
	ptr.next.s[0] *= 2
	copyOf := *ptr.next
	copyOf.arr[0] = 99
	ptr.in = copyOf.in
	ptr.str += "x"
	ptr.str += ptr.str
	ptr.any = ptr.in
	ptr.any = ptr.any.(point).x
	ptr.m = map[string][]int{"q": a[2:5]}
	ptr.m["q"][1] = 1234
	ptr.m["r"] = append(ptr.m["r"], ptr.v)
	show("fields", global.v, global.in, global.c, global.str, global.any, ptr.next.arr, ptr.next.s, copyOf.arr, global.m)
	ptr.next = nil

	m := map[string]int{"a": 1}
	m["b"] += a[1]
	m["a"]++
	m[fmt.Sprint(a[2])] = a[3]
	v, ok := m["zz"]
	a[1], ok = m["a"]
	var t truth
	a[2], t = func() (int, truth) { return 8, true }()
	show("maps", m, v, ok, a, t)

	var flags [3]truth
	fs := flags[:]
	fs[0] = a[1] < a[2]
	fs[1], a[7] = a[1] > a[2] || a[3] == a[3], 3
	fs[2] = truth(ok) && a[1] == 2 && fs[0]
	_ = a[3]
	_, a[4] = a[5], a[6]
	var e error
	errs := make([]error, 2)
	errs[0], errs[1] = e, fmt.Errorf("%d", a[4])
	anys := make([]any, 4)
	anys[0], anys[1] = 5, "s"
	anys[2] = nil
	anys[3] = a[3]
	anys[0], anys[3] = anys[3], anys[0]
	show("types", flags, fs, a, errs, anys, anys[0] == anys[3], anys[2] == nil)

	var u8 []uint8 = []uint8("abc")
	u8[1] += 250
	u8[0] = 1 << (u8[2] & 7)
	var sh uint = 3
	var f32 []float32 = make([]float32, 2)
	f32[1] = float32(int(1)<<sh) + f32[0]
	var i64 []int64 = make([]int64, 3)
	i64[1] = 1 << sh
	i64[2] = -i64[1] >> 1
	c := []complex64{1, 2i}
	c[0] *= c[1]
	c[1], c[0] = c[0], c[1]
	show("kinds", u8, f32, i64, c, real(c[0]), imag(c[1]))

	var w struct {
		a [3]struct{ p *int }
		e struct{}
	}
	w.a[1].p = &a[0]
	*w.a[1].p = 12
	(*w.a[1].p)++
	*&a[1] = 3
	**&w.a[1].p += 2
	es := make([]struct{}, 3)
	es[1] = w.e
	for i, e := range es {
		_, _ = i, e
	}
	for _, e := range es {
		_ = e
	}
	for range es {
		a[0]++
	}
	show("nested", a, len(es), *w.a[1].p)
}

func tuples() {
	a := []int{10, 11, 12, 13}
	i := 0
	i, a[i] = 1, 99
	show("index then store", i, a)
	a[0], a[0] = 1, 2
	show("same twice", a)
	x := []int{1, 2, 3}
	i = 0
	i, x[i] = 1, 2
	i = 0
	x[i], i = 2, 1
	x[0], x[0] = 1, 2
	x[1], x[2] = 4, 5
	i = 2
	x[i], x[1] = x[1], x[i]
	show("spec", i, x)
	p := &point{1, 2}
	p.x, p.y = p.y, p.x
	p, p.x = &point{5, 6}, 100
	show("pointer moves", *p)
	l := &node{v: 1, next: &node{v: 2, next: &node{v: 3}}}
	var prev *node
	for l != nil {
		l.next, l, prev = prev, l.next, l
	}
	for n := prev; n != nil; n = n.next {
		at(fmt.Sprint(n.v), 0)
	}
	show("reversed")
	s := []string{"a", "b", "c"}
	s[0], s[1], s[2] = s[2], s[0], s[1]
	a[at("l1", 1)], a[at("l2", 2)] = at("r1", a[2]), at("r2", a[1])
	show("calls", s, a)
	f := func() (int, string, error) { at("f", 0); return 1, "2", nil }
	var e error
	a[at("x", 0)], s[at("y", 1)], e = f()
	a[1], _, _ = f()
	_, s[0], e = f()
	show("results", a, s, e)
	var bs []byte
	bs, a[3] = append(bs, "hi"...), len(bs)
	show("append", bs, a)
	number, slice[number&3], array[1] = slice[1], array[1], number
	show("package", number, slice, array)
	m := map[int]int{}
	m[1], a[0] = a[0], m[1]
	m[2], m[1] = m[1], m[2]
	show("map", m, a)
	var iface any = a
	if got, ok := iface.([]int); ok {
		a[0], ok = got[1], false
		show("assert", a, ok)
	}
	ch := make(chan int, 2)
	ch <- 5
	ch <- 6
	var ok bool
	a[1], ok = <-ch
	a[2] = <-ch
	show("receive", a, ok)
	a[0], a[1], a[2], a[3] = a[3], a[2], a[1], a[0]
	show("four", a)
}
