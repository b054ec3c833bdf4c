package simgridti

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// tiAction is one kind of line.
type tiAction struct {
	name        string
	least, most int    // number of values; most is -1 if it depends on the number of ranks
	usage       string // the values, for errors
	do          func(p *tiParser) error
	kind        trace.Kind
}

// tiActions are the actions of SimGrid's replay.
var tiActions = [...]tiAction{
	{name: "init", most: 1, usage: "none, or any for doubles", do: (*tiParser).doInit},
	{name: "location", most: -1, usage: "a file and a line", do: lose(tiLocationLost)},
	{name: "finalize", usage: "none", do: (*tiParser).doFinalize},
	{name: "compute", least: 1, most: 1, usage: "an amount of flop", do: (*tiParser).doCompute},
	{name: "sleep", least: 1, most: 1, usage: "a number of seconds", do: (*tiParser).doSleep},
	{name: "send", least: 3, most: 4, usage: tiMessageUsage, do: (*tiParser).doSend, kind: trace.Send},
	{name: "isend", least: 3, most: 4, usage: tiMessageUsage, do: (*tiParser).doSend, kind: trace.Isend},
	{name: "recv", least: 3, most: 4, usage: tiMessageUsage, do: (*tiParser).doRecv, kind: trace.Recv},
	{name: "irecv", least: 3, most: 4, usage: tiMessageUsage, do: (*tiParser).doRecv, kind: trace.Irecv},
	{name: "test", least: 3, most: 3, usage: "source, destination and tag", do: (*tiParser).doTest},
	{name: "wait", least: 3, most: 3, usage: "source, destination and tag", do: (*tiParser).doWait},
	{name: "waitall", most: 1, usage: "at most the number of requests", do: (*tiParser).doWaitall},
	{name: "sendRecv", least: 4, most: 6, usage: "count sent, destination, count received, source; optional: two datatypes", do: (*tiParser).doSendRecv},
	{name: "barrier", usage: "none", do: (*tiParser).doBarrier},
	{name: "bcast", least: 1, most: 3, usage: "count; optional: root and datatype", do: (*tiParser).doBcast},
	{name: "reduce", least: 2, most: 4, usage: "count, flop; optional: root and datatype", do: (*tiParser).doReduce},
	{name: "allreduce", least: 2, most: 3, usage: "count, flop; optional: datatype", do: (*tiParser).doVectorOp, kind: trace.AllReduce},
	{name: "scan", least: 2, most: 3, usage: "count, flop; optional: datatype", do: (*tiParser).doVectorOp, kind: trace.Scan},
	{name: "exscan", least: 2, most: 3, usage: "count, flop; optional: datatype", do: (*tiParser).doExscan, kind: trace.Scan},
	{name: "alltoall", least: 2, most: 4, usage: tiPairUsage, do: (*tiParser).doAlltoall},
	{name: "allgather", least: 2, most: 4, usage: tiPairUsage, do: (*tiParser).doAllgather},
	{name: "gather", least: 2, most: 5, usage: tiRootedUsage, do: (*tiParser).doGather},
	{name: "scatter", least: 2, most: 5, usage: tiRootedUsage, do: (*tiParser).doScatter},
	{name: "alltoallv", least: 2, most: -1, usage: "two sizes with a count for each rank; optional: two datatypes", do: (*tiParser).doAlltoallv},
	{name: "allgatherv", least: 1, most: -1, usage: "a count sent, one for each rank; optional: two datatypes", do: (*tiParser).doAllgatherv},
	{name: "gatherv", least: 1, most: -1, usage: "a count sent, one for each rank; optional: root and two datatypes", do: (*tiParser).doGatherv},
	{name: "scatterv", least: 1, most: -1, usage: "a count for each rank, one received; optional: root and two datatypes", do: (*tiParser).doScatterv},
	{name: "reducescatter", least: 1, most: -1, usage: "a count for each rank, flop; optional: datatype", do: (*tiParser).doReduceScatter},
	{name: "comm_size", most: -1, do: lose(tiNoEffect)},
	{name: "comm_split", most: -1, do: lose(tiNoEffect)},
	{name: "comm_dup", most: -1, do: lose(tiNoEffect)},
	{name: "migrate", most: -1, do: lose(tiNoEffect)},
}

