package comm

import (
	"fmt"
	"math"
)

// path is a chain of what was done one after the other, over program order and
// messages. It is measured in the unit of work.
type path struct {
	length   uint64 // work, and what messages cost
	work     uint64
	messages uint64
	bytes    uint64 // of the messages
}

// later is the longer path: of equally long ones the one with fewer messages, and of
// these the one with fewer bytes.
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
	Message uint64  // each
	Byte    float64 // each byte; the cost of a message is rounded
}

// longest is the end of paths.
const longest = math.MaxInt64

// over is the path that a message of n bytes makes longer. One too long ends at longest, which
// check finds.
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

// worked is the path that work makes longer.
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
