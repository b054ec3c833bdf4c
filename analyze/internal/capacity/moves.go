package capacity

import "spoor/traces/store"

// Moves holds the columns of flushes and prefetches. Tables of traces without them have no such columns.
type Moves struct {
	flushed, fills []uint64
	any            bool
}

// Add adds rows: one for each number of lines that prefetches fetch, or the given number if there are no prefetches
// and fills is nil. flushed is the number of misses that follow a flush.
func (m *Moves) Add(rows int, flushed uint64, fills []uint64) {
	m.any = m.any || flushed > 0 || fills != nil
	if fills == nil {
		fills = make([]uint64, rows)
	}
	for _, n := range fills {
		m.flushed, m.fills = append(m.flushed, flushed), append(m.fills, n)
	}
}

// Columns returns the columns of a curve: the misses that follow a flush, and the lines that prefetches fetch.
func (m *Moves) Columns() []store.Column {
	if !m.any {
		return nil
	}
	return []store.Column{{Name: "flush_misses", Data: m.flushed}, {Name: "prefetch_fills", Data: m.fills}}
}

// Summary returns the columns of a summary: the misses that follow a flush, and all prefetches.
func (m *Moves) Summary() []store.Column {
	if !m.any {
		return nil
	}
	return []store.Column{{Name: "flush_misses", Data: m.flushed}, {Name: "prefetches", Data: m.fills}}
}