// The values of several actions.
const (
	tiMessageUsage = "partner, tag, size (a count); optional: datatype"
	tiPairUsage    = "count sent, count received; optional: two datatypes"
	tiRootedUsage  = "count sent, count received; optional: root and two datatypes"
)

// The indices in tiActions that the code uses.
const (
	tiInit = iota
	tiLocation
)

// tiActionIndex maps each name to its index in tiActions.
var tiActionIndex = func() map[string]int {
	all := map[string]int{}
	for i, a := range tiActions {
		all[a.name] = i
	}
	return all
}()

// lose returns the handler of actions that are omitted.
func lose(o tiOddity) func(p *tiParser) error {
	return func(p *tiParser) error {
		p.note(o)
		return nil
	}
}

func (p *tiParser) doInit() error {
	if p.frozen > 0 {
		return p.bad(fmt.Sprintf("init of rank %d after line %d, where the number of ranks matters", p.rank.number, p.frozen),
			fmt.Sprintf("move the inits of all ranks to the start, or set their number with --set %s=N", tiRanks))
	}
	p.rank.state, p.rank.size = tiRunning, tiByteBytes
	if len(p.values) > 0 {
		p.rank.size = tiDoubleBytes
	}
	p.inits++
	if p.shared && !p.given {
		p.procs = p.inits
	}
	return nil
}

func (p *tiParser) doFinalize() error { return p.rank.end(p) }

func (p *tiParser) doCompute() error {
	whole, fraction, problem := tiNumber(p.values[0])
	work := p.amount(0, "amount of flops")
	if p.problem != nil || problem != "" {
		return p.problem
	}
	p.flops += float64(whole) + fraction
	return p.rank.rankWriter.Compute(work, 0, p.at)
}

func (p *tiParser) doSleep() error {
	whole, fraction, problem := tiNumber(p.values[0])
	if problem != "" || whole < 0 || fraction < 0 {
		return p.bad("a sleep must be a number of seconds from 0", "")
	}
	if p.speed == 0 {
		p.note(tiSleepLost)
		return nil
	}
	flops := (float64(whole) + fraction) * p.speed
	if flops >= 1<<63 {
		return p.bad("the sleep exceeds 63 bits of flop", "")
	}
	p.note(tiSleepPaid)
	full, part := math.Modf(flops)
	return p.rank.rankWriter.Compute(p.carry(int64(full), part), 0, p.at)
}

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
	e := trace.NewEvent(p.action.kind)
	peer, noPartner := p.partner(0, false)
	e.Peer, e.Tag = peer, p.tag(1, false)
	e.Bytes = p.product(p.elements(2, "size"), p.size(3))
	if noPartner || p.problem != nil {
		return p.leaveOut()
	}
	if e.Kind == trace.Isend {
		e.Request = p.rank.requests.add(tiMessage{p.rank.number, peer, e.Tag})
	}
	p.sent += float64(e.Bytes)
	return p.emit(&e)
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
	e := trace.NewEvent(p.action.kind)
	peer, noPartner := p.partner(0, true)
	e.Peer, e.Tag = peer, p.tag(1, true)
	if p.unclear && p.sourceMeaning(e.Tag) == tiNoMessages {
		return p.leaveOutReceive()
	}
	size := p.size(3)
	if n := p.anyElements(2, "size"); n < 0 {
		p.note(tiProbed)
	} else {
		e.Bytes = p.product(n, size)
	}
	if noPartner || p.problem != nil {
		return p.leaveOut()
	}
	if e.Peer == trace.None || e.Tag == trace.None {
		p.note(tiWildcard)
	}
	if e.Kind == trace.Irecv {
		e.Request = p.rank.requests.add(tiMessage{peer, p.rank.number, e.Tag})
	}
	return p.emit(&e)
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
	e := trace.NewEvent(trace.Wait)
	e.Request = id
	return p.emit(&e)
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
