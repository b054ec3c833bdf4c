package input

import (
	"io"
	"iter"
)

// InputReader is an Input as a stream, for parsers that pass it to a decompressor.
type InputReader struct {
	next   func() ([]byte, error, bool)
	Stop   func() // ends reading; call it once
	rest   []byte
	Failed error // an early error, for the user
}

// Reader returns the input after the skipped bytes. Another goroutine reads.
func (in *Input) Reader() *InputReader {
	r := new(InputReader)
	r.next, r.Stop = iter.Pull2(in.Blocks(func(b []byte) int { return len(b) }, MaxLine))
	return r
}

// Read implements io.Reader.
func (r *InputReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.Failed != nil {
			return 0, r.Failed
		}
		block, err, ok := r.next()
		if !ok {
			return 0, io.EOF
		}
		r.rest, r.Failed = block, err
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
