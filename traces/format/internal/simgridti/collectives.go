package simgridti

import (
	"fmt"
	"slices"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// tiRoot is the default root.
const tiRoot = 0

// root returns value i, or the default.
func (p *tiParser) root(i int) int32 {
	if i >= len(p.values) {
		return tiRoot
	}
	r := p.integer(i, "root", 0)
	if r >= 0 {
		p.reach(r, "root")
	}
	return r
}

func (p *tiParser) doBarrier() error {
	e := trace.NewEvent(trace.Barrier)
	return p.emit(&e)
}

func (p *tiParser) doBcast() error {
	e := trace.NewEvent(trace.Bcast)
	e.Bytes = p.product(p.elements(0, "size"), p.size(2))
	e.Peer = p.root(1)
	return p.emit(&e)
}

func (p *tiParser) doReduce() error {
	e := trace.NewEvent(trace.Reduce)
	e.Bytes = p.product(p.elements(0, "size"), p.size(3))
	e.Work = p.amount(1, "amount of flops")
	e.Peer = p.root(2)
	return p.emit(&e)
}

func (p *tiParser) doVectorOp() error {
	e := trace.NewEvent(p.action.kind)
	e.Bytes = p.product(p.elements(0, "size"), p.size(2))
	e.Work = p.amount(1, "amount of flops")
	return p.emit(&e)
}

func (p *tiParser) doExscan() error {
	p.note(tiExscan)
	return p.doVectorOp()
}

// tiPair has the counts sent and received of a collective, in bytes.
type tiPair struct {
	sent, received int64
	root           int32
}

// pair reads the count sent, the count received, the root if rooted, and two datatypes.
// The tracer omits a received count of 0; then there is one value less.
func (p *tiParser) pair(rooted bool) (v tiPair) {
	after := 2 // values before the root or the datatypes
	full := 4
	if rooted {
		full++
	}
	if len(p.values) == full-1 {
		p.note(tiOmitted)
		after = 1
	}
	types := after
	if rooted {
		v.root = p.root(after)
		types++
	}
	v.sent = p.product(p.elements(0, "size sent"), p.size(types))
	received := p.size(types + 1)
	if after == 2 {
		v.received = p.product(p.elements(1, "size received"), received)
	}
	return v
}

// own returns the bytes that a rank contributes: what it sends or receives. In place,
// it is the amount of the other direction.
func (p *tiParser) own(is, other int64) int64 {
	if is == 0 && other > 0 {
		p.note(tiInPlace)
		return other
	}
	return is
}

func (p *tiParser) doAlltoall() error {
	procs := p.ranksNow()
	v := p.pair(false)
	e := trace.NewEvent(trace.AllToAll)
	e.Bytes = p.product(p.own(v.sent, v.received), int64(procs))
	return p.emit(&e)
}

func (p *tiParser) doAllgather() error {
	v := p.pair(false)
	e := trace.NewEvent(trace.AllGather)
	e.Bytes = p.own(v.sent, v.received)
	return p.emit(&e)
}

func (p *tiParser) doGather() error {
	v := p.pair(true)
	e := trace.NewEvent(trace.Gather)
	e.Peer, e.Bytes = v.root, v.sent
	if v.root == p.rank.number {
		e.Bytes = p.own(v.sent, v.received)
	}
	return p.emit(&e)
}

func (p *tiParser) doScatter() error {
	v := p.pair(true)
	e := trace.NewEvent(trace.Scatter)
	e.Peer, e.Bytes = v.root, v.received
	if v.root == p.rank.number {
		e.Bytes = p.own(v.received, v.sent)
	}
	return p.emit(&e)
}

// vector checks that the values are vectors with one entry for each rank, plus other
// values. besides lists the allowed numbers of other values, the usual one last.
func (p *tiParser) vector(what string, vectors int, besides ...int) bool {
	procs := p.ranksNow()
	if slices.Contains(besides, len(p.values)-vectors*procs) {
		p.note(tiVector)
		return true
	}
	entries := max(0, len(p.values)-besides[len(besides)-1]) / vectors
	noun := "entries"
	if entries == 1 {
		noun = "entry"
	}
	advice := p.moreRanks()
	if advice == "" {
		advice = p.action.name + " has " + p.action.usage
	}
	p.wrong(fmt.Sprintf("%s has %d %s, but the communicator has %s", what, entries, noun, input.Plural(procs, "rank")), advice)
	return false
}

// sum adds the counts from value i on, one for each rank. own is the count of this
// rank.
func (p *tiParser) sum(i int) (all, own int64) {
	for rank := range p.procs {
		n := p.elements(i+rank, "size")
		if all += n; all < 0 {
			p.wrong("the sum of the sizes exceeds 63 bits", "")
			return 0, 0
		}
		if rank == int(p.rank.number) {
			own = n
		}
	}
	return all, own
}

func (p *tiParser) doAlltoallv() error {
	if !p.vector("sendcounts", 2, 2, 4) {
		return p.problem
	}
	types := 2 + 2*p.procs
	sent, _ := p.sum(1)
	received, _ := p.sum(2 + p.procs)
	for _, i := range []int{0, 1 + p.procs} {
		p.elements(i, "size of the buffer")
	}
	e := trace.NewEvent(trace.AllToAll)
	e.Bytes = p.product(sent, p.size(types))
	p.product(received, p.size(types+1))
	return p.emit(&e)
}

func (p *tiParser) doAllgatherv() error {
	n := p.ranksNow()
	if !p.vector("recvcounts", 1, 1, 3+n, 3) {
		return p.problem
	}
	_, received := p.sum(1)
	e := trace.NewEvent(trace.AllGather)
	e.Bytes = p.own(p.product(p.elements(0, "size sent"), p.size(1+n)), p.product(received, p.size(2+n)))
	return p.emit(&e)
}

func (p *tiParser) doGatherv() error {
	if !p.vector("recvcounts", 1, 1, 2, 4) {
		return p.problem
	}
	n := p.procs
	_, received := p.sum(1)
	e := trace.NewEvent(trace.Gather)
	e.Peer = p.root(1 + n)
	e.Bytes = p.product(p.elements(0, "size sent"), p.size(2+n))
	if other := p.product(received, p.size(3+n)); e.Peer == p.rank.number {
		e.Bytes = p.own(e.Bytes, other)
	}
	return p.emit(&e)
}

// doScatterv also accepts lines without the count received, if it is 0.
func (p *tiParser) doScatterv() error {
	if !p.vector("sendcounts", 1, 1, 2, 3, 4) {
		return p.problem
	}
	n := p.procs
	after := n + 1
	received := int64(0)
	if len(p.values)-n == 3 {
		p.note(tiOmitted)
		after--
	} else {
		received = p.elements(n, "size received")
	}
	_, sent := p.sum(0)
	e := trace.NewEvent(trace.Scatter)
	e.Peer = p.root(after)
	e.Bytes = p.product(received, p.size(after+2))
	if other := p.product(sent, p.size(after+1)); e.Peer == p.rank.number {
		e.Bytes = p.own(e.Bytes, other)
	}
	return p.emit(&e)
}

// doReduceScatter emits a reduce of the whole vector and a scatter of the blocks.
func (p *tiParser) doReduceScatter() error {
	if !p.vector("recvcounts", 1, 1, 2) {
		return p.problem
	}
	n := p.procs
	size := p.size(n + 1)
	whole, own := p.sum(0)
	reduce, scatter := trace.NewEvent(trace.Reduce), trace.NewEvent(trace.Scatter)
	reduce.Peer, scatter.Peer = tiRoot, tiRoot
	reduce.Bytes, scatter.Bytes = p.product(whole, size), p.product(own, size)
	reduce.Work = p.amount(n, "amount of flops")
	p.note(tiReduceScatter)
	if err := p.emit(&reduce); err != nil {
		return err
	}
	return p.emit(&scatter)
}
