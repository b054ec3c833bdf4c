package format

import (
	"fmt"

	"spoor/traces/trace"
)

// records is the common state of parsers of binary records of one size: their position.
type records struct {
	size   int // bytes of a record
	file   string
	before int64 // records before the current block; at the end, all
}

// blocks calls f with blocks of whole records, at least one. If the input does not end
// with a whole record, it returns an error after f has had all records. An empty input
// is an error too.
func (r *records) blocks(in *Input, f func(block []byte) error) error {
	r.file = in.Name
	head, err := in.Head()
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return r.fail(0, 0, in.emptiness()+": no records", "")
	}
	whole := func(b []byte) int { return len(b) - len(b)%r.size }
	for block, err := range in.blocks(whole, r.size) {
		if err != nil {
			return err
		}
		n := whole(block)
		if n > 0 {
			if err := f(block[:n]); err != nil {
				return err
			}
		}
		r.before += int64(n / r.size)
		if rest := len(block) - n; rest > 0 {
			return r.fail(0, 0, fmt.Sprintf("%s: not a multiple of %d, so the last record is truncated", plural(rest, "trailing byte"), r.size),
				"make or copy the trace again")
		}
	}
	return nil
}

// fail returns an error at a byte of record i of the current block, with a reason and
// advice. Offsets are those of the decompressed input.
func (r *records) fail(i, at int, reason, advice string) error {
	if advice != "" {
		reason += "; " + advice
	}
	n := r.before + int64(i)
	return &trace.SyntaxError{File: r.file, Record: n, Offset: n*int64(r.size) + int64(at), Msg: reason}
}
