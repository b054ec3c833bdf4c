package analysis

import (
	"fmt"
	"strings"

	"spoor/traces/trace"
)

// maxNamed is the maximum number of processors that an error names.
const maxNamed = 8

// stuck returns an error if processors still wait although none can continue.
func (m *merger) stuck() error {
	var waiting, ended []string
	for p, at := range m.waits {
		switch {
		case at.kind == 0:
			ended = append(ended, fmt.Sprint(p))
		case at.kind == trace.Lock && m.locks[at.object] != nil:
			waiting = append(waiting, fmt.Sprintf("processor %d at %s held by %d", p, at, m.locks[at.object].owner))
		default:
			waiting = append(waiting, fmt.Sprintf("processor %d at %s", p, at))
		}
	}
	if len(waiting) == 0 || m.stopped {
		return nil
	}
	msg := "deadlock: " + list(waiting)
	if len(ended) > 0 {
		msg += "; processors that have ended: " + list(ended)
	}
	return fmt.Errorf("%s; the trace is incomplete or its barriers and locks do not match; with --interleaved=false, reuse, locality, reuse_time and cache analyze each processor alone", msg)
}

func list(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// String describes the place: "barrier 3", "lock 5 of group 1", or "barrier" without a number.
func (p place) String() string {
	text := p.kind.String()
	if p.id != trace.None {
		text += fmt.Sprint(" ", p.id)
	}
	if p.group != trace.None {
		text += fmt.Sprint(" of group ", p.group)
	}
	return text
}
