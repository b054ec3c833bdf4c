package trace

import "iter"

// Memory is a trace in memory, for tests and small programs. It has one batch of each
// stream per processor.
type Memory struct {
	Head      Header
	RefsOf    []Refs   // by processor
	EventsOf  []Events // by processor; may be shorter than RefsOf
	batchRows int
}

var _ Source = (*Memory)(nil)

// InBatches makes Refs yield at most n rows at a time.
func (m *Memory) InBatches(n int) *Memory {
	m.batchRows = n
	return m
}

// Header returns the header of the trace.
func (m *Memory) Header() Header { return m.Head }

// Refs yields the references of procs, or of all processors.
func (m *Memory) Refs(procs ...Proc) iter.Seq2[*Refs, error] {
	return func(yield func(*Refs, error) bool) {
		for _, p := range m.selected(procs, len(m.RefsOf)) {
			r := &m.RefsOf[p]
			step := m.batchRows
			if step <= 0 {
				step = max(1, r.Len())
			}
			for i := 0; i < r.Len(); i += step {
				piece := r.Slice(i, min(i+step, r.Len()))
				if !yield(&piece, nil) {
					return
				}
			}
		}
	}
}

// Events yields the events of procs, or of all processors.
func (m *Memory) Events(procs ...Proc) iter.Seq2[*Events, error] {
	return func(yield func(*Events, error) bool) {
		for _, p := range m.selected(procs, len(m.EventsOf)) {
			if m.EventsOf[p].Len() > 0 && !yield(&m.EventsOf[p], nil) {
				return
			}
		}
	}
}

func (m *Memory) selected(procs []Proc, have int) []Proc {
	if len(procs) == 0 {
		for p := range m.Head.Procs {
			procs = append(procs, Proc(p))
		}
	}
	var out []Proc
	for _, p := range procs {
		if p >= 0 && int(p) < have {
			out = append(out, p)
		}
	}
	return out
}
