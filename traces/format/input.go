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
	"os"
	"strings"

	"spoor/traces/trace"
)

// headBytes is how much of the input Sniff sees.
const headBytes = 64 << 10

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
	begun := make(chan error, 1)
	go func() { begun <- in.begin() }()
	select {
	case err := <-begun:
		if err != nil {
			in.Close()
			return nil, err
		}
		return in, nil
	case <-ctx.Done(): // begin may wait for a terminal or a pipe, which nothing else would interrupt
		return nil, context.Cause(ctx)
	}
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
		if c.whole != nil {
			in.body, err = c.whole(in.raw)
		} else {
			in.body, err = c.open(buffered)
		}
		if err != nil {
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

// rest is all of the input from its start, for the one who parses it. The input
// itself lets go of it: what is kept of thousands of files that were parsed is small.
func (in *Input) rest() io.ReadCloser {
	head, body := in.head, in.body
	in.head, in.body = nil, nil
	if in.headErr != nil {
		return restOf{bytes.NewReader(head), body}
	}
	return restOf{io.MultiReader(bytes.NewReader(head), body), body}
}

// restOf closes the decompressor, if there is one.
type restOf struct {
	io.Reader
	body io.Reader
}

func (r restOf) Close() error {
	if c, ok := r.body.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// skip leaves out the first n bytes of the head.
func (in *Input) skip(n int) { in.head = in.head[n:] }

// SHA256 identifies the file as given (compressed, if it is), in hexadecimal. It
// is valid when all of the input has been read.
func (in *Input) SHA256() string { return hex.EncodeToString(in.raw.sum.Sum(nil)) }

// Close releases the file.
func (in *Input) Close() {
	if c, ok := in.body.(io.Closer); ok { // nobody began to parse it
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
	if in.container.whole != nil {
		return fmt.Errorf("%s: %s", in.Name, in.container.describe(err))
	}
	return fmt.Errorf("%s: compressed offset %d: %s", in.Name, in.raw.offset(), in.container.describe(err))
}

// empty is the error for text without a byte.
func (in *Input) empty() error {
	return &trace.SyntaxError{File: in.Name, Line: 1, Msg: in.emptiness() + ": no banner and no records"}
}

// emptiness says what of an input without a byte is empty.
func (in *Input) emptiness() string {
	if in.container != nil {
		return "the " + in.container.name + " stream is empty"
	}
	return "the file is empty"
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

func noneAhead() int { return 0 }

// offset is how far the decompressor came.
func (r *rawReader) offset() int64 { return r.count - int64(r.ahead()) }
