package simgridti

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// partner returns value i, a rank. If receives is true, it may be any rank. noPartner
// reports MPI_PROC_NULL.
func (p *tiParser) partner(i int, receives bool) (rank int32, noPartner bool) {
	rank = p.integer(i, "partner", math.MinInt32)
	p.unclear = receives && rank == tiUndefined
	switch {
	case rank >= 0:
		p.reach(rank, "partner")
	case rank == tiProcNull, rank == tiUndefined && !receives:
		return trace.None, true
	case receives && (rank == tiAnySource || rank == tiUndefined):
		return trace.None, false
	default:
		p.wrong(fmt.Sprintf("partner %d", rank), fmt.Sprintf("ranks are from 0; %d is any source, %d no partner", tiAnySource, tiProcNull))
	}
	return rank, false
}

// tag returns value i. If receives is true, it may be any tag.
func (p *tiParser) tag(i int, receives bool) int32 {
	tag := p.integer(i, "tag", math.MinInt32)
	if tag == tiAnyTag && receives {
		return trace.None
	}
	if tag < 0 {
		p.wrong(fmt.Sprintf("tag %d", tag), fmt.Sprintf("tags are from 0; receives may use %d (any tag)", tiAnyTag))
	}
	return tag
}

func (p *tiParser) doSend() error {
	peer, noPartner := p.partner(0, false)
	tag := p.tag(1, false)
	size := p.product(p.elements(2, "size"), p.size(3))
	if noPartner || p.problem != nil {
		return p.leaveOut()
	}
	return p.emitSend(peer, tag, size)
}

// emitSend emits a send or an isend.
func (p *tiParser) emitSend(peer, tag int32, size int64) error {
	e, err := p.rank.rankWriter.Next(p.action.kind)
	if err != nil {
		return err
	}
	e.Peer, e.Tag, e.Bytes = peer, tag, size
	if e.Kind == trace.Isend {
		e.Request = p.rank.requests.add(tiMessage{p.rank.number, peer, tag})
	}
	p.sent += float64(size)
	return p.rank.rankWriter.Done(p.at)
}

// leaveOut omits an action without partner, unless its line is invalid.
func (p *tiParser) leaveOut() error {
	if p.problem == nil {
		p.note(tiNoPartner)
	}
	return p.problem
}

// leaveOutReceive omits a receive from MPI_PROC_NULL, which the counts tell.
func (p *tiParser) leaveOutReceive() error {
	if p.problem == nil {
		p.note(tiNobody)
	}
	return p.problem
}

func (p *tiParser) doRecv() error {
	peer, noPartner := p.partner(0, true)
	tag := p.tag(1, true)
	if p.unclear && p.sourceMeaning(tag) == tiNoMessages {
		return p.leaveOutReceive()
	}
	elementSize, size := p.size(3), int64(0)
	if n := p.anyElements(2, "size"); n < 0 {
		p.note(tiProbed)
	} else {
		size = p.product(n, elementSize)
	}
	if noPartner || p.problem != nil {
		return p.leaveOut()
	}
	if peer == trace.None || tag == trace.None {
		p.note(tiWildcard)
	}
	return p.emitRecv(peer, tag, size)
}

// emitRecv emits a recv or an irecv.
func (p *tiParser) emitRecv(peer, tag int32, size int64) error {
	e, err := p.rank.rankWriter.Next(p.action.kind)
	if err != nil {
		return err
	}
	e.Peer, e.Tag, e.Bytes = peer, tag, size
	if e.Kind == trace.Irecv {
		e.Request = p.rank.requests.add(tiMessage{peer, p.rank.number, tag})
	}
	return p.rank.rankWriter.Done(p.at)
}

// request finds the request of a wait or test. known is false if there is no partner,
// or if the line is invalid.
func (p *tiParser) request() (i int32, known bool) {
	from, noSource := p.partner(0, true)
	unclear := p.unclear
	to, noTarget := p.partner(1, false)
	m := tiMessage{from, to, p.tag(2, true)}
	noSource = noSource || unclear && p.sourceMeaning(m.tag) == tiNoMessages
	if noSource || noTarget {
		p.note(tiNoPartner)
		return tiNoRequest, false
	}
	if p.problem != nil {
		return tiNoRequest, false
	}
	i, wild := p.rank.requests.find(m, p.rank.number)
	if wild {
		p.note(tiWaitWild)
	}
	return i, true
}

func (p *tiParser) doWait() error {
	i, known := p.request()
	if !known {
		return p.problem
	}
	if i == tiNoRequest {
		return p.bad("wait matches no open irecv or isend", "a wait names source, destination and tag of its message")
	}
	return p.wait(p.rank.requests.take(i))
}

// wait emits the end of request id.
func (p *tiParser) wait(id int32) error {
	if p.problem != nil {
		return p.problem
	}
	e, err := p.rank.rankWriter.Next(trace.Wait)
	if err != nil {
		return err
	}
	e.Request = id
	return p.rank.rankWriter.Done(p.at)
}

func (p *tiParser) doTest() error {
	i, known := p.request()
	if !known {
		return p.problem
	}
	if i == tiNoRequest {
		p.note(tiTestLost)
		return nil
	}
	r := &p.rank.requests.all[i]
	r.tested = true
	p.note(tiTested)
	e := trace.NewEvent(trace.Test)
	e.Request = r.id
	return p.emit(&e)
}

func (p *tiParser) doWaitall() error {
	q := &p.rank.requests
	if len(p.values) > 0 {
		if n := p.elements(0, "number of requests"); n < int64(q.open) {
			p.note(tiWaitFew)
		}
	}
	for q.oldest != tiNoRequest && p.problem == nil {
		if err := p.wait(q.take(q.oldest)); err != nil {
			return err
		}
	}
	return p.problem
}

func (p *tiParser) doSendRecv() error {
	send, recv := trace.NewEvent(trace.Send), trace.NewEvent(trace.Irecv)
	var toNobody, fromNobody bool
	send.Peer, toNobody = p.partner(1, false)
	recv.Peer, fromNobody = p.partner(3, true)
	fromNobody = fromNobody || p.unclear && p.sourceMeaning(0) == tiNoMessages
	send.Bytes = p.product(p.elements(0, "size"), p.size(4))
	recv.Bytes = p.product(p.elements(2, "size"), p.size(5))
	send.Tag, recv.Tag = 0, 0
	if p.problem != nil {
		return p.problem
	}
	p.note(tiSendRecv)
	if recv.Peer == trace.None && !fromNobody {
		p.note(tiWildcard)
	}
	if toNobody || fromNobody {
		p.note(tiNoPartner)
	}
	if !fromNobody {
		recv.Request = p.rank.requests.number()
		if err := p.emit(&recv); err != nil {
			return err
		}
	}
	if !toNobody {
		if err := p.emit(&send); err != nil {
			return err
		}
	}
	if fromNobody {
		return nil
	}
	return p.wait(recv.Request)
}
