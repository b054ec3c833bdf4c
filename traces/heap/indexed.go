package heap

import "cmp"

// Indexed is a heap of numbered items whose keys change. Heap is faster where only the first item changes.
type Indexed[K, T cmp.Ordered, S serial, V any] struct {
	items []numbered[K, T, S, V]
	at    []int32 // by number, index in items plus 1; 0 if it is not there
}

type numbered[K, T cmp.Ordered, S serial, V any] struct {
	number int32
	Item[K, T, S, V]
}

// Len returns the number of items.
func (h *Indexed[K, T, S, V]) Len() int { return len(h.items) }

// First returns the first item and its number. The heap must not be empty.
func (h *Indexed[K, T, S, V]) First() (number int32, x *Item[K, T, S, V]) {
	return h.items[0].number, &h.items[0].Item
}

// Second returns the item behind the first and its number, or nil if there is none.
func (h *Indexed[K, T, S, V]) Second() (number int32, x *Item[K, T, S, V]) {
	switch q := h.items; {
	case len(q) < 2:
		return 0, nil
	case len(q) == 2 || q[1].Before(&q[2].Item):
		return q[1].number, &q[1].Item
	default:
		return q[2].number, &q[2].Item
	}
}

// Put adds an item, or gives the item with this number new keys and a new value, in O(log n). Numbers begin at 0 and
// should be small.
func (h *Indexed[K, T, S, V]) Put(number int32, x Item[K, T, S, V]) {
	for int(number) >= len(h.at) {
		h.at = append(h.at, 0)
	}
	i := int(h.at[number]) - 1
	if i < 0 {
		i = len(h.items)
		h.items = append(h.items, numbered[K, T, S, V]{})
	}
	h.move(i, numbered[K, T, S, V]{number, x})
}

// Pop removes the first item in O(log n), and returns its number. The heap must not be empty.
func (h *Indexed[K, T, S, V]) Pop() (number int32) {
	last := len(h.items) - 1
	number = h.items[0].number
	h.at[number] = 0
	x := h.items[last]
	h.items = h.items[:last]
	if last > 0 {
		h.move(0, x)
	}
	return number
}

// move places an item at index i, above or below.
func (h *Indexed[K, T, S, V]) move(i int, x numbered[K, T, S, V]) {
	q := h.items
	for i > 0 && x.Before(&q[(i-1)/2].Item) {
		h.set(i, q[(i-1)/2])
		i = (i - 1) / 2
	}
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1].Before(&q[child].Item) {
			child++
		}
		if !q[child].Before(&x.Item) {
			break
		}
		h.set(i, q[child])
		i = child
	}
	h.set(i, x)
}

func (h *Indexed[K, T, S, V]) set(i int, x numbered[K, T, S, V]) {
	h.items[i] = x
	h.at[x.number] = int32(i + 1)
}
