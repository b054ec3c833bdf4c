package format

import (
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"spoor/traces/trace"
)

const (
	maxMessage = 64 << 20              // bytes in a message of a stream
	maxVarint  = binary.MaxVarintLen64 // bytes in a variable-length number
	// maxLength is how many bytes the length of a message can have that is within the limit.
	maxLength = 4
)

// delimited is the state that all parsers of streams of length-delimited protobuf
// messages share: where they are. Each message follows its length, a varint.
type delimited struct {
	file   string
	number int64 // of the present message, from 0; after the last one, of all
	offset int64 // of its length, in the decompressed input
}

// messages calls f with each message of in after the first skip bytes, which the
// caller knows from the head. A message is valid until the next. One over 64 MiB,
// and one that the input has not all of, is an error; memory is taken as its bytes
// arrive, whatever its length says.
func (d *delimited) messages(in *Input, skip int, f func(message []byte) error) error {
	d.file, d.offset = in.Name, int64(skip)
	in.skip(skip)
	for block, err := range in.blocks(wholeMessages, maxMessage+maxLength) {
		if errors.Is(err, errLongLine) {
			return d.tooLong(maxMessage + 1)
		}
		if err != nil {
			return err
		}
		for len(block) > 0 {
			size, n := messageLength(block)
			if n <= 0 || size > maxMessage {
				return d.badLength(size, n)
			}
			if size > uint64(len(block)-n) {
				return d.fail(fmt.Sprintf("the message is cut: %d bytes of %d", len(block)-n, size), "make or copy the trace again")
			}
			end := n + int(size)
			if err := f(block[n:end]); err != nil {
				return err
			}
			d.number++
			d.offset += int64(end)
			block = block[end:]
		}
	}
	return nil
}

// messageLength reads the length at the start of b, which has n bytes. n is 0 if
// the length is cut and negative if it is no length.
func messageLength(b []byte) (size uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

// wholeMessages cuts after the last message that is whole. What follows a length
// that cannot be counts as whole, so that the parser sees it.
func wholeMessages(b []byte) int {
	at := 0
	for {
		size, n := messageLength(b[at:])
		switch {
		case n < 0 || n > 0 && size > maxMessage:
			return len(b)
		case n == 0 || size > uint64(len(b)-at-n):
			return at
		}
		at += n + int(size)
	}
}

// badLength is the error of a length that cannot be, of n bytes.
func (d *delimited) badLength(size uint64, n int) error {
	switch {
	case n < 0:
		return d.fail(fmt.Sprintf("the length of the message is a varint longer than %d bytes", maxVarint), "the trace is damaged here or before")
	case n == 0:
		return d.fail("the length of the message is cut", "make or copy the trace again")
	}
	return d.tooLong(size)
}

func (d *delimited) tooLong(size uint64) error {
	return d.fail(fmt.Sprintf("the length of the message, %d, exceeds the limit of %d bytes", size, maxMessage), "the trace is damaged here or before")
}

// fail is an error in the present message: what is wrong, what to do.
func (d *delimited) fail(reason, advice string) error {
	if advice != "" {
		reason += "; " + advice
	}
	return &trace.SyntaxError{File: d.file, Record: d.number, Offset: d.offset, Msg: reason}
}

// field is one field of a message: a number, or bytes.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64 // of a varint or a fixed number
	bytes  []byte
}

// nextField takes the first field of a message; the problem of one that is none is
// for the error at the present message.
func nextField(message []byte) (f field, rest []byte, problem string) {
	number, kind, n := protowire.ConsumeTag(message)
	if n < 0 {
		return f, nil, "damaged tag of a field"
	}
	f.number, f.kind = number, kind
	rest = message[n:]
	switch kind {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(rest)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(rest)
		f.value = uint64(v)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(rest)
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(rest)
	default:
		n = protowire.ConsumeFieldValue(number, kind, rest)
	}
	if n < 0 {
		return f, nil, fmt.Sprintf("field %d is damaged or cut", number)
	}
	return f, rest[n:], ""
}

// badField is the problem of a field that has another type than it should.
func badField(f field, want protowire.Type) string {
	return fmt.Sprintf("field %d is a %s, not a %s", f.number, wireTypes[f.kind], wireTypes[want])
}

var wireTypes = map[protowire.Type]string{protowire.VarintType: "varint", protowire.Fixed32Type: "fixed 32-bit number",
	protowire.Fixed64Type: "fixed 64-bit number", protowire.BytesType: "string or message",
	protowire.StartGroupType: "group", protowire.EndGroupType: "group's end"}
