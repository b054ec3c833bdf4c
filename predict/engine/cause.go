package engine

import "spoor/traces/unit"

// causes are why mails come and pending operations end.
type causes struct {
	now        Cause // of what happens now
	packets    []Cause
	pendingOps []Cause
	out        []Cause // why the port of a rank is free when it is, and not sooner
	in         []Cause
	links      []Cause          // why messages over Model.Net were sent
	departure  Cause            // why the last of them has left
	pairs      map[uint64]Cause // of when the last message between two ranks came, if Model.linked

	task *task   // that posts receives now though its processor is busy with something else, or nil
	row  int64   // of the receive that is posted now, or nowhere
	rows []int64 // of receives, by pending operation
}

// nowhere is the row of what is no operation of its own.
const noRow int64 = -1

// posts notes the row of the receive of a pending operation.
func (e *engine) noteReceiveRow(n int32) {
	if e.obs == nil {
		return
	}
	for len(e.causes.rows) <= int(n) {
		e.causes.rows = append(e.causes.rows, noRow)
	}
	e.causes.rows[n] = e.causes.row
}

// matches tells of the message that a receive gets.
func (e *engine) reportMatched(rank, n int32, m *packet) {
	if e.obs != nil && e.causes.rows[n] != noRow {
		e.obs.Matched(rank, e.causes.rows[n], m.from, m.tag, m.group)
	}
}

// because says that what happens now does so because of what a rank did until a time.
func (e *engine) setCause(by int32, since unit.Picos) {
	if e.obs != nil {
		e.causes.now = Cause{By: by, Since: since}
	}
}

// becausePosted says that what happens now does so because a rank posts a receive, or has its processor take the message up.
func (e *engine) setCausePosted(by int32, since unit.Picos) {
	if e.setCause(by, since); e.obs != nil && e.causes.task != nil {
		e.causes.now = e.causes.task.cause
	}
}

// posting says which strand posts receives now, if it does so because of what it waited for, and not of what its processor did: LogGOPSim's do,
// in collectives.
func (e *engine) beginPosting(s *task, busy bool) {
	if e.causes.task = nil; e.obs != nil && busy && s.endedAt == s.t {
		e.causes.task = s
	}
}

// becauseOf says that what happens now does so because a mail has come.
func (e *engine) setCausePacket(mail int32) {
	if e.obs != nil {
		e.causes.now = e.causes.packets[mail]
	}
}

// becauseOfPort says that what happens now does so because the port for what leaves is free.
func (e *engine) setCausePort(rank int32) {
	if e.obs != nil {
		e.causes.now = e.causes.out[rank]
	}
}

// bound says that what happens now does so because of what a port waited for, if it is so; and
// that the port waits for what happens now.
func (e *engine) chainPort(port []Cause, rank int32, by bool) {
	if e.obs == nil {
		return
	}
	if by {
		e.causes.now = port[rank]
	}
	port[rank] = e.causes.now
}

// boundByLinks says that a message over links leaves, and what happens now, which is that it comes, does so because of what it waited for, if there is
// something.
func (e *engine) chainLinks() {
	if e.obs == nil {
		return
	}
	c := &e.causes
	c.links = append(c.links, c.now)
	c.departure = c.now
	left, came := e.Net.Behind()
	if left > 0 {
		c.departure = c.links[left-1]
	}
	if came > 0 {
		c.now = c.links[came-1]
	}
}

// becauseLeft says that what happens now does so because the last message over links has left.
func (e *engine) setCauseDeparture(from, to int) {
	if e.obs != nil && from != to {
		e.causes.now = e.causes.departure
	}
}

// boundByOrder says that what comes to a rank now does so because of what the message before it of the same pair waited for, if it was held until that
// came; and that those after it are held by what comes now.
func (e *engine) chainOrder(pair uint64, held bool) {
	if e.obs == nil {
		return
	}
	if held {
		e.causes.now = e.causes.pairs[pair]
	}
	e.causes.pairs[pair] = e.causes.now
}

// holds says that a port waits for what the rank began at a time.
func (e *engine) setPortCause(port []Cause, rank int32, since unit.Picos) {
	if e.obs != nil {
		port[rank] = Cause{By: rank, Since: since}
	}
}

// keepCause notes the cause of what happens now as that of number i.
func (e *engine) saveCause(all *[]Cause, i int32) {
	if e.obs == nil {
		return
	}
	for len(*all) <= int(i) {
		*all = append(*all, Cause{})
	}
	(*all)[i] = e.causes.now
}
