// Package smallmap is a map that usually has few keys.
//
// A Go map of one key takes 200 bytes and more. Programs of a million processors have several maps for each of
// them, which would take more memory than all that the maps hold.
package smallmap

import "slices"

// Map maps keys to values. It keeps them as rows, in the order in which the keys came, until keys are removed or sorted.
// The zero Map is empty.
type Map[K comparable, V any] struct {
	rows []Row[K, V]
	at   map[K]int32 // the row of each key; nil until it is needed
}

// Row is a key and its value.
type Row[K comparable, V any] struct {
	Key   K
	Value V
}

// unindexed is the most rows that are searched one by one.
const unindexed = 8

// find returns the row of a key, or -1.
func (m *Map[K, V]) find(key K) int {
	if len(m.rows) <= unindexed {
		for i := range m.rows {
			if m.rows[i].Key == key {
				return i
			}
		}
		return -1
	}
	if m.at == nil {
		m.at = make(map[K]int32, len(m.rows))
		for i := range m.rows {
			m.at[m.rows[i].Key] = int32(i)
		}
	}
	if i, ok := m.at[key]; ok {
		return int(i)
	}
	return -1
}

// Len returns the number of keys.
func (m *Map[K, V]) Len() int { return len(m.rows) }

// Rows returns all keys with their values. Their order and number may change with the next call of another method.
func (m *Map[K, V]) Rows() []Row[K, V] { return m.rows }

// Get returns the value of a key, or the zero value.
func (m *Map[K, V]) Get(key K) (value V) {
	if i := m.find(key); i >= 0 {
		return m.rows[i].Value
	}
	return value
}

// Of returns the value of a key, to read and to change. A new key gets the zero value. The pointer is valid until the next
// call of another method.
func (m *Map[K, V]) Of(key K) *V {
	i := m.find(key)
	if i < 0 {
		i = len(m.rows)
		m.rows = append(m.rows, Row[K, V]{Key: key})
		if m.at != nil {
			m.at[key] = int32(i)
		}
	}
	return &m.rows[i].Value
}

// Take removes a key and returns its value. It returns false if there is no such key.
func (m *Map[K, V]) Take(key K) (value V, found bool) {
	i := m.find(key)
	if i < 0 {
		return value, false
	}
	value = m.rows[i].Value
	last := len(m.rows) - 1
	m.rows[i] = m.rows[last]
	m.rows[last] = Row[K, V]{}
	m.rows = m.rows[:last]
	switch {
	case last <= unindexed:
		m.at = nil
	default:
		delete(m.at, key)
		if i < last {
			m.at[m.rows[i].Key] = int32(i)
		}
	}
	return value, true
}

// Sort sorts the rows by their keys and returns them.
func (m *Map[K, V]) Sort(compare func(a, b K) int) []Row[K, V] {
	by := func(a, b Row[K, V]) int { return compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(m.rows, by) {
		m.at = nil
		slices.SortFunc(m.rows, by)
	}
	return m.rows
}

// Compact releases the memory that only further keys would use.
func (m *Map[K, V]) Compact() { m.at, m.rows = nil, slices.Clone(m.rows) }
