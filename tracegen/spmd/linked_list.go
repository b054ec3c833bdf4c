package spmd

// node is a list node that is a field of its element. Insertion allocates nothing and removal needs no search.
type node[T any] struct {
	prev, next *node[T]
	elem       *T
}

// list is a doubly linked list.
type list[T any] struct{ first, last *node[T] }

// insert puts n, the node of elem, after at; a nil at means the beginning.
func (l *list[T]) insert(n *node[T], of *T, at *node[T]) {
	n.elem, n.prev = of, at
	if at == nil {
		n.next, l.first = l.first, n
	} else {
		n.next, at.next = at.next, n
	}
	if n.next == nil {
		l.last = n
	} else {
		n.next.prev = n
	}
}

func (l *list[T]) push(n *node[T], of *T) { l.insert(n, of, l.last) }

func (l *list[T]) remove(n *node[T]) {
	if n.prev == nil {
		l.first = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		l.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	*n = node[T]{}
}
