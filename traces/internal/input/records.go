package input

import (
	"fmt"

	"spoor/traces/trace"
)

// Records is the common state of parsers of binary records of one size: their position.
type Records struct {
	Size   int // bytes of a record
	File   string
	Before int64 // records before the current block; at the end, all
}

// Blocks calls f with blocks of whole records, at least one. If the input does not end
// with a whole record, it returns an error after f has had all records. An empty input
// is an error too.
func (r *Records) Blocks(in *Input, f func(block []byte) error) error {
	r.File = in.Name
	head, err := in.Head()
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return r.Fail(0, 0, in.Emptiness()+": no records", "")
	}
	whole := func(b []byte) int { return len(b) - len(b)%r.Size }
	for block, err := range in.Blocks(whole, r.Size) {
		if err != nil {
			return err
		}
		n := whole(block)
		if n > 0 {
			if err := f(block[:n]); err != nil {
				return err
			}
		}
		r.Before += int64(n / r.Size)
		if rest := len(block) - n; rest > 0 {
			return r.Fail(0, 0, fmt.Sprintf("%s: not a multiple of %d, so the last record is truncated", Plural(rest, "trailing byte"), r.Size),
				"make or copy the trace again")
		}
	}
	return nil
}

// Fail returns an error at a byte of record i of the current block, with a reason and
// advice. Offsets are those of the decompressed input.
func (r *Records) Fail(i, at int, reason, advice string) error {
	if advice != "" {
		reason += "; " + advice
	}
	n := r.Before + int64(i)
	return &trace.SyntaxError{File: r.File, Record: n, Offset: n*int64(r.Size) + int64(at), Msg: reason}
}
