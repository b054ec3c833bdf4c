package reuse

import "spoor/traces/store"

// Moves holds the columns of flushes and prefetches. Tables of traces without them have no such columns.
type Moves struct {
	flushed, fills []uint64
	any            bool
}

// Add adds a row for each of the ascending capacities.
func (m *Moves) Add(d *Distances, capacities []int64) {
	m.any = m.any || d.Flushed > 0 || d.Prefetches != nil
	fills := make([]uint64, len(capacities))
	if d.Prefetches != nil {
		fills = d.Prefetches.Misses(capacities)
	}
	for _, n := range fills {
		m.flushed, m.fills = append(m.flushed, d.Flushed), append(m.fills, n)
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
