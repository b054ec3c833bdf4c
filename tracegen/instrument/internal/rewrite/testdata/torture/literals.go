package main

type line struct {
	from, to point
	tags     []string
	next     *line
	name     string `json:"name,omitempty"`
}

const raw = `raw
string // with a comment
/*line :1:1*/ in it`

func literals() {
	a := []int{1, 2, 3}
	p := &point{a[0], a[1]}
	l := &line{from: *p, to: point{y: a[2]}, tags: []string{"t", raw[:3]}, next: &line{name: "next"}}
	ls := []*line{{name: "one"}, {from: point{1, a[at("elided", 2)]}}, l}
	m := map[point][]int{{1, 2}: {3, 4}, *p: a}
	nested := [][]point{{{1, 2}, {3, a[0]}}, {}, {point{5, 6}}}
	arr := [...]string{2: "two", 0: "zero"}
	sparse := []int{5: a[1], 9, 2: a[0]}
	pa := &[3]int{a[0], 2: a[2]}
	ps := &[]int{a[2], a[1]}
	pm := &map[string]int{"k": a[0]}
	e := &struct{}{}
	fs := []func() int{func() int { return a[0] }, func() int { a[0]++; return a[0] }}
	l.next.next = &line{to: point{fs[0](), fs[1]()}}
	anon := struct {
		x []int
		f func(int) int
	}{a, func(v int) int { return v + a[0] }}
	show("literals", *p, l.to, l.tags, l.next.name, ls[1].from, m[point{1, 2}], nested, arr, sparse, *pa, *ps, *pm, *e, l.next.next.to, anon.f(anon.x[1]), raw)
	(*ps)[0]++
	(*pm)["k"]++
	pa[1] = (&point{7, 8}).sum() + point{a[0], 1}.sum() + []int{4, 5}[a[0]&1] + [2]int{6, 7}[a[1]&1]
	show("parts", *pa, *ps, *pm, len([]int{1, 2, a[0]}), (&line{name: "n"}).name, struct{ v int }{a[1]}.v)
	for i, q := range []point{{1, 2}, {a[0], 4}} {
		a[i] += q.sum()
	}
	var iface any = line{name: "boxed"}
	iface = &line{from: iface.(line).from, name: iface.(line).name + "!"}
	show("boxed", iface.(*line).name, a)
	complexes := []complex128{complex(1, float64(a[0])), 2i}
	complexes[0] += complexes[1] * complex(0, 1)
	show("complex", complexes, real(complexes[0]) < imag(complexes[0])+100)
}
