package engine

import "spoor/traces/unit"

// causes are why mails come and pending operations end.
type causes struct {
	now      Cause // of what happens now
	mails    []Cause
	pendings []Cause
	out      []Cause // why the port of a rank is free when it is, and not sooner
	in       []Cause
	links    []Cause // of messages over Model.Net

	row  int64   // of the receive that is posted now, or nowhere
	rows []int64 // of receives, by pending operation
}

// nowhere is the row of what is no operation of its own.
const nowhere int64 = -1

// posts notes the row of the receive of a pending operation.
func (e *engine) posts(n int32) {
	if e.obs == nil {
		return
	}
	for len(e.causes.rows) <= int(n) {
		e.causes.rows = append(e.causes.rows, nowhere)
	}
	e.causes.rows[n] = e.causes.row
}

// matches tells of the message that a receive gets.
func (e *engine) matches(rank, n int32, m *mail) {
	if e.obs != nil && e.causes.rows[n] != nowhere {
		e.obs.Matched(rank, e.causes.rows[n], m.from, m.tag, m.group)
	}
}

// because says that what happens now does so because of what a rank did until a time.
func (e *engine) because(by int32, since unit.Picos) {
	if e.obs != nil {
		e.causes.now = Cause{By: by, Since: since}
	}
}

// becauseOf says that what happens now does so because a mail has come.
func (e *engine) becauseOf(mail int32) {
	if e.obs != nil {
		e.causes.now = e.causes.mails[mail]
	}
}

// becauseOfPort says that what happens now does so because the port for what leaves is free.
func (e *engine) becauseOfPort(rank int32) {
	if e.obs != nil {
		e.causes.now = e.causes.out[rank]
	}
}

// bound says that what happens now does so because of what a port waited for, if it is so; and
// that the port waits for what happens now.
func (e *engine) bound(port []Cause, rank int32, by bool) {
	if e.obs == nil {
		return
	}
	if by {
		e.causes.now = port[rank]
	}
	port[rank] = e.causes.now
}

// boundByLinks says that what happens now does so because of what the message waited for that is before it on the links, if there is one; and that
// others wait for it.
func (e *engine) boundByLinks() {
	if e.obs == nil {
		return
	}
	if n := e.Net.Behind(); n > 0 {
		e.causes.now = e.causes.links[n-1]
	}
	e.causes.links = append(e.causes.links, e.causes.now)
}

// holds says that a port waits for what the rank began at a time.
func (e *engine) holds(port []Cause, rank int32, since unit.Picos) {
	if e.obs != nil {
		port[rank] = Cause{By: rank, Since: since}
	}
}

// keepCause notes the cause of what happens now as that of number i.
func (e *engine) keepCause(all *[]Cause, i int32) {
	if e.obs == nil {
		return
	}
	for len(*all) <= int(i) {
		*all = append(*all, Cause{})
	}
	(*all)[i] = e.causes.now
}
