package dimemas

import (
	"bytes"
	"math"

	"spoor/traces/internal/input"
)

// The indices of kinds that fast knows.
const (
	burstKind   = 1
	sendKind    = 2
	receiveKind = 3
)

// window exceeds the longest line that fast reads: a kind, and eight numbers of 18 digits.
const window = 192

// messageValues is the number of values of a message behind its thread: peer and its thread, size, tag, communicator, kind.
const messageValues = 6

// fast parses plain records at the start of b, and returns the number of bytes parsed. A plain record is a burst, a message or an
// event of the first thread of the task that is being read, with whole numbers. fast stops at the first other
// line, and before one with an error.
func (p *parser) fast(b []byte) int {
	if p.rank == nil || p.placed > 0 || p.slow {
		return 0
	}
	at := 0
	for at+window <= len(b) && p.failed == nil {
		p.Line++
		n := p.plain(b[at : at+window])
		if n == 0 {
			p.Line-- // parse reads the line
			break
		}
		at += n
	}
	return at
}

// plain reads the record at the start of w. It returns the size of the line, or 0 if it did nothing.
func (p *parser) plain(w []byte) (size int) {
	kind, n := input.DecimalRun(w, 0)
	if n == 0 || w[n] != ':' || w[0] == '0' {
		return 0
	}
	task, end := input.LongDecimalRun(w, n+1)
	if end == n+1 || task != uint64(p.rank.number) || w[end] != ':' || w[end+1] != '0' || w[end+2] != ':' {
		return 0
	}
	p.problem = nil
	var index int
	switch at := end + 3; kind {
	case 1:
		index, size = burstKind, p.plainBurst(w, at)
	case 2:
		index, size = sendKind, p.plainMessage(w, at, 3)
	case 3:
		index, size = receiveKind, p.plainMessage(w, at, 2)
	case 20:
		index, size = eventKinds, plainEvent(w, at)
	}
	if size > 0 {
		p.records[index]++
	}
	return size
}

// plainBurst reads the duration of a burst, which begins at w[at].
func (p *parser) plainBurst(w []byte, at int) (size int) {
	end := at + bytes.IndexByte(w[at:], '\n')
	picos, ok := plainSeconds(w[at:max(at, end)])
	if !ok {
		return 0
	}
	if p.failed = p.rank.writer.Compute(picos, 0, p.at()); p.failed != nil {
		return 0
	}
	return end + 1
}

// plainEvent skips type and value of an event.
func plainEvent(w []byte, at int) (size int) {
	_, colon := input.LongDecimalRun(w, at)
	if colon == at || w[colon] != ':' {
		return 0
	}
	_, end := input.LongDecimalRun(w, colon+1)
	if end == colon+1 || w[end] != '\n' {
		return 0
	}
	return end + 1
}

// plainMessage reads a send or receive, whose kinds are 0 to most.
func (p *parser) plainMessage(w []byte, at int, most uint64) (size int) {
	v, size := plainValues(w, at)
	if size == 0 || v[0] >= uint64(len(p.threads)) || v[1] > 0 || v[3] > math.MaxInt32 || v[4] > math.MaxInt32 || v[5] > most {
		return 0
	}
	m := message{peer: int64(v[0]), bytes: int64(v[2]), tag: int64(v[3]), comm: int64(v[4]), kind: int64(v[5])}
	if most == 3 {
		p.failed = p.emitSend(&m)
	} else {
		done, err := p.emitReceive(&m)
		if p.failed = err; !done {
			return 0
		}
	}
	if p.failed != nil {
		return 0
	}
	return size
}

// plainValues reads the values of a message at w[at:]. The second, a thread, may be -1, which counts as 0. size is the end of the
// line, or 0.
func plainValues(w []byte, at int) (v [messageValues]uint64, size int) {
	for i := range v {
		if i == 1 && w[at] == '-' && w[at+1] == '1' && w[at+2] == ':' {
			at += 3
			continue
		}
		n, end := input.LongDecimalRun(w, at)
		until := byte(':')
		if i == messageValues-1 {
			until = '\n'
		}
		if end == at || w[end] != until {
			return v, 0
		}
		v[i], at = n, end+1
	}
	return v, at
}
