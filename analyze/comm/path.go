package comm

import (
	"fmt"
	"math"
)

// path is a chain of dependent events and messages. Its length is in the unit of work.
type path struct {
	length   uint64 // work and the costs of messages
	work     uint64
	messages uint64
	bytes    uint64 // of the messages
}

// later returns the longer path. Of equally long ones it returns the one with fewer messages, and
// of these the one with fewer bytes.
func later(a, b path) path {
	switch {
	case a.length != b.length:
		if a.length < b.length {
			return b
		}
	case a.messages != b.messages:
		if a.messages > b.messages {
			return b
		}
	case a.bytes > b.bytes:
		return b
	}
	return a
}

// Costs is what a message adds to a path, in the unit of work.
type Costs struct {
	Message uint64  // for each message
	Byte    float64 // for each byte; the cost of a message is rounded
}

// longest is the maximum length of a path.
const longest = math.MaxInt64

// over returns the path extended by a message of n bytes. If it would be too long, its length is
// longest, which check detects.
func (c Costs) over(p path, n int64) path {
	bytes := c.Byte * float64(n)
	if bytes > longest/2 || c.Message > longest/2 {
		p.length = longest
	} else {
		p.length = min(longest, p.length+c.Message+uint64(math.Round(bytes)))
	}
	p.messages++
	p.bytes += uint64(n)
	return p
}

// worked returns the path extended by work.
func (p path) worked(n uint64) path {
	p.length, p.work = min(longest, p.length+min(n, longest)), p.work+n
	return p
}

func (p path) check() error {
	if p.length >= longest {
		return fmt.Errorf("comm: the critical path is longer than 2^63; choose lower costs of messages and bytes")
	}
	return nil
}
