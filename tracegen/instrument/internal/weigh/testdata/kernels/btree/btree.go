// Package btree searches and fills a tree of wide nodes.
package btree

const order = 8

type node struct {
	n     int
	keys  [2*order - 1]int
	vals  [2*order - 1]int
	child [2 * order]*node
}

func (t *node) leaf() bool { return t.child[0] == nil }

type tree struct {
	root *node
	size int
}

// Run fills a tree, looks keys up and returns how many were found.
func Run() float64 {
	t := &tree{root: &node{}}
	x := uint32(1)
	for i := range 4000 {
		x = x*1664525 + 1013904223
		t.put(int(x>>16), i)
	}
	found := 0
	for k := range 1 << 14 {
		if _, ok := t.get(k * 3); ok {
			found++
		}
	}
	return float64(found) + float64(t.size)/1e6
}

func (t *tree) get(key int) (int, bool) {
	n := t.root
	for {
		i := 0
		for i < n.n && n.keys[i] < key {
			i++
		}
		if i < n.n && n.keys[i] == key {
			return n.vals[i], true
		}
		if n.leaf() {
			return 0, false
		}
		n = n.child[i]
	}
}

func (t *tree) put(key, val int) {
	if t.root.n == 2*order-1 {
		r := &node{}
		r.child[0] = t.root
		t.root = r
		r.split(0)
	}
	n := t.root
	for {
		i := n.find(key)
		if i < n.n && n.keys[i] == key {
			n.vals[i] = val
			return
		}
		if n.leaf() {
			copy(n.keys[i+1:n.n+1], n.keys[i:n.n])
			copy(n.vals[i+1:n.n+1], n.vals[i:n.n])
			n.keys[i], n.vals[i] = key, val
			n.n++
			t.size++
			return
		}
		if n.child[i].n == 2*order-1 {
			n.split(i)
			switch {
			case key > n.keys[i]:
				i++
			case key == n.keys[i]:
				n.vals[i] = val
				return
			}
		}
		n = n.child[i]
	}
}

func (t *node) find(key int) int {
	lo, hi := 0, t.n
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if t.keys[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func (t *node) split(i int) {
	full := t.child[i]
	right := &node{n: order - 1}
	for j := 0; j < order-1; j++ {
		right.keys[j] = full.keys[j+order]
		right.vals[j] = full.vals[j+order]
	}
	if !full.leaf() {
		for j := 0; j < order; j++ {
			right.child[j] = full.child[j+order]
		}
	}
	full.n = order - 1
	for j := t.n; j > i; j-- {
		t.keys[j], t.vals[j] = t.keys[j-1], t.vals[j-1]
		t.child[j+1] = t.child[j]
	}
	t.keys[i], t.vals[i] = full.keys[order-1], full.vals[order-1]
	t.child[i+1] = right
	t.n++
}
