package goal

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// The binary form, little endian and packed. Its offsets count from byte 8.
const (
	goalBase   = 8  // start of offsets, after a cookie of 8 bytes
	goalTable  = 14 // the jump table, after number of ranks (4), highest cpu (1) and nic (1)
	goalRange  = 16 // entry of each rank in it: start (8) and end (8)
	goalCounts = 8  // a rank begins with its number of operations (4) and of roots (4), then the roots (4 each)
	goalNode   = 39 // then the operations, of this size:
	goalType   = 4  // after the number of operations that it waits for (4): type (1),
	goalPeer   = 5  // peer (4),
	goalSize   = 9  // size (8),
	goalTag    = 17 // tag (4),
	goalCPU    = 21 // cpu (1),
	goalNIC    = 22 // nic (1),
	goalEnds   = 23 // operations that wait for its end: number (4), and start in the appendix (4),
	goalStarts = 31 // and the same for its start
	goalIndex  = 4  // then the appendix: numbers of operations
)

// goalAny is -1: any rank or tag.
const goalAny = math.MaxUint32

// goalTypes maps the types of operations to kinds.
var goalTypes = []trace.Kind{1: trace.Send, 2: trace.Recv, 3: trace.Compute}

// goalBinary reads schedules in the binary form.
type goalBinary struct {
	goalImport
	file   string
	in     *goalBytes
	ranges []goalSpan // in the order of the file
	rank   int64
	base   int64 // offset of block
	block  []byte
	roots  []byte
	nodes  []byte
	index  []byte // the appendix
	used   int    // used entries of index
	waits  []uint32
}

// goalSpan is the range of a rank in the file.
type goalSpan struct {
	rank     int64
	from, to uint64
}

func (p *goalBinary) run(in *input.Input) (format.Result, error) {
	p.file = in.Name
	p.in = newGoalBytes(in)
	defer p.in.stop()
	if err := p.header(); err != nil {
		return format.Result{}, err
	}
	operations := 0
	for _, s := range p.ranges {
		if err := p.read(s); err != nil {
			return format.Result{}, err
		}
		if err := p.decode(); err != nil {
			return format.Result{}, err
		}
		operations += len(p.graph.ops)
		if err := p.endRank(p.rank); err != nil {
			return format.Result{}, err
		}
	}
	extra, err := p.in.rest()
	if err != nil {
		return format.Result{}, err
	}
	r, err := p.result(uint64(operations))
	if extra > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d bytes after the last rank ignored", extra))
	}
	return r, err
}

// fail returns an error at an offset; record is a rank in the jump table, or an
// operation.
func (p *goalBinary) fail(record, offset int64, format string, args ...any) error {
	return &trace.SyntaxError{File: p.file, Record: record, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// header reads the bytes before the first rank.
func (p *goalBinary) header() error {
	head, err := p.in.take(nil, goalTable)
	if err != nil {
		return err
	}
	if len(head) >= goalBase && binary.LittleEndian.Uint64(head) == goalUsedCookie {
		return p.fail(0, 0, "cookie %d: a destructive run of LogGOPSim consumed this file; make it again with txt2bin", goalUsedCookie)
	}
	if len(head) < goalTable {
		return p.fail(0, int64(len(head)), "the file ends within the header of %d bytes; copy it again", goalTable)
	}
	n := binary.LittleEndian.Uint32(head[goalBase:])
	if n == 0 || n > maxGoalRanks {
		return p.fail(0, goalBase, "%d ranks; the number must be from 1 to %d", n, maxGoalRanks)
	}
	p.ranks = int64(n)
	table, err := p.in.take(nil, goalRange*uint64(n))
	if err != nil {
		return err
	}
	if len(table) < goalRange*int(n) {
		return p.fail(int64(len(table)/goalRange), goalTable+int64(len(table)), "the file ends within the jump table of %d ranks; copy it again", n)
	}
	return p.jumps(table)
}

// jumps reads the jump table. Ranks may be in any order. They are read in the order of
// the file, which may be a pipe.
func (p *goalBinary) jumps(table []byte) error {
	least := uint64(goalTable - goalBase + len(table))
	for i := range p.ranks {
		entry := table[i*goalRange:]
		s := goalSpan{i, binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])}
		at := goalTable + i*goalRange
		switch {
		case s.from < least:
			return p.fail(i, at, "jump table: rank %d begins at %d, before the end of the jump table", i, s.from)
		case s.to < s.from || s.to-s.from < goalCounts:
			return p.fail(i, at, "jump table: rank %d begins at %d and ends at %d, which is too short", i, s.from, s.to)
		case s.to > math.MaxInt64-goalBase:
			return p.fail(i, at, "jump table: rank %d ends past the end of any file", i)
		}
		p.ranges = append(p.ranges, goalSpan{i, s.from + goalBase, s.to + goalBase})
	}
	slices.SortStableFunc(p.ranges, func(a, b goalSpan) int { return cmpUint64(a.from, b.from) })
	for i := 1; i < len(p.ranges); i++ {
		if a, b := p.ranges[i-1], p.ranges[i]; b.from < a.to {
			return p.fail(b.rank, goalTable+b.rank*goalRange, "jump table: rank %d lies within rank %d", b.rank, a.rank)
		}
	}
	return nil
}

