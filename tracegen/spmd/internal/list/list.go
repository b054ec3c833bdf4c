// Package list is a doubly linked list whose nodes are fields of their elements.
package list

// Node is a list node that is a field of its element. Insertion allocates nothing and removal needs no search.
type Node[T any] struct {
	Prev, Next *Node[T]
	Elem       *T
}

// List is a doubly linked list.
type List[T any] struct{ First, Last *Node[T] }

// Insert puts n, the node of elem, after at; a nil at means the beginning.
func (l *List[T]) Insert(n *Node[T], of *T, at *Node[T]) {
	n.Elem, n.Prev = of, at
	if at == nil {
		n.Next, l.First = l.First, n
	} else {
		n.Next, at.Next = at.Next, n
	}
	if n.Next == nil {
		l.Last = n
	} else {
		n.Next.Prev = n
	}
}

// Push puts n, the node of an element, at the end.
func (l *List[T]) Push(n *Node[T], of *T) { l.Insert(n, of, l.Last) }

// Remove takes n out.
func (l *List[T]) Remove(n *Node[T]) {
	if n.Prev == nil {
		l.First = n.Next
	} else {
		n.Prev.Next = n.Next
	}
	if n.Next == nil {
		l.Last = n.Prev
	} else {
		n.Next.Prev = n.Prev
	}
	*n = Node[T]{}
}
