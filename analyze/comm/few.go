package comm

import "slices"

// few maps keys to values and keeps them as rows, in the order in which the keys came until sorted. One processor usually
// has few keys, and a map for each of a million processors would take more memory than all of their rows.
type few[K comparable, V any] struct {
	rows []row[K, V]
	at   map[K]uint32 // the row of each key; nil until it is needed
}

// row is a key and its value.
type row[K comparable, V any] struct {
	key   K
	value V
}

// unindexed is the most rows that are searched one by one.
const unindexed = 8

// find returns the row of a key, or -1.
func (f *few[K, V]) find(key K) int {
	if len(f.rows) <= unindexed {
		return slices.IndexFunc(f.rows, func(r row[K, V]) bool { return r.key == key })
	}
	if f.at == nil {
		f.at = make(map[K]uint32, len(f.rows))
		for i := range f.rows {
			f.at[f.rows[i].key] = uint32(i)
		}
	}
	if i, ok := f.at[key]; ok {
		return int(i)
	}
	return -1
}

// of returns the value of a key, at first zero. It is valid until the next call.
func (f *few[K, V]) of(key K) *V {
	i := f.find(key)
	if i < 0 {
		i = len(f.rows)
		if f.rows = append(f.rows, row[K, V]{key: key}); f.at != nil {
			f.at[key] = uint32(i)
		}
	}
	return &f.rows[i].value
}

// take removes a key and returns its value.
func (f *few[K, V]) take(key K) (value V, found bool) {
	i := f.find(key)
	if i < 0 {
		return value, false
	}
	value = f.rows[i].value
	last := len(f.rows) - 1
	f.rows[i] = f.rows[last]
	f.rows[last] = row[K, V]{}
	f.rows = f.rows[:last]
	if f.at != nil {
		delete(f.at, key)
		if i < last {
			f.at[f.rows[i].key] = uint32(i)
		}
	}
	if last <= unindexed {
		f.at = nil
	}
	return value, true
}

// sorted sorts the rows and returns them.
func (f *few[K, V]) sorted(compare func(a, b K) int) []row[K, V] {
	by := func(a, b row[K, V]) int { return compare(a.key, b.key) }
	if !slices.IsSortedFunc(f.rows, by) {
		f.at = nil
		slices.SortFunc(f.rows, by)
	}
	return f.rows
}

// compact releases the memory that further keys would use.
func (f *few[K, V]) compact() { f.at, f.rows = nil, slices.Clone(f.rows) }
