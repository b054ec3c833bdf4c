package main

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sort"
	"strings"
)

func functions() {
	a := []int{5, 3, 8, 1}
	q, r, err := divide(a[0], a[1])
	show("results", q, r, err)
	show(pair(a))
	x, y := swap(swap(a[0], a[1]))
	show("swapped", x, y, sum(a...), sum(), sum(a[0], a[1], at("last", 9)), sum(a[1:3]...))
	sort.Slice(a, func(i, j int) bool { return a[i] < a[j] })
	show("sorted", a)
	counter := 0
	inc := func() int { counter++; return counter }
	b := []int{inc(), inc(), inc() * a[0]}
	b[inc()%3], counter = inc(), 100
	show("closure", b, counter, inc())
	add := func(n int) func(int) int { return func(m int) int { n += m; return n } }
	f := add(a[1])
	show("made", f(1), f(a[0]), add(1)(2))
	fs := map[string]func(...int) int{"sum": sum}
	show("in map", fs["sum"](a...), (func(v int) int { return v * a[0] })(3))
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	show("recursive", fib(12), ackermann(2, 3))
	show("math", math.Sqrt(float64(a[3])*2), bits.Len(uint(a[2])), math.Max(float64(a[0]), float64(inc())), min(a[0], a[1], inc()), max(a[0], a[1]))
	show("defers", deferred(a), a)
	show("loop defers", loopDefers(3))
	show("variadic", strings.Join(words("a", "b"), fmt.Sprint(a[0])), strings.Map(func(r rune) rune { a[0]++; return r + 1 }, "HAL"), a[0])
	show("error", errors.Is(wrapped(a[0]), errBase), wrapped(a[0]))
	var once func()
	once = func() { a[0]++; once = func() { a[0] += 10 } }
	once()
	once()
	show("replaced", a)
	set := make(chan bool)
	go func(v int) { a[0] = v; set <- true }(a[1])
	<-set
	done := make(chan []int)
	go func() {
		local := append([]int(nil), 1, 2, 3)
		local[0] += len(local)
		done <- local
	}()
	show("goroutine", <-done)
	show("many", first(many()), pass(many()))
	show("short", short(3, a), short(-3, a))
	m := matrix{{1, 2}, {3, 4}}
	show("inlined", m.at(1, 0), m.at(0, 1)+m.at(1, 1), area(point{a[1], 2}))
	noResult(a)
	show("no result", a)
	show("recursion", depth(&node{v: 1, next: &node{v: 2, next: &node{v: 3}}}))
	show("unnamed", func(int, string) int { return 3 }(at("p", 1), at("q", "r")))
	q, err = blanks(1, 2)
	show("blank", q, err)
}

var errBase = errors.New("base")

func wrapped(n int) error { return fmt.Errorf("%d: %w", n, errBase) }

func divide(a, b int) (q, r int, err error) {
	if b == 0 {
		return 0, 0, errBase
	}
	q = a / b
	r = a % b
	return
}

func pair(a []int) (string, any) { return fmt.Sprint("pair ", a[0]), a[1] }

func swap(a, b int) (int, int) { return b, a }

func sum(v ...int) (s int) {
	for _, x := range v {
		s += x
	}
	return
}

func ackermann(m, n int) int {
	switch {
	case m == 0:
		return n + 1
	case n == 0:
		return ackermann(m-1, 1)
	}
	return ackermann(m-1, ackermann(m, n-1))
}

func deferred(a []int) (s string) {
	defer func() { s += "|" + strings.Join(log, ",") }()
	for i := range a {
		defer func() { a[i] += i; at(fmt.Sprint("d", i), 0) }()
	}
	defer at("later", at("now", a[0]))
	defer func(v int) { at(fmt.Sprint("arg", v), 0) }(a[3])
	a[3] = -1
	return fmt.Sprint(a[0])
}

func loopDefers(n int) (out []int) {
	for i := 0; i < n; i++ {
		defer func() { out = append(out, i) }()
	}
	return []int{100}
}

func words(s ...string) []string { return append([]string{"w"}, s...) }

func many() (int, string, []int) { return 1, "m", []int{2} }

func first(n int, s string, a []int) int { a[0]++; return n + a[0] }

func pass(args ...any) int { return len(args) }

type matrix [2][2]int

func (m *matrix) at(i, j int) int { return m[i][j] }

func area(p point) int { return p.x * p.y }

func short(i int, a []int) bool { return i >= 0 && i < len(a) && a[i] > 0 }

func noResult(a []int) {
	if len(a) > 3 {
		a[0] = 1
		return
	}
	a[0] = 2
}

func depth(n *node) int {
	if n == nil {
		return 0
	}
	return 1 + depth(n.next)
}

func blanks(_ int, _ int) (_ int, err error) { return 4, nil }
