package goal

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// goalKind returns the operation called word.
func goalKind(word []byte) (kind trace.Kind, ok bool) {
	switch string(word) {
	case "calc":
		return trace.Compute, true
	case "send":
		return trace.Send, true
	case "recv":
		return trace.Recv, true
	}
	return 0, false
}

// operation reads the rest of a calc, send or recv.
func (p *goalText) operation(kind trace.Kind, label int32) (err error) {
	if p.open == 0 {
		return p.bad("an operation outside the blocks of ranks", "")
	}
	op := goalOp{at: int64(p.Line), label: label, peer: trace.None, tag: trace.None, kind: kind}
	if kind == trace.Compute {
		err = p.calc(&op)
	} else {
		err = p.message(&op)
	}
	if err != nil {
		return err
	}
	if label >= 0 {
		p.labels.all[label].op = int32(len(p.graph.ops))
	}
	p.graph.ops = append(p.graph.ops, op)
	p.count(op.kind)
	return nil
}

// calc reads the part after calc.
func (p *goalText) calc(op *goalOp) error {
	n, err := p.number("time")
	if err != nil {
		return err
	}
	if n > math.MaxInt64/uint64(p.unit) {
		return p.bad("calc takes over 106 days", "make calc 1 shorter with --set unit")
	}
	op.size = int64(n) * p.unit
	return p.options(op)
}

// message reads the part after send or recv.
func (p *goalText) message(op *goalOp) error {
	size, err := p.number("size")
	if err != nil {
		return err
	}
	if size > math.MaxInt64 {
		return p.bad("a size over 2^63-1 bytes", "")
	}
	op.size, op.tag = int64(size), 0
	p.skip()
	if string(p.word()) != "b" {
		return p.bad(`expected "b" after the size`, "sizes are in bytes, such as 8b")
	}
	p.skip()
	direction := "to"
	if op.kind == trace.Recv {
		direction = "from"
	}
	if string(p.word()) != direction {
		return p.bad(fmt.Sprintf("%s takes %q and a rank", op.kind, direction), "")
	}
	if op.kind != trace.Recv || !p.any() {
		peer, err := p.number("rank")
		if err != nil {
			return err
		}
		if peer >= uint64(p.ranks) {
			return p.bad(fmt.Sprintf("peer %d, but num_ranks is %d", peer, p.ranks), "")
		}
		op.peer = int32(peer)
	}
	return p.options(op)
}

// goalOptions are the options in their required order.
var goalOptions = []string{"tag", "cpu", "nic"}

// options reads the rest of an operation.
func (p *goalText) options(op *goalOp) error {
	p.cpu, p.nic = 0, 0
	for next := 0; p.skip(); {
		word := p.word()
		at := next
		for at < len(goalOptions) && goalOptions[at] != string(word) {
			at++
		}
		switch {
		case at == len(goalOptions):
			return p.bad("expected the end of the line, or tag, cpu and nic, each once and in this order", "")
		case op.kind == trace.Compute && goalOptions[at] != "cpu":
			return p.bad("calc has no "+goalOptions[at], "")
		}
		if err := p.option(op, goalOptions[at]); err != nil {
			return err
		}
		next = at + 1
	}
	if problem := p.place(op.kind, p.cpu, p.nic); problem != "" {
		return p.bad(problem, goalStreamsAdvice)
	}
	return nil
}

// option reads the value of one option.
func (p *goalText) option(op *goalOp, name string) error {
	if name == "tag" && op.kind == trace.Recv && p.any() {
		op.tag = trace.None
		return nil
	}
	v, err := p.number(name)
	if err != nil {
		return err
	}
	if name == "tag" {
		if v > math.MaxInt32 {
			return p.bad(fmt.Sprintf("tag %d is over %d", v, math.MaxInt32), "")
		}
		op.tag = int32(v)
		return nil
	}
	if v > math.MaxUint8 {
		return p.bad(fmt.Sprintf("%s %d is over %d", name, v, math.MaxUint8), "")
	}
	if name == "cpu" {
		p.cpu = v
	} else {
		p.nic = v
	}
	return nil
}
