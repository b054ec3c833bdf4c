package format

import (
	"io"
	"iter"
)

// inputReader is an Input as a stream, for parsers that pass it to a decompressor.
type inputReader struct {
	next   func() ([]byte, error, bool)
	stop   func() // ends reading; call it once
	rest   []byte
	failed error // an early error, for the user
}

// reader returns the input after the skipped bytes. Another goroutine reads.
func (in *Input) reader() *inputReader {
	r := new(inputReader)
	r.next, r.stop = iter.Pull2(in.blocks(func(b []byte) int { return len(b) }, maxLine))
	return r
}

// Read implements io.Reader.
func (r *inputReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.failed != nil {
			return 0, r.failed
		}
		block, err, ok := r.next()
		if !ok {
			return 0, io.EOF
		}
		r.rest, r.failed = block, err
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
