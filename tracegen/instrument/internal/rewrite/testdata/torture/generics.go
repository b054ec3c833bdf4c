package main

import (
	"cmp"
	"fmt"
)

type num interface{ ~int | ~float64 | ~complex128 }

func total[T num, S ~[]T](s S) (t T) {
	for _, v := range s {
		t += v
	}
	for i := range s {
		s[i] *= 2
	}
	return
}

type stack[T any] struct {
	a []T
	n int
}

func (s *stack[T]) push(v T) { s.a = append(s.a, v); s.n++ }

func (s *stack[T]) pop() (v T, ok bool) {
	if s.n == 0 {
		return v, false
	}
	s.n--
	v = s.a[s.n]
	s.a = s.a[:s.n]
	return v, true
}

type list[K cmp.Ordered, V any] struct {
	head *cell[K, V]
	size int
}

type cell[K cmp.Ordered, V any] struct {
	key   K
	value V
	next  *cell[K, V]
}

func (l *list[K, V]) put(k K, v V) {
	p := &l.head
	for *p != nil && (*p).key < k {
		p = &(*p).next
	}
	if *p != nil && (*p).key == k {
		(*p).value = v
		return
	}
	*p = &cell[K, V]{k, v, *p}
	l.size++
}

func (l *list[K, V]) each(f func(K, V) bool) {
	for c := l.head; c != nil; c = c.next {
		if !f(c.key, c.value) {
			return
		}
	}
}

func mapped[A, B any](s []A, f func(A) B) []B {
	out := make([]B, len(s))
	for i, v := range s {
		out[i] = f(v)
	}
	return out
}

func reversed[S ~[]E, E any](s S) S {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
	return s
}

func zero[T any](p *T) (old T) {
	var z T
	old, *p = *p, z
	return old
}

func byteOf[T ~string | ~[]byte](s T, i int) byte { return s[i] }

func sumArray[T ~[3]int](a *T) int { return (*a)[0] + len(*a) }

type number64 int

type tree[T any] struct {
	left, right *tree[T]
	val         T
}

func (t *tree[T]) walk(f func(T)) {
	if t == nil {
		return
	}
	t.left.walk(f)
	f(t.val)
	t.right.walk(f)
}

func generics() {
	show("total", total([]int{1, 2, 3}), total([]float64{1, 2.5}), total([]complex128{1i, 2}), total([]number64{5}))
	st := &stack[point]{}
	st.push(point{1, 2})
	st.push(point{3, 4})
	v, ok := st.pop()
	var empty stack[struct{}]
	empty.push(struct{}{})
	_, ok2 := empty.pop()
	bigs := stack[big]{}
	bigs.push(big{head: 7})
	w, _ := bigs.pop()
	show("stack", v, ok, ok2, st.n, w.head)
	var l list[string, []int]
	l.put("b", []int{1})
	l.put("a", []int{2, 3})
	l.put("b", nil)
	l.each(func(k string, v []int) bool { at(k, 0); return len(v) > 0 })
	show("list", l.size, mapped([]int{1, 2}, func(i int) string { return fmt.Sprint(i * 2) }), reversed([]string{"x", "y", "z"}))
	x, s := 5, "s"
	show("zero", zero(&x), zero(&s), x, s, byteOf("abc", 1), byteOf([]byte("abc"), 2), sumArray(&[3]int{4, 5, 6}))
	t := &tree[int]{&tree[int]{nil, nil, 1}, &tree[int]{val: 3}, 2}
	order := []int{}
	t.walk(func(v int) { order = append(order, v) })
	f := mapped[float64, int]
	show("tree", order, f([]float64{1.5, 2.5}, func(f float64) int { return int(f) }))
}
