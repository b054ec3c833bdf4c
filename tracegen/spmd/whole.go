package spmd

import "spoor/traces/trace"

// enter records a collective as one event, if it is to be whole; then what it is made
// of is not recorded before leave.
func (rec *recorder) enter(kind trace.Kind, c *Comm, root int, b buffer) {
	if !rec.whole {
		return
	}
	e := trace.NewEvent(kind)
	e.Group = c.context
	if root != nobody {
		e.Peer = c.global(root, kind.String()+" with root")
	}
	lay(&e, &b, rec.space)
	rec.row(e)
	rec.inside = true
}

func (rec *recorder) leave() { rec.inside = false }
