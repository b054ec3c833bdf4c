package analysis

import "context"

// meter reports what has been read, and looks whether to go on.
type meter struct {
	ctx      context.Context
	progress func(int) // may be nil
	steps    int
	err      error // why to stop
}

// progressStep is how many references are read between two reports and two looks
// at the context.
const progressStep = 1 << 16

// count counts a piece of so many references.
func (m *meter) count(refs int) {
	if m.steps += max(1, refs); m.steps < progressStep {
		return
	}
	m.err = m.ctx.Err()
	if m.progress != nil {
		m.progress(m.steps)
	}
	m.steps = 0
}
