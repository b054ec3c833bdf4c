package main

type counterType struct{ n int }

func (c *counterType) next() int { c.n++; return c.n }

// order evaluates what functions called in the same statement change.
func order() {
	a := []int{1, 2, 3, 4, 5}
	c := &counterType{}
	i := 0
	change := func(k, v int) int { a[k] = v; i = k; return v }
	x := a[0] + change(0, 100) + a[0]
	y := a[i] + change(1, 7)
	show("loads after calls", x, y, a)
	a[i] = change(2, 50)
	a[i], a[0] = change(3, 8), a[3]
	show("places", a, i)
	b := a
	replace := func() int { a = []int{9, 9, 9, 9, 9}; return 1 }
	z := a[1] + replace() + a[1] + len(a[:2])
	a[0] = replace() + b[0]
	show("base replaced", z, a, b)
	s := a[:2]
	w := len(s) + func() int { s = s[:1]; return 0 }() + len(s)
	u := s[0] + at("k", c.next())*c.n + c.next()
	show("length", w, u, c.n)
	t := c.n == 2 && c.next() == 3 || c.next() == 100
	v := (a[0] > 0 || c.next() > 0) && a[c.next()-3] == 9
	show("conditional", t, v, c.n)
	f := func(vals ...int) []int { return vals }
	show("arguments", f(c.n, c.next(), c.n, c.next()), f(a[c.next()-5], a[0], change(0, 3), a[0]))
	m := map[int]int{c.next(): c.next(), c.next(): c.n}
	arr := [3]int{c.n, c.next(), c.n}
	show("literals", m, arr, point{c.n, c.next()}, []int{c.n, c.next(), c.n})
	p := &point{1, 2}
	q := p
	p.x, p = 10, &point{c.next(), c.n}
	p.y = func() int { p = q; return 77 }()
	show("pointers", *p, *q)
	k := 1
	k, a[k] = 2, k
	a[k], k = k, a[k]
	a[k%5] += func() int { k = 4; return k }()
	show("index moved", k, a)
	str := "abc"
	cut := str[1:] + func() string { str = "xyz"; return "-" }() + str
	var e any = 5
	n := e.(int) + func() int { e = 6; return 0 }() + e.(int)
	show("eager", cut, n, min(c.n, c.next(), c.n))
	number = 5
	r := number + setNumber(6)*number
	number += setNumber(7)
	number = number*10 + setNumber(8)
	show("package variable", r, number)
	d := []func() int{func() int { return 1 }, func() int { return 2 }}
	g := d[0]() + func() int { d[1] = d[0]; return 10 }() + d[1]()
	show("functions", g, func() int { at("made", 0); return c.next() }()+c.n)
	var ch = make(chan int, 3)
	ch <- 1
	ch <- 2
	h := a[0] + <-ch*10 + func() int { a[0] = 50; return 0 }() + <-ch
	show("receive", h, a[0])
	a[at("one", 1)] = a[at("two", 2)] + a[at("three", 3)]
	two(at("x", a[0]), at("y", 2)+at("z", a[1]), len(at("w", "w")))
	show("named calls")
	var swapped struct{ a, b []int }
	swapped.a, swapped.b = []int{1}, []int{2}
	swapped.a, swapped.b = swapped.b, append(swapped.a, swapped.b[0], c.next())
	show("struct", swapped)
	sh := uint(c.next())
	l := 1<<(sh&3) + a[0]<<func() uint { a[0] = 1; return 1 }()
	show("shift", l)
	mm := map[string]int{"a": 1}
	mv := mm["a"] + func() int { mm["a"] = 5; return 0 }() + mm["a"]
	mm["b"], mm["a"] = mm["a"], mv
	mm[string([]byte{'k'})] = a[1] + func() int { a[1]++; return 0 }()
	show("map", mv, mm)
	bs := []byte("ab")
	conv := string(bs) + func() string { bs[0] = 'z'; return "/" }() + string(bs)
	show("conversion", conv)
	i = 0
	cond := a[i] == 1 && func() bool { i = 1; return true }() && a[i] > 0
	if a[i] > 0 && func() bool { i = 2; return false }() || a[i] == 9 {
		cond = !cond
	}
	for i = 0; i < 3 && func() bool { at("test", 0); return a[i] > 0 }(); i++ {
		at("body", 0)
	}
	show("loop", cond, i)
}

func setNumber(n int) int { number = n; return n }
