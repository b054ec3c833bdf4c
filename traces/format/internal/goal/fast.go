package goal

import (
	"encoding/binary"
	"math"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// goalWindow exceeds the longest line that fast reads: two labels and five numbers of 18 digits.
const goalWindow = 192

// fast parses plain lines at the start of b, and returns the number of bytes parsed. A plain line is in the block of a
// rank, begins with a numbered label, and has one blank between its words. fast stops at the first other line, and before one with an error.
func (p *goalText) fast(b []byte) int {
	if p.open == 0 || p.comment > 0 || p.slow {
		return 0
	}
	at := 0
	for at+goalWindow <= len(b) {
		p.Line++
		n := p.plain(b[at : at+goalWindow])
		if n == 0 {
			p.Line-- // parse reads the line
			break
		}
		at += n
	}
	return at
}

// Words of eight characters as numbers, and the mask of those of five.
var (
	goalRequires = binary.LittleEndian.Uint64([]byte("requires"))
	goalCalc     = goalFive("calc ")
	goalSend     = goalFive("send ")
	goalRecv     = goalFive("recv ")
)

const goalFiveMask = 1<<40 - 1

func goalFive(word string) uint64 { return binary.LittleEndian.Uint64([]byte(word + "\x00\x00\x00")) }

// plain reads the line at the start of w. It returns its size, or 0 if it did nothing but number labels.
func (p *goalText) plain(w []byte) (size int) {
	label, end := p.labels.read(w, 0)
	switch {
	case end == 0:
		return 0
	case w[end] == ' ' && binary.LittleEndian.Uint64(w[end+1:]) == goalRequires && w[end+9] == ' ':
		other, stop := p.labels.read(w, end+10)
		if stop == end+10 || w[stop] != '\n' {
			return 0
		}
		p.graph.requires = append(p.graph.requires, goalEdge{p.labels.operation(label), p.labels.operation(other), int64(p.Line)})
		return stop + 1
	case w[end] == ':' && w[end+1] == ' ' && p.labels.all[label].op < 0:
		return p.plainOperation(w, end+2, label)
	}
	return 0
}

// plainOperation reads an operation at w[at:]. It returns the end of the line, or 0.
func (p *goalText) plainOperation(w []byte, at int, label int32) (size int) {
	op := goalOp{at: int64(p.Line), label: label, peer: trace.None, tag: trace.None}
	v, end := input.LongDecimalRun(w, at+len("calc "))
	if end == at+len("calc ") || w[end]-'0' <= 9 {
		return 0
	}
	switch binary.LittleEndian.Uint64(w[at:]) & goalFiveMask {
	case goalCalc:
		if v > uint64(math.MaxInt64/p.unit) {
			return 0
		}
		op.kind, op.size = trace.Compute, int64(v)*p.unit
	case goalSend:
		op.kind, op.size = trace.Send, int64(v)
		end = p.plainPeer(w, end, "b to ", &op)
	case goalRecv:
		op.kind, op.size = trace.Recv, int64(v)
		end = p.plainPeer(w, end, "b from ", &op)
	default:
		return 0
	}
	var cpu, nic uint64
	if end > 0 {
		cpu, nic, end = plainOptions(w, end, &op)
	}
	if end == 0 || w[end] != '\n' || p.place(op.kind, cpu, nic) != "" {
		return 0
	}
	p.labels.all[label].op = int32(len(p.graph.ops))
	p.graph.ops = append(p.graph.ops, op)
	p.count(op.kind)
	return end + 1
}

// plainPeer reads the direction and the peer of a message, which has tag 0 if it has none. It returns their end, or 0.
func (p *goalText) plainPeer(w []byte, at int, direction string, op *goalOp) (end int) {
	from := at + len(direction)
	if string(w[at:from]) != direction {
		return 0
	}
	peer, end := input.LongDecimalRun(w, from)
	if end == from || peer >= uint64(p.ranks) {
		return 0
	}
	op.peer, op.tag = int32(peer), 0
	return end
}

// plainOptions reads tag, cpu and nic of an operation. It returns their end, or 0.
func plainOptions(w []byte, at int, op *goalOp) (cpu, nic uint64, end int) {
	if op.kind != trace.Compute {
		tag, end := plainOption(w, at, " tag ", uint64(uint32(op.tag)), math.MaxInt32)
		op.tag, at = int32(tag), end
	}
	cpu, at = plainOption(w, at, " cpu ", 0, math.MaxUint8)
	if op.kind != trace.Compute {
		nic, at = plainOption(w, at, " nic ", 0, math.MaxUint8)
	}
	return cpu, nic, at
}

// plainOption reads an option, which may be missing. It returns its end, or 0 if its value is not from 0 to most.
func plainOption(w []byte, at int, name string, missing, most uint64) (v uint64, end int) {
	from := at + len(name)
	if w[at] != ' ' || string(w[at:from]) != name {
		return missing, at
	}
	v, end = input.LongDecimalRun(w, from)
	if end == from || v > most {
		return 0, 0
	}
	return v, end
}
