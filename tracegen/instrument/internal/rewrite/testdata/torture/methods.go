package main

import "fmt"

func (n *node) bump(k int) int { n.v += k; return n.v }

func (n node) value(k int) int { return n.v + k }

func (p point) sum() int { return p.x + p.y }

func (p *point) move(d int) *point { p.x += d; p.y -= d; return p }

func (t truth) String() string { return fmt.Sprint("truth:", bool(t)) }

type shape interface {
	sum() int
}

type holder struct {
	*node
	point
	name string
	sh   shape
}

type deep struct{ *holder }

type ints []int

func (s ints) first() int   { return s[0] }
func (s *ints) push(v int)  { *s = append(*s, v) }
func (s ints) Len() int     { return len(s) }
func (f fn) call(v int) int { return f(v) + 1 }

type fn func(int) int

func methods() {
	n := &node{v: 1, in: point{2, 3}}
	f := n.bump
	g := n.value
	n.v = 10
	show("method values", f(3), g(3), n.value(1), (*node).bump(n, 5), node.value(*n, 6))
	h := holder{node: n, point: point{7, 8}, sh: point{9, 10}}
	h.v++
	h.next = &node{v: 50}
	h.next.bump(h.x)
	h.x += h.in.x
	h.move(h.y).move(1)
	show("embedded", h.v, h.next.v, h.x, h.y, h.sum(), h.sh.sum(), h.point.sum(), h.in.sum())
	d := deep{&h}
	d.x, d.y = d.y, d.x
	d.holder.node.in.y = d.v
	d.arr[d.v%4] += d.x
	show("deeper", d.x, d.in, d.arr, d.sum(), d.sh == h.sh, d.bump(2))
	ns := []node{{v: 1}, {v: 2}}
	ns[1].bump(10)
	ns[0].arr[1]++
	ns[at("i", 0)].in.move(at("d", ns[1].v))
	pm := ns[0].in.sum
	ns[0].in.x = 1000
	show("elements", ns[0].v, ns[1].v, ns[0].arr, ns[0].in, pm())
	var s ints
	s.push(4)
	s.push(s.first())
	(&s).push(s.Len())
	show("named slice", s, s.first())
	shapes := []shape{point{1, 2}, &point{3, 4}, h, &h}
	total := 0
	for _, sh := range shapes {
		total += sh.sum()
	}
	m := map[string]*point{"a": {1, 1}}
	m["a"].move(5)
	m["a"].x++
	arr := [2]point{{1, 2}, {3, 4}}
	arr[1].move(1)
	arr[at("k", 0)].x = arr[1].sum()
	show("interfaces", total, *m["a"], arr, fn(func(v int) int { return v * 2 }).call(4))
	var st fmt.Stringer = truth(arr[0].x > 0)
	show("stringer", st.String(), st)
	pp := &ns[0].in
	ppp := &pp
	(*ppp).x = 5
	(**ppp).y = 6
	show("pointers", ns[0].in, pp.sum(), (*ppp).sum())
	show("chain", n.self().self().next.self().v)
	local := point{1, 2}
	local.move(3)
	q := &local
	q.x += local.y
	show("addressed", local, *q, local.sum())
}

func (n *node) self() *node { at("self", 0); return n }
