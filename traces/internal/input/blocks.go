package input

import (
	"context"
	"io"
	"iter"
)

const (
	BlockBytes = 256 << 10 // size of a block that parsers get
	blockCount = 4         // blocks in flight between decompression and parsing
	// longBlocks is the number of blocks for units that can be much longer than a
	// block. A block that grew for a long unit is used again if it has at most
	// keptBytes.
	longBlocks = 2
	keptBytes  = 2 * MaxLine
)

// block is what the reading goroutine sends: bytes, or the error that ended them.
type block struct {
	data []byte
	buf  []byte // the memory of data, to be reused
	err  error
}

// Blocks yields the input in blocks. cut returns how many bytes of its argument are
// whole units; each block ends after a whole unit, except possibly the last. Another
// goroutine reads and decompresses. A unit of more than limit bytes ends the iteration
// with ErrLongLine and the start of the unit. A block is valid until the next one.
func (in *Input) Blocks(cut func([]byte) int, limit int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		count := blockCount
		if limit > MaxLine {
			count = longBlocks
		}
		ready := make(chan block, count)
		free := make(chan []byte, count)
		for range count {
			free <- nil // allocated when the input is longer than one block
		}
		done := make(chan struct{})
		defer close(done)
		p := producer{in: in, body: in.rest(), cut: cut, limit: limit, ready: ready, free: free, done: done}
		go p.run()
		for {
			select {
			case <-in.ctx.Done():
				yield(nil, context.Cause(in.ctx))
				return
			case b, open := <-ready:
				if !open || !yield(b.data, b.err) || b.err != nil {
					return
				}
				if cap(b.buf) > keptBytes { // it grew for a long unit
					free <- nil
				} else {
					free <- b.buf[:BlockBytes]
				}
			}
		}
	}
}

// producer reads ahead of the parser.
type producer struct {
	in    *Input
	body  io.ReadCloser
	cut   func([]byte) int
	limit int
	ready chan<- block
	free  <-chan []byte
	done  <-chan struct{}
}

func (p *producer) run() {
	defer close(p.ready)
	defer func() {
		p.body.Close()
		p.in.raw.ahead = noneAhead // from here on all bytes are garbage
	}()
	var carry []byte // the start of a unit at the end of the previous block
	for {
		buf, ok := p.take()
		if !ok {
			return
		}
		n, end, long := p.fill(&buf, carry)
		if long {
			p.send(block{data: buf[:min(n, 2*MaxQuote*4)], err: ErrLongLine})
			return
		}
		whole := n // at the end of the input, the rest counts as whole
		if end != io.EOF {
			whole = p.cut(buf[:n])
		}
		carry = buf[whole:n]
		if whole > 0 && !p.send(block{data: buf[:whole], buf: buf}) {
			return
		}
		if end != nil {
			if end != io.EOF {
				p.send(block{err: p.in.damaged(end)})
			}
			return
		}
	}
}

// fill copies carry to the start of buf and reads until buf is full or the input ends.
// It enlarges buf while buf holds no whole unit.
func (p *producer) fill(buf *[]byte, carry []byte) (n int, end error, long bool) {
	if len(carry) > len(*buf) { // the previous block grew
		*buf = make([]byte, len(carry))
	}
	n = copy(*buf, carry)
	for {
		for n < len(*buf) && end == nil {
			var m int
			m, end = p.body.Read((*buf)[n:])
			n += m
		}
		first := p.cut((*buf)[:n])
		if len(*buf) > p.limit && firstUnit(p.cut, (*buf)[:n], p.limit) > p.limit {
			return n, end, true
		}
		if end != nil || first > 0 {
			return n, end, false
		}
		more := min(len(*buf), max(p.limit+BlockBytes-len(*buf), BlockBytes))
		*buf = append(*buf, make([]byte, more)...)
	}
}

// firstUnit returns the size of the first unit in b if it exceeds limit, else limit.
func firstUnit(cut func([]byte) int, b []byte, limit int) int {
	if len(b) <= limit || cut(b[:limit+1]) > 0 {
		return limit
	}
	return limit + 1
}

func (p *producer) take() ([]byte, bool) {
	select {
	case buf := <-p.free:
		if buf == nil {
			buf = make([]byte, BlockBytes)
		}
		return buf, true
	case <-p.done:
		return nil, false
	}
}

func (p *producer) send(b block) bool {
	select {
	case p.ready <- b:
		return true
	case <-p.done:
		return false
	}
}
