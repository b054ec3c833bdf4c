package forkjoin

import (
	"math"
	"slices"

	"spoor/traces/trace"
)

// maxOperations bounds the memory of a Program: an operation takes 16 bytes.
const maxOperations = 1 << 26

// Builder makes a Program of events, which come by processor.
type Builder struct {
	p      Program
	match  matcher
	procs  int
	events uint64
	proc   trace.Proc

	// Rows of the present processor: its stage begins at from, and the stage before it at before.
	row, from, before int
	stages            int // of the present processor
}

// NewBuilder returns a Builder for the events of so many processors. events is their number, or 0 if it is not known.
func NewBuilder(procs int, events uint64) *Builder {
	return &Builder{procs: procs, events: events, match: newMatcher(), p: Program{starts: make([]uint32, 1, procs+1)}}
}

// Add adds the next event. It returns false if the programs are not such stages; the Builder cannot be used then.
func (b *Builder) Add(p trace.Proc, e *trace.Event) bool {
	b.endBefore(p)
	if len(b.p.ops) == maxOperations || !b.stage(e) || e.Bytes < 0 || e.Bytes > math.MaxUint32 {
		return false
	}
	b.row++
	if e.Kind == trace.Compute {
		b.append(operation{link: uint64(len(b.p.work)), kind: compute})
		b.p.work = append(grown(b.p.work), Work{e.Work, e.Instr, int32(p)})
		return true
	}
	if e.Instr > 0 || e.Peer < 0 || e.Peer == int32(p) || int(e.Peer) >= b.procs || e.Tag < 0 {
		return false
	}
	c := channel{from: int32(p), to: e.Peer, tag: e.Tag, group: e.Group}
	op := operation{kind: send, bytes: uint32(e.Bytes)}
	switch e.Kind {
	case trace.Send:
		b.p.longest = max(b.p.longest, op.bytes)
	case trace.Recv:
		op.kind, c.from, c.to = recv, c.to, c.from
	default:
		return false
	}
	b.append(op)
	return b.match.add(b.p.ops, uint32(len(b.p.ops)-1), c, b.row-1-b.from)
}

// append appends an operation. Once there are some, it makes room for all.
func (b *Builder) append(op operation) {
	if have := uint64(len(b.p.ops)); have == uint64(cap(b.p.ops)) && have > 0 && have < min(b.events, maxOperations) {
		b.p.ops = slices.Grow(b.p.ops, int(min(b.events, maxOperations)-have))
	}
	b.p.ops = append(grown(b.p.ops), op)
}

// grown returns a slice with room for one more element. It doubles, so that each element is copied about once.
func grown[T any](s []T) []T {
	if len(s) == cap(s) {
		return slices.Grow(s, max(1<<10, len(s)))
	}
	return s
}

// endBefore ends all processors before one.
func (b *Builder) endBefore(p trace.Proc) {
	for ; b.proc < p; b.proc++ {
		b.endStage()
		b.p.starts = append(b.p.starts, uint32(len(b.p.ops)))
		b.row, b.from, b.before, b.stages = 0, 0, 0, 0
	}
}

// endStage marks the end of the present stage.
func (b *Builder) endStage() {
	if b.row > 0 {
		b.p.ops[len(b.p.ops)-1].last = true
	}
}

// stage begins another stage if the event needs all of the present one. It returns false if the event belongs to neither of the two. A
// computation is alone in its stage.
func (b *Builder) stage(e *trace.Event) bool {
	needs, row := e.Needs, b.row
	if needs == nil && row > 0 {
		return false // of a sequence, in which operations wait for each other
	}
	alone := e.Kind == trace.Compute || row > b.from && b.p.ops[len(b.p.ops)-1].kind == compute
	switch {
	case (row == b.from || !alone) && needsAll(needs, b.before, b.from):
		return true
	case row > b.from && needsAll(needs, b.from, row):
		b.endStage()
		b.before, b.from = b.from, row
		return true
	}
	return false
}

// needsAll reports whether needs are the rows from one to before another, in any order.
func needsAll(needs []int64, from, to int) bool {
	if len(needs) != to-from {
		return false
	}
	for i, n := range needs {
		if n != int64(from+i) {
			sorted := slices.Clone(needs)
			slices.Sort(sorted)
			return sorted[0] == int64(from) && sorted[len(sorted)-1] == int64(to-1) && len(slices.Compact(sorted)) == to-from
		}
	}
	return true
}

// Program returns the programs, or nil if a message or a receive has no match.
func (b *Builder) Program() *Program {
	b.endBefore(trace.Proc(b.procs))
	if b.match.unmatched > 0 {
		return nil
	}
	return &b.p
}
