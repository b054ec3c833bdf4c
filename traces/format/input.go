package format

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"
	"strings"

	"spoor/traces/trace"
)

const (
	headBytes  = 64 << 10  // what Sniff sees
	blockBytes = 256 << 10 // what parsers get at a time
	blockCount = 4         // blocks in flight between decompression and parsing
)

// Input is one file to import, decompressed as it is read.
type Input struct {
	Name string // as the user gave it, for messages only

	ctx       context.Context
	raw       *rawReader
	file      io.Closer
	container *container // nil if the file is not compressed
	body      io.Reader
	head      []byte
	headErr   error // what ended the head early, io.EOF if all of the input is in it
	started   bool
}

// Open opens the file at path, or stdin for "-". seen, if not nil, is called with
// the number of compressed bytes of every read, from another goroutine.
func Open(ctx context.Context, path string, stdin io.Reader, seen func(n int)) (*Input, error) {
	in := &Input{Name: path, ctx: ctx}
	source := stdin
	if path == "-" {
		in.Name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		in.file, source = f, f
	}
	in.raw = &rawReader{r: source, ctx: ctx, sum: sha256.New(), seen: seen}
	if err := in.begin(); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// begin finds the container and reads the head.
func (in *Input) begin() error {
	buffered := bufio.NewReaderSize(in.raw, containerBuffer)
	in.raw.ahead = buffered.Buffered
	first, err := buffered.Peek(16)
	if err != nil && err != io.EOF {
		return in.damaged(err)
	}
	err = nil
	in.body = buffered
	if c := detectContainer(first); c != nil {
		in.container = c
		if c.open == nil {
			return fmt.Errorf("%s: compressed with %s, which is not read; %s", in.Name, c.name, c.advice)
		}
		if in.body, err = c.open(buffered); err != nil {
			return in.damaged(err)
		}
	}
	in.head = make([]byte, headBytes)
	n := 0
	for n < len(in.head) && err == nil {
		var m int
		m, err = in.body.Read(in.head[n:])
		n += m
	}
	in.head, in.headErr = in.head[:n], err
	return nil
}

// Head is the start of the decompressed input, up to 64 KiB. It is an error if
// the input is damaged within.
func (in *Input) Head() ([]byte, error) {
	if in.headErr != nil && in.headErr != io.EOF {
		return nil, in.damaged(in.headErr)
	}
	return in.head, nil
}

// SHA256 identifies the file as given (compressed, if it is), in hexadecimal. It
// is valid when all of the input has been read.
func (in *Input) SHA256() string { return hex.EncodeToString(in.raw.sum.Sum(nil)) }

// Close releases the file.
func (in *Input) Close() {
	if c, ok := in.body.(io.Closer); ok && !in.started {
		c.Close()
	}
	if in.file != nil {
		in.file.Close()
	}
}

// damaged is a reading error with its place in the file as given.
func (in *Input) damaged(err error) error {
	if cause := context.Cause(in.ctx); cause != nil {
		return cause
	}
	if in.raw.failed != nil {
		return fmt.Errorf("reading %s: %w", in.Name, in.raw.failed)
	}
	if in.container == nil {
		return fmt.Errorf("reading %s: %w", in.Name, err)
	}
	return fmt.Errorf("%s: compressed offset %d: %s", in.Name, in.raw.offset(), in.container.describe(err))
}

// empty is the error for input without a byte.
func (in *Input) empty() error {
	what := "the file is empty: no banner and no records"
	if in.container != nil {
		what = "the " + in.container.name + " stream is empty: no banner and no records"
	}
	return &trace.SyntaxError{File: in.Name, Line: 1, Msg: what}
}

// suffixHint says that the name promises a container the file is not in.
func (in *Input) suffixHint() string {
	for _, c := range containers {
		if in.container == nil && strings.HasSuffix(in.Name, c.suffix) {
			return fmt.Sprintf("the name says %s, but offset 0 has not its magic", c.name)
		}
	}
	return ""
}

// block is what the reading goroutine hands over: bytes, or what ended them.
type block struct {
	data []byte
	buf  []byte // the memory of data, to be given back
	err  error
}

// blocks yields the input in blocks that cut accepts as whole (it returns how
// many bytes of its argument are), the last one possibly not. Reading and
// decompressing run on another goroutine. A unit over limit bytes ends the
// iteration with errLongLine and its start. A block is valid until the next.
func (in *Input) blocks(cut func([]byte) int, limit int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in.started = true
		ready := make(chan block, blockCount)
		free := make(chan []byte, blockCount)
		for range blockCount {
			free <- nil // made when a short input turns out to be a long one
		}
		done := make(chan struct{})
		defer close(done)
		p := producer{in: in, cut: cut, limit: limit, ready: ready, free: free, done: done}
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
				free <- b.buf[:blockBytes] // it may have grown for a long line
			}
		}
	}
}

// producer reads ahead of the parser.
type producer struct {
	in    *Input
	cut   func([]byte) int
	limit int
	ready chan<- block
	free  <-chan []byte
	done  <-chan struct{}
}

func (p *producer) run() {
	defer close(p.ready)
	if c, ok := p.in.body.(io.Closer); ok {
		defer c.Close()
	}
	body := p.in.body
	if p.in.headErr == nil {
		body = io.MultiReader(bytes.NewReader(p.in.head), body)
	} else {
		body = bytes.NewReader(p.in.head)
	}
	var carry []byte // the start of a unit, at the end of the previous block
	for {
		buf, ok := p.take()
		if !ok {
			return
		}
		n, end, long := p.fill(&buf, carry, body)
		if long {
			p.send(block{data: buf[:min(n, 2*maxQuote*4)], err: errLongLine})
			return
		}
		whole := n // at the end of the input, what is left counts as whole
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

// fill copies carry to the start of buf and reads until it is full or the input
// ends, and makes it larger while it holds no whole unit.
func (p *producer) fill(buf *[]byte, carry []byte, body io.Reader) (n int, end error, long bool) {
	n = copy(*buf, carry)
	for {
		for n < len(*buf) && end == nil {
			var m int
			m, end = body.Read((*buf)[n:])
			n += m
		}
		first := p.cut((*buf)[:n])
		if len(*buf) > p.limit && firstUnit(p.cut, (*buf)[:n], p.limit) > p.limit {
			return n, end, true
		}
		if end != nil || first > 0 {
			return n, end, false
		}
		*buf = append(*buf, make([]byte, len(*buf))...)
	}
}

// firstUnit is the size of the first unit in b if it is over limit, or limit.
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
			buf = make([]byte, blockBytes)
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

// rawReader reads the file as given: it counts, hashes and shows progress.
type rawReader struct {
	r      io.Reader
	ctx    context.Context
	sum    hash.Hash
	seen   func(int)
	count  int64
	ahead  func() int // bytes read but not yet used
	failed error      // an error of the file itself, not of its content
}

func (r *rawReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(b)
	r.sum.Write(b[:n])
	r.count += int64(n)
	if r.seen != nil {
		r.seen(n)
	}
	if err != nil && err != io.EOF {
		r.failed = err
	}
	return n, err
}

// offset is how far the decompressor came.
func (r *rawReader) offset() int64 { return r.count - int64(r.ahead()) }
