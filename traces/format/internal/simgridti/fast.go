package simgridti

import (
	"encoding/binary"
	"math"

	"spoor/traces/internal/input"
)

// tiPlain is a frequent action, as eight bytes of text that begin with its name and a blank.
type tiPlain struct {
	text, mask uint64
	size       int // of the name and the blank
	index      int // in tiActions
	values     int
	do         func(p *tiParser) bool
}

// tiPlainValues is the most values of a plain action.
const tiPlainValues = 4

// tiPlains are the actions that fast knows. compute is not among them: its value may have a fraction.
var tiPlains = []tiPlain{
	tiPlainOf("isend", 4, (*tiParser).plainSend), tiPlainOf("irecv", 4, (*tiParser).plainRecv), tiPlainOf("wait", 3, (*tiParser).plainWait),
	tiPlainOf("send", 4, (*tiParser).plainSend), tiPlainOf("recv", 4, (*tiParser).plainRecv),
}

func tiPlainOf(name string, values int, do func(*tiParser) bool) tiPlain {
	size := len(name) + 1
	text := append([]byte(name), ' ', 0, 0, 0)
	return tiPlain{binary.LittleEndian.Uint64(text), 1<<(8*size) - 1, size, tiActionIndex[name], values, do}
}

// tiComputeText is "compute " as a number.
var (
	tiComputeText  = binary.LittleEndian.Uint64([]byte("compute "))
	tiComputeIndex = tiActionIndex["compute"]
)

// tiWindow exceeds the longest line that fast reads: a rank, a name, and four values of 18 digits.
const tiWindow = 128

// fast parses plain lines at the start of b, and returns the number of bytes parsed. A plain line has one blank between
// its fields, a running rank, and a frequent action with whole numbers. fast stops at the first other line,
// and before one with an error.
func (p *tiParser) fast(b []byte) int {
	at := 0
	for at+tiWindow <= len(b) && p.failed == nil && !p.slow {
		w := b[at : at+tiWindow]
		r, n := p.plainRank(w)
		if r == nil {
			break
		}
		p.Line++
		p.at.At = int64(p.Line)
		p.rank, p.problem = r, nil
		index, size := p.plainAction(w[n:])
		if size == 0 {
			p.Line-- // act reads the line
			break
		}
		p.counts[index]++
		r.last = p.at
		at += n + size
	}
	return at
}

// plainRank reads a rank and a blank at the start of w. r is nil if it is not a running one.
func (p *tiParser) plainRank(w []byte) (r *tiRank, size int) {
	number, n := input.LongDecimalRun(w, 0)
	if n == 0 || w[n] != ' ' || number >= uint64(len(p.ranks)) {
		return nil, 0
	}
	r = p.ranks[number]
	if r == nil || r.state != tiRunning || !p.shared && r != p.owner {
		return nil, 0
	}
	return r, n + 1
}

// plainAction does the action at the start of w. It returns the size of the rest of the line, or 0 if it did nothing.
func (p *tiParser) plainAction(w []byte) (index, size int) {
	name := binary.LittleEndian.Uint64(w)
	if name == tiComputeText {
		return tiComputeIndex, p.plainCompute(w)
	}
	for i := range tiPlains {
		a := &tiPlains[i]
		if name&a.mask != a.text {
			continue
		}
		end := plainValues(w, a.size, p.plain[:a.values])
		p.action = &tiActions[a.index]
		if end == 0 || !a.do(p) {
			return 0, 0
		}
		return a.index, end
	}
	return 0, 0
}

// plainValues reads numbers with a blank between them, and a line end. It returns the end of the line, or 0.
func plainValues(w []byte, at int, v []int64) int {
	for i := range v {
		u, end := input.LongDecimalRun(w, at)
		until := byte(' ')
		if i == len(v)-1 {
			until = '\n'
		}
		if end == at || w[end] != until {
			return 0
		}
		v[i], at = int64(u), end+1
	}
	return at
}

// plainCompute does a compute of a plain amount.
func (p *tiParser) plainCompute(w []byte) int {
	const start = len("compute ")
	whole, fraction, n := tiPlainNumber(w[start:])
	if n == 0 || w[start+n] != '\n' {
		return 0
	}
	p.flops += float64(whole) + fraction
	if err := p.rank.rankWriter.Compute(p.carry(whole, fraction), 0, p.at); err != nil {
		p.failed = err
		return 0
	}
	return start + n + 1
}

// reached reports whether a partner is known to be a rank, or not to be worth a note of its place.
func (p *tiParser) reached(number int64) bool {
	if p.given || !p.shared || p.frozen > 0 {
		return number < int64(p.procs)
	}
	return len(p.far) > 0 && number <= int64(p.far[len(p.far)-1].rank)
}

// plainMessage returns partner, tag and bytes of a message, or false if a value is not plain.
func (p *tiParser) plainMessage() (peer, tag int32, size int64, ok bool) {
	v := &p.plain
	if !p.reached(v[0]) || v[1] > math.MaxInt32 || v[3] >= int64(len(tiTypeSizes)) {
		return 0, 0, 0, false
	}
	size = tiTypeSizes[v[3]]
	if v[2] > 0 && size > math.MaxInt64/v[2] {
		return 0, 0, 0, false
	}
	return int32(v[0]), int32(v[1]), v[2] * size, true
}

func (p *tiParser) plainSend() bool {
	peer, tag, size, ok := p.plainMessage()
	if !ok {
		return false
	}
	p.failed = p.emitSend(peer, tag, size)
	return p.failed == nil
}

func (p *tiParser) plainRecv() bool {
	peer, tag, size, ok := p.plainMessage()
	if !ok {
		return false
	}
	p.failed = p.emitRecv(peer, tag, size)
	return p.failed == nil
}

func (p *tiParser) plainWait() bool {
	v := &p.plain
	if !p.reached(v[0]) || !p.reached(v[1]) || v[2] > math.MaxInt32 {
		return false
	}
	i, wild := p.rank.requests.find(tiMessage{int32(v[0]), int32(v[1]), int32(v[2])}, p.rank.number)
	if wild || i == tiNoRequest {
		return false
	}
	p.failed = p.wait(p.rank.requests.take(i))
	return p.failed == nil
}
