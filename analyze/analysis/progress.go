package analysis

import "context"

// progress reports how much has been read and checks for cancellation.
type progress struct {
	ctx      context.Context
	progress func(int) // may be nil
	steps    int
	err      error // the reason to stop
}

// progressStep is the number of references between two reports and between two checks of the
// context.
const progressStep = 1 << 16

// count adds a chunk with the given number of references.
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
