package input

import (
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"spoor/traces/trace"
)

const (
	MaxMessage = 64 << 20              // bytes in a message of a stream
	maxVarint  = binary.MaxVarintLen64 // bytes in a variable-length number
	// maxLength is the number of bytes of the longest length field within the limit.
	maxLength = 4
)

// Delimited is the common state of parsers of length-delimited protobuf messages: their
// position. Each message follows its length, a varint.
type Delimited struct {
	File   string
	Number int64 // of the current message, from 0; at the end, the number of messages
	Offset int64 // of the message's length field, in the decompressed input
}

// Messages calls f with each message of in after the first skip bytes, which the caller
// knows from the head. A message is valid until the next one. A message over 64 MiB and
// a truncated message are errors. Memory grows as bytes arrive, whatever the length
// field is.
func (d *Delimited) Messages(in *Input, skip int, f func(message []byte) error) error {
	d.File, d.Offset = in.Name, int64(skip)
	in.Skip(skip)
	for block, err := range in.Blocks(wholeMessages, MaxMessage+maxLength) {
		if errors.Is(err, ErrLongLine) {
			return d.tooLong(MaxMessage + 1)
		}
		if err != nil {
			return err
		}
		for len(block) > 0 {
			size, n := MessageLength(block)
			if n <= 0 || size > MaxMessage {
				return d.badLength(size, n)
			}
			if size > uint64(len(block)-n) {
				return d.Fail(fmt.Sprintf("the message is truncated: %d bytes of %d", len(block)-n, size), "make or copy the trace again")
			}
			end := n + int(size)
			if err := f(block[n:end]); err != nil {
				return err
			}
			d.Number++
			d.Offset += int64(end)
			block = block[end:]
		}
	}
	return nil
}

// MessageLength reads the length at the start of b, which has n bytes. n is 0 if the
// length is truncated, and negative if it is invalid.
func MessageLength(b []byte) (size uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

// wholeMessages returns the end of the last whole message. The bytes after an invalid
// length count as whole, so that the parser reports them.
func wholeMessages(b []byte) int {
	at := 0
	for {
		size, n := MessageLength(b[at:])
		switch {
		case n < 0 || n > 0 && size > MaxMessage:
			return len(b)
		case n == 0 || size > uint64(len(b)-at-n):
			return at
		}
		at += n + int(size)
	}
}

// badLength returns the error of an invalid length of n bytes.
func (d *Delimited) badLength(size uint64, n int) error {
	switch {
	case n < 0:
		return d.Fail(fmt.Sprintf("the length of the message is a varint longer than %d bytes", maxVarint), "the trace is damaged here or before")
	case n == 0:
		return d.Fail("the length of the message is truncated", "make or copy the trace again")
	}
	return d.tooLong(size)
}

func (d *Delimited) tooLong(size uint64) error {
	return d.Fail(fmt.Sprintf("the length of the message, %d, exceeds the limit of %d bytes", size, MaxMessage), "the trace is damaged here or before")
}

// Fail returns an error in the current message, with a reason and advice.
func (d *Delimited) Fail(reason, advice string) error {
	if advice != "" {
		reason += "; " + advice
	}
	return &trace.SyntaxError{File: d.File, Record: d.Number, Offset: d.Offset, Msg: reason}
}

// Field is one field of a message: a number or bytes.
type Field struct {
	Number protowire.Number
	Kind   protowire.Type
	Value  uint64 // of a varint or a fixed number
	Bytes  []byte
}

// NextField takes the first field of a message. problem says why it is invalid, for the
// error at the current message.
func NextField(message []byte) (f Field, rest []byte, problem string) {
	number, kind, n := protowire.ConsumeTag(message)
	if n < 0 {
		return f, nil, "a field has a damaged tag"
	}
	f.Number, f.Kind = number, kind
	rest = message[n:]
	switch kind {
	case protowire.VarintType:
		f.Value, n = protowire.ConsumeVarint(rest)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(rest)
		f.Value = uint64(v)
	case protowire.Fixed64Type:
		f.Value, n = protowire.ConsumeFixed64(rest)
	case protowire.BytesType:
		f.Bytes, n = protowire.ConsumeBytes(rest)
	default:
		n = protowire.ConsumeFieldValue(number, kind, rest)
	}
	if n < 0 {
		return f, nil, fmt.Sprintf("field %d is damaged or truncated", number)
	}
	return f, rest[n:], ""
}

// BadField returns the problem of a field of the wrong type.
func BadField(f Field, want protowire.Type) string {
	return fmt.Sprintf("field %d is a %s, not a %s", f.Number, wireTypes[f.Kind], wireTypes[want])
}

var wireTypes = map[protowire.Type]string{protowire.VarintType: "varint", protowire.Fixed32Type: "fixed 32-bit number",
	protowire.Fixed64Type: "fixed 64-bit number", protowire.BytesType: "string or message",
	protowire.StartGroupType: "group", protowire.EndGroupType: "group's end"}
