// Package input reads the files of imports: compression, blocks, lines of text, binary
// records and messages, with the place of each error.
package input

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

// HeadBytes is the size of the input's start that Sniff sees.
const HeadBytes = 64 << 10

// Input is one file to import. It is decompressed while it is read.
type Input struct {
	Name string // as the user gave it, for messages only

	ctx       context.Context
	raw       *rawReader
	file      io.Closer
	Container *container // nil if the file is not compressed
	body      io.Reader
	head      []byte
	headErr   error // error at the end of the head; io.EOF if the head is the whole input
}

// Open opens the file at path; "-" is stdin. If seen is not nil, another goroutine
// calls it with the number of compressed bytes of every read.
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
	case <-ctx.Done(): // begin may block on a terminal or a pipe, and nothing else interrupts it
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
	if c := DetectContainer(first); c != nil {
		in.Container = c
		if c.whole != nil {
			in.body, err = c.whole(in.raw)
		} else {
			in.body, err = c.open(buffered)
		}
		if err != nil {
			return in.damaged(err)
		}
	}
	in.head = make([]byte, HeadBytes)
	n := 0
	for n < len(in.head) && err == nil {
		var m int
		m, err = in.body.Read(in.head[n:])
		n += m
	}
	in.head, in.headErr = in.head[:n], err
	return nil
}

// Head returns the start of the decompressed input, up to 64 KiB. It returns an error
// if that part is damaged.
func (in *Input) Head() ([]byte, error) {
	if in.headErr != nil && in.headErr != io.EOF {
		return nil, in.damaged(in.headErr)
	}
	return in.head, nil
}

// rest returns all of the input from its start, for the parser. The Input no longer
// refers to it, so that thousands of parsed files need little memory.
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

// Skip removes the first n bytes of the head.
func (in *Input) Skip(n int) { in.head = in.head[n:] }

// SHA256 returns the hash of the file as given (compressed, if it is), in hexadecimal.
// It is valid when all of the input has been read.
func (in *Input) SHA256() string { return hex.EncodeToString(in.raw.sum.Sum(nil)) }

// Close releases the file.
func (in *Input) Close() {
	if c, ok := in.body.(io.Closer); ok { // the input was never parsed
		c.Close()
	}
	if in.file != nil {
		in.file.Close()
	}
}

// damaged adds the place in the file as given to a reading error.
func (in *Input) damaged(err error) error {
	if cause := context.Cause(in.ctx); cause != nil {
		return cause
	}
	if in.raw.failed != nil {
		return fmt.Errorf("reading %s: %w", in.Name, in.raw.failed)
	}
	if in.Container == nil {
		return fmt.Errorf("reading %s: %w", in.Name, err)
	}
	if in.Container.whole != nil {
		return fmt.Errorf("%s: %s", in.Name, in.Container.describe(err))
	}
	return fmt.Errorf("%s: compressed offset %d: %s", in.Name, in.raw.offset(), in.Container.describe(err))
}

// Nested returns an error if head, the start of decompressed input, is compressed again.
func (in *Input) Nested(head []byte) error {
	if inner := DetectContainer(head); inner != nil && in.Container != nil {
		return fmt.Errorf("%s: this is %s within %s; decompress it once first", in.Name, inner.Name, in.Container.Name)
	}
	return nil
}

// Empty returns the error for text without a byte. Most text formats begin with a banner, but CSV does not.
func (in *Input) Empty() error {
	msg := in.Emptiness() + ": no banner and no records"
	if strings.HasSuffix(in.Name, ".csv") {
		msg = in.Emptiness()
	}
	return &trace.SyntaxError{File: in.Name, Line: 1, Msg: msg}
}

// Emptiness describes what is empty: the file or the stream.
func (in *Input) Emptiness() string {
	if in.Container != nil {
		return "the " + in.Container.Name + " stream is empty"
	}
	return "the file is empty"
}

// SuffixHint reports that the suffix of the name belongs to another container.
func (in *Input) SuffixHint() string {
	for _, c := range containers {
		if in.Container == nil && strings.HasSuffix(in.Name, c.suffix) {
			return fmt.Sprintf("the name ends in %s, but offset 0 lacks the magic of %s", c.suffix, c.Name)
		}
	}
	return ""
}

// rawReader reads the file as given. It counts, hashes and reports progress.
type rawReader struct {
	r      io.Reader
	ctx    context.Context
	sum    hash.Hash
	seen   func(int)
	count  int64
	ahead  func() int // number of bytes read but not yet used
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

// offset returns the position that the decompressor has reached.
func (r *rawReader) offset() int64 { return r.count - int64(r.ahead()) }