func cmpUint64(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// read sets block to the bytes of one rank.
func (p *goalBinary) read(s goalSpan) error {
	p.rank, p.base = s.rank, int64(s.from)
	err := p.in.skipTo(s.from)
	if err == nil {
		p.block, err = p.in.take(p.block[:0], s.to-s.from)
	}
	if err != nil {
		return err
	}
	if uint64(len(p.block)) < s.to-s.from {
		return p.fail(s.rank, goalTable+s.rank*goalRange, "jump table: the range of rank %d ends at offset %d, past the end of the file at %d; copy the file again",
			s.rank, s.to, p.in.offset)
	}
	return nil
}

// decode makes the graph of one rank from its bytes.
func (p *goalBinary) decode() error {
	ops, roots := uint64(binary.LittleEndian.Uint32(p.block)), uint64(binary.LittleEndian.Uint32(p.block[4:]))
	room := uint64(len(p.block)) - goalCounts
	if need := goalIndex*roots + goalNode*ops; need > room || (room-need)%goalIndex != 0 || ops > math.MaxInt32 {
		return p.fail(0, p.base, "rank %d has %d operations and %d roots, more than its %d bytes can hold", p.rank, ops, roots, len(p.block))
	}
	p.roots = p.block[goalCounts:][:goalIndex*roots]
	p.nodes = p.block[goalCounts+len(p.roots):][:goalNode*ops]
	p.index = p.block[goalCounts+len(p.roots)+len(p.nodes):]
	p.used = 0
	p.waits = resized(p.waits, int(ops))
	clear(p.waits)
	for i := range int64(ops) {
		if err := p.operation(i); err != nil {
			return err
		}
	}
	if rest := len(p.index) - p.used*goalIndex; rest > 0 {
		return p.fail(int64(ops), p.base+int64(len(p.block)-rest), "rank %d: %d dependencies in the appendix belong to no operation", p.rank, rest/goalIndex)
	}
	if err := p.counts(); err != nil {
		return err
	}
	if p.graph.collect() {
		if ring := p.graph.cycle(); ring != nil {
			at, msg := p.graph.circular(ring, func(op int) string { return fmt.Sprintf("operation %d", op) })
			return p.fail(int64(ring[0]), at, "rank %d: %s", p.rank, msg)
		}
	}
	return nil
}

// at returns the offset of a byte of operation i.
func (p *goalBinary) at(i int64, field int) int64 {
	return p.base + goalCounts + int64(len(p.roots)) + i*goalNode + int64(field)
}

// operation reads operation i and the operations that wait for it.
func (p *goalBinary) operation(i int64) error {
	node := p.nodes[i*goalNode:][:goalNode]
	kind := int(node[goalType])
	if kind == 0 || kind >= len(goalTypes) {
		return p.fail(i, p.at(i, goalType), "rank %d: operation type %d; types are 1 (send), 2 (recv) and 3 (calc)", p.rank, kind)
	}
	op := goalOp{at: p.at(i, 0), kind: goalTypes[kind], peer: trace.None, tag: trace.None}
	size := binary.LittleEndian.Uint64(node[goalSize:])
	if problem := p.place(op.kind, uint64(node[goalCPU]), uint64(node[goalNIC])); problem != "" {
		return p.fail(i, p.at(i, goalCPU), "rank %d: %s; %s", p.rank, problem, goalStreamsAdvice)
	}
	if op.kind == trace.Compute {
		if size > math.MaxInt64/uint64(p.unit) {
			return p.fail(i, p.at(i, goalSize), "rank %d: calc %d takes over 106 days; make calc 1 shorter with --set unit", p.rank, size)
		}
		op.size = int64(size) * p.unit
	} else {
		if size > math.MaxInt64 {
			return p.fail(i, p.at(i, goalSize), "rank %d: a size of %d bytes is over 2^63-1", p.rank, size)
		}
		op.size = int64(size)
		if err := p.address(i, node, &op); err != nil {
			return err
		}
	}
	p.graph.ops = append(p.graph.ops, op)
	p.count(op.kind)
	if err := p.waiting(i, goalEnds, &p.graph.requires); err != nil {
		return err
	}
	return p.waiting(i, goalStarts, &p.graph.irequires)
}

// address reads the peer and tag of a message.
func (p *goalBinary) address(i int64, node []byte, op *goalOp) error {
	peer, tag := binary.LittleEndian.Uint32(node[goalPeer:]), binary.LittleEndian.Uint32(node[goalTag:])
	wild := op.kind == trace.Recv
	if int64(peer) >= p.ranks && !(wild && peer == goalAny) {
		return p.fail(i, p.at(i, goalPeer), "rank %d: peer %d, but the file has %d ranks", p.rank, peer, p.ranks)
	}
	if tag > math.MaxInt32 && !(wild && tag == goalAny) {
		return p.fail(i, p.at(i, goalTag), "rank %d: tag %d is over %d", p.rank, tag, math.MaxInt32)
	}
	op.peer, op.tag = int32(peer), int32(tag) // goalAny becomes trace.None
	return nil
}

// waiting reads the operations that wait for operation i. Each entry of the appendix is
// used once, so that a small file cannot have many dependencies.
func (p *goalBinary) waiting(i int64, field int, edges *[]goalEdge) error {
	node := p.nodes[i*goalNode+int64(field):]
	n, first := uint64(binary.LittleEndian.Uint32(node)), uint64(binary.LittleEndian.Uint32(node[4:]))
	have := uint64(len(p.index) / goalIndex)
	if n == 0 {
		return nil // first then has no meaning
	}
	if n > have || first > have-n || uint64(p.used)+n > have {
		return p.fail(i, p.at(i, field), "rank %d: %d dependencies from %d of the appendix, which has %d", p.rank, n, first, have)
	}
	p.used += int(n)
	for list := p.index[first*goalIndex:][:n*goalIndex]; len(list) > 0; list = list[goalIndex:] {
		op := binary.LittleEndian.Uint32(list)
		if int(op) >= len(p.waits) {
			return p.fail(i, p.at(i, field), "rank %d: operation %d depends on it, but there are only %d operations", p.rank, op, len(p.waits))
		}
		p.waits[op]++
		*edges = append(*edges, goalEdge{int32(op), int32(i), p.at(i, 0)})
	}
	return nil
}

// counts compares the edges with the numbers of dependencies of the operations, and
// with the list of operations that have none.
func (p *goalBinary) counts() error {
	free := 0
	for i, n := range p.waits {
		if want := binary.LittleEndian.Uint32(p.nodes[i*goalNode:]); want != n {
			return p.fail(int64(i), p.at(int64(i), 0), "rank %d: operation %d should wait for %d others, but has %d dependencies", p.rank, i, want, n)
		}
		if n == 0 {
			free++
		}
	}
	const listed = math.MaxUint32
	for at := 0; at < len(p.roots); at += goalIndex {
		root := binary.LittleEndian.Uint32(p.roots[at:])
		if int(root) >= len(p.waits) || p.waits[root] != 0 {
			return p.fail(int64(root), p.base+goalCounts+int64(at), "rank %d: operation %d cannot be a root: it does not exist, has dependencies or is listed twice", p.rank, root)
		}
		p.waits[root] = listed
	}
	if n := len(p.roots) / goalIndex; n != free {
		return p.fail(0, p.base+4, "rank %d: %d roots, but %d operations without dependencies", p.rank, n, free)
	}
	return nil
}
