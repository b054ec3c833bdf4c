package spmd

import "spoor/traces/trace"

// enter records a collective as one event, if wholeCollectives is set. Its messages are then not recorded until
// leave.
func (rec *recorder) enter(kind trace.Kind, c *Comm, root int, b buffer) {
	if !rec.wholeCollectives {
		return
	}
	e := trace.NewEvent(kind)
	e.Group = c.context
	if root != nobody {
		e.Peer = c.global(root, kind.String()+" with root")
	}
	setLayout(&e, &b, rec.space)
	rec.addEvent(e)
	rec.inCollective = true
}

func (rec *recorder) leave() { rec.inCollective = false }
