package main

import (
	"fmt"
	"slices"
	"unsafe"
)

type big struct {
	head int
	body [20]int
	tail float64
}

func memory() {
	a := []int{1, 2, 3, 4}
	b := make([]int, 2, 10)
	n := copy(b, a)
	n += copy(a[1:], a)
	bs := make([]byte, 5)
	n += copy(bs, "hello world")
	type str string
	n += copy(bs[3:], str("xyz"))
	show("copy", a, b, bs, n)
	b = append(b, a...)
	b = append(b, 9)
	b = append(b, b[:2]...)
	b = append(b)
	bs = append(bs, "tail"...)
	bs = append(bs, 'c', bs[0])
	c := append(b[:1:1], 100)
	var nothing []int
	nothing = append(nothing, nothing...)
	grown := append([]string(nil), make([]string, 3)...)
	grown[1] = "g"
	a[0] = len(append(a, 1))
	show("append", b, bs, c, nothing == nil, grown, a)
	clear(c)
	m := map[int]int{1: 1}
	clear(m)
	show("clear", b, c, m)
	x := big{head: 1}
	y := &big{body: [20]int{3: 4}}
	x.body[2] = y.body[3]
	z := x
	*y = z
	z.body[0]++
	bigs := []big{x, *y, z}
	bigs[1], bigs[2] = bigs[2], bigs[1]
	for i, v := range bigs {
		bigs[0].head += v.body[0] + i
	}
	show("large", x.head, y.body[2], bigs[0].head, bigs[1].body[0], bigs[0] == *y, x == *y)
	s := "some text"
	t := []byte(s)
	t[0] = 'S'
	u := string(t)
	r := []rune(u + "é")
	r[1]++
	if string(t) == "Some text" && u[1] == 'o' {
		n++
	}
	index := map[string]int{"Some": 1}
	n += index[string(t[:4])]
	show("strings", s, u, string(r), n, s[3:5]+u[:at("cut", 2)], len(string(r)), string(rune(a[0])))
	p := new(int)
	*p = a[1]
	q := new(point)
	q.x, q.y = *p, 5
	pp := &p
	**pp *= 2
	show("new", *p, *q)
	mat := make([][]float64, 3)
	for i := range mat {
		mat[i] = make([]float64, 3)
		for j := range mat[i] {
			mat[i][j] = float64(i*3 + j)
		}
	}
	mat[1], mat[2] = mat[2], mat[1]
	mat[at("r", 0)][at("c", 1)] += mat[2][2]
	show("matrix", mat)
	l := [3][2]int{{1, 2}, {3, 4}}
	sl := l[1:]
	sl[0][1] = 77
	l[2] = sl[0]
	w := l
	w[0][0] = 5
	show("arrays", l, sl, w, len(l[0]), cap(sl), l == w, [2]int(a[:2]))
	up := (*[2]int)(unsafe.Pointer(&a[1]))
	up[1] = 42
	show("unsafe", a, unsafe.Sizeof(a[0]), *(*int)(unsafe.Pointer(uintptr(unsafe.Pointer(&a[0])) + unsafe.Sizeof(a[0]))))
	slices.Sort(a)
	slices.SortFunc(b, func(x, y int) int { return y - x })
	i, ok := slices.BinarySearch(a, 42)
	show("slices", a, b, i, ok, slices.Index(a, a[2]), slices.Max(a))
	var e any = a
	e.([]int)[0] = 6
	e = e.([]int)[1:]
	show("interface", a, e.([]int)[0], fmt.Sprintf("%T", e))
	full := a[1:2:3]
	full = append(full, 5)
	str2 := s[at("lo", 1):at("hi", len(a))]
	show("full slice", a, full, cap(full), str2)
	var nilp *[4]int
	show("length of nil", len(nilp), cap(nilp), len(a[:0]), len(mat[0]), cap(mat[0][:1]))
	ring := &node{v: 1}
	ring.next = ring
	for range 5 {
		ring.v += ring.next.v
		ring = ring.next
	}
	show("ring", ring.v)
}
