package engine

import (
	"spoor/predict/internal/engine/observe"
	"spoor/traces/unit"
)

// causes holds why packets come and why pending operations end.
type causes struct {
	now        observe.Cause // of the present event
	packets    []observe.Cause
	pendingOps []observe.Cause
	out        []observe.Cause // why the port of a rank is not free sooner
	in         []observe.Cause
	links      []observe.Cause          // why messages over Model.Net were sent
	departure  observe.Cause            // why the last of them left
	pairs      map[uint64]observe.Cause // of the last message between two ranks, if Model.usesLinks

	task *task   // that posts receives now although its processor is busy with something else, or nil
	row  int64   // of the receive that is being posted, or noRow
	rows []int64 // of receives, by pending operation
}

// noRow is the row of what is not an operation of a program.
const noRow int64 = -1

// noteReceiveRow notes the row of the receive of a pending operation.
func (e *engine) noteReceiveRow(n int32) {
	if e.obs == nil {
		return
	}
	for len(e.causes.rows) <= int(n) {
		e.causes.rows = append(e.causes.rows, noRow)
	}
	e.causes.rows[n] = e.causes.row
}

// reportMatched tells the observer which message a receive gets.
func (e *engine) reportMatched(rank, n int32, m *packet) {
	if e.obs != nil && e.causes.rows[n] != noRow {
		e.obs.Matched(rank, e.causes.rows[n], m.from, m.tag, m.group)
	}
}

// setCause sets the cause of the present event: what rank by did until since.
func (e *engine) setCause(by int32, since unit.Picos) {
	if e.obs != nil {
		e.causes.now = observe.Cause{By: by, Since: since}
	}
}

// setCausePosted sets the cause to a rank that posts a receive, or that takes a message up.
func (e *engine) setCausePosted(by int32, since unit.Picos) {
	if e.setCause(by, since); e.obs != nil && e.causes.task != nil {
		e.causes.now = e.causes.task.cause
	}
}

// beginPosting sets the task that posts receives now, if the cause is what the task waited for and not its busy
// processor. That happens in LogGOPSim's collectives.
func (e *engine) beginPosting(s *task, busy bool) {
	if e.causes.task = nil; e.obs != nil && busy && s.endedAt == s.t {
		e.causes.task = s
	}
}

// setCausePacket sets the cause to the arrival of a packet.
func (e *engine) setCausePacket(nextArrival int32) {
	if e.obs != nil {
		e.causes.now = e.causes.packets[nextArrival]
	}
}

// setCausePort sets the cause to the send port of a rank, which becomes free.
func (e *engine) setCausePort(rank int32) {
	if e.obs != nil {
		e.causes.now = e.causes.out[rank]
	}
}

// chainPort sets the cause to what a port waited for, if by is set. It then makes the present event what the port
// waits for.
func (e *engine) chainPort(port []observe.Cause, rank int32, by bool) {
	if e.obs == nil {
		return
	}
	if by {
		e.causes.now = port[rank]
	}
	port[rank] = e.causes.now
}

// chainLinks does the same for a message over links, which leaves and arrives.
func (e *engine) chainLinks() {
	if e.obs == nil {
		return
	}
	c := &e.causes
	c.links = append(c.links, c.now)
	c.departure = c.now
	left, came := e.Net.Blockers()
	if left > 0 {
		c.departure = c.links[left-1]
	}
	if came > 0 {
		c.now = c.links[came-1]
	}
}

// setCauseDeparture sets the cause to the departure of the last message over links.
func (e *engine) setCauseDeparture(from, to int) {
	if e.obs != nil && from != to {
		e.causes.now = e.causes.departure
	}
}

// chainOrder does the same for the order of messages. If a message was held until the one before it of the same pair
// came, its cause is the cause of that message. It then becomes what later messages of the pair wait for.
func (e *engine) chainOrder(pair uint64, held bool) {
	if e.obs == nil {
		return
	}
	if held {
		e.causes.now = e.causes.pairs[pair]
	}
	e.causes.pairs[pair] = e.causes.now
}

// setPortCause makes a port wait for what the rank began at a time.
func (e *engine) setPortCause(port []observe.Cause, rank int32, since unit.Picos) {
	if e.obs != nil {
		port[rank] = observe.Cause{By: rank, Since: since}
	}
}

// saveCause stores the present cause under number i.
func (e *engine) saveCause(all *[]observe.Cause, i int32) {
	if e.obs == nil {
		return
	}
	for len(*all) <= int(i) {
		*all = append(*all, observe.Cause{})
	}
	(*all)[i] = e.causes.now
}
