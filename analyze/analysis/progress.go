package analysis

import "context"

// progress reports what has been read, and looks whether to go on.
type progress struct {
	ctx      context.Context
	progress func(int) // may be nil
	steps    int
	err      error // why to stop
}

// progressStep is how many references are read between two reports and two looks
// at the context.
const progressStep = 1 << 16

// count counts a chunk of so many references.
func (m *progress) count(refs int) {
	if m.steps += max(1, refs); m.steps < progressStep {
		return
	}
	m.err = m.ctx.Err()
	if m.progress != nil {
		m.progress(m.steps)
	}
	m.steps = 0
}
