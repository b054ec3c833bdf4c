package input

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"spoor/traces/trace"
)

const (
	MaxLine  = 1 << 20 // bytes in a line of text
	MaxQuote = 60      // characters of offending text in an error
	Blanks   = " \t\r\v\f"
)

var (
	Newline = []byte{'\n'}
	Utf8BOM = []byte("\xef\xbb\xbf")
)

// ErrLongLine ends the blocks of an input whose next line exceeds the limit.
var ErrLongLine = errors.New("line longer than 1 MiB")

// Text is the common state of text parsers: their position, and the oddities that they
// tolerated.
type Text struct {
	File string
	Line int // number of the line being parsed, from 1

	Bom, Crlf, Padded, Blank, Unended int
}

// Fail returns an error at the current line: the problem, the text, and what to do.
func (t *Text) Fail(line []byte, reason, advice string) error {
	msg := reason
	if line != nil {
		msg += ": " + Quote(line)
	}
	if advice != "" {
		msg += "; " + advice
	}
	return &trace.SyntaxError{File: t.File, Line: max(1, t.Line), Msg: msg}
}

// Trim removes a carriage return and blanks around a line, and counts them.
func (t *Text) Trim(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		t.Crlf++
		line = line[:n-1]
	}
	trimmed := TrimBlanks(line)
	if len(trimmed) == 0 {
		t.Blank++
	} else if len(trimmed) != len(line) {
		t.Padded++
	}
	return trimmed
}

// CheckNUL returns an error if line has a NUL byte.
func (t *Text) CheckNUL(line []byte) error {
	at := bytes.IndexByte(line, 0)
	if at < 0 {
		return nil
	}
	n := len(line[at:]) - len(bytes.TrimLeft(line[at:], "\x00"))
	return t.Fail(nil, fmt.Sprintf("%s, from a crash, a sparse copy, or several processes that write the same file", Plural(n, "NUL byte")),
		"make the trace again, with a file for each process, such as valgrind --log-file=x.%p.log")
}

// Notes summarises the oddities.
func (t *Text) Notes() (all []string) {
	if t.Bom > 0 {
		all = append(all, "skipped the byte order mark at the start")
	}
	if t.Crlf > 0 {
		all = append(all, Plural(t.Crlf, "line")+" with carriage return and line feed at the end")
	}
	if t.Padded > 0 {
		all = append(all, Plural(t.Padded, "line")+" with unusual blanks around the text")
	}
	if t.Unended > 0 {
		all = append(all, "the last line has no line end; it may be truncated")
	}
	return all
}

// Lines calls f with each line of in, without its line end; t.line is the line's
// number. last is true for a last line without line end.
func (t *Text) Lines(in *Input, f func(line []byte, last bool) error) error {
	return t.FastLines(in, func([]byte) int { return 0 }, f)
}

// FastLines is lines with a fast path. fast parses the lines that it supports at the
// start of a block, and not past the last whole line. It counts the lines in t, and
// returns the number of bytes parsed. f gets the line where fast stopped.
func (t *Text) FastLines(in *Input, fast func(block []byte) int, f func(line []byte, last bool) error) error {
	return t.blocks(in, func(block []byte) error {
		for len(block) > 0 {
			if block = block[fast(block):]; len(block) == 0 {
				break
			}
			end, next := bytes.IndexByte(block, '\n'), 0
			last := end < 0
			if next = end + 1; last {
				end, next = len(block), len(block)
			}
			t.Line++
			if err := f(block[:end], last); err != nil {
				return t.cutShort(err, last)
			}
			block = block[next:]
		}
		return nil
	})
}

// cutShort adds the cause to an error in a last line without line end.
func (t *Text) cutShort(err error, last bool) error {
	bad, ok := err.(*trace.SyntaxError)
	if !last || !ok || bad.Line != t.Line {
		return err
	}
	return &trace.SyntaxError{File: bad.File, Line: bad.Line, Msg: bad.Msg + mayBeCut}
}

const mayBeCut = "; the file ends within this line: it may be truncated"

// blocks calls f with blocks of whole lines; f counts the lines in t. The byte order
// mark is removed, and UTF-16 is excluded.
func (t *Text) blocks(in *Input, f func(block []byte) error) error {
	t.File = in.Name
	head, err := in.Head()
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return in.Empty()
	}
	if err := CheckEncoding(in.Name, head); err != nil {
		return err
	}
	first := true
	for block, err := range in.Blocks(WholeLines, MaxLine) {
		if errors.Is(err, ErrLongLine) {
			t.Line++
			return t.Fail(block, err.Error(), "the file is not a text trace, or it is damaged")
		}
		if err != nil {
			return err
		}
		if first && bytes.HasPrefix(block, Utf8BOM) {
			t.Bom++
			block = block[len(Utf8BOM):]
		}
		first = false
		if err := f(block); err != nil {
			return err
		}
	}
	return nil
}

// WholeLines returns the end of the last whole line.
func WholeLines(b []byte) int { return bytes.LastIndexByte(b, '\n') + 1 }

// CheckEncoding returns an error if head is the start of UTF-16 or UTF-32 text.
func CheckEncoding(file string, head []byte) error {
	name := ""
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		name = "UTF-16 (little endian)"
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		name = "UTF-16 (big endian)"
	default:
		return nil
	}
	return &trace.SyntaxError{File: file, Line: 1, Msg: "the text is encoded in " + name + "; convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8"}
}

// Quote shortens offending text for an error message.
func Quote(b []byte) string {
	out := make([]rune, 0, MaxQuote)
	for len(b) > 0 && len(out) < MaxQuote {
		r, n := utf8.DecodeRune(b)
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			r = '.'
		}
		out, b = append(out, r), b[n:]
	}
	if len(b) > 0 {
		return strconv.Quote(string(out)) + "..."
	}
	return strconv.Quote(string(out))
}

// HexValue is the value of each hexadecimal digit, and 0xff for other bytes.
var HexValue = func() (table [256]uint8) {
	for i := range table {
		table[i] = 0xff
	}
	for i := range 10 {
		table['0'+i] = uint8(i)
	}
	for i := range 6 {
		table['a'+i], table['A'+i] = uint8(10+i), uint8(10+i)
	}
	return table
}()

// ParseHex reads all of b as a hexadecimal number; problem says why it is invalid.
func ParseHex(b []byte) (v uint64, problem string) {
	if len(b) == 0 {
		return 0, "no hexadecimal number"
	}
	for _, c := range b {
		d := HexValue[c]
		if d > 15 {
			return 0, "not a hexadecimal number"
		}
		if v >= 1<<60 {
			return 0, "a number over 64 bits"
		}
		v = v<<4 | uint64(d)
	}
	return v, ""
}

// ParseDecimal reads all of b as a decimal number; problem says why it is invalid. It is small enough for the compiler to
// inline it.
func ParseDecimal(b []byte) (v uint64, problem string) {
	if uint(len(b)-1) >= safeDigits { // also if b is empty
		return longDecimal(b)
	}
	for i, c := range b {
		if c-'0' > 9 {
			return 0, notDecimal(i, c)
		}
		v = v*10 + uint64(c-'0')
	}
	return v, ""
}

// safeDigits is the number of decimal digits that always fit in 64 bits.
const safeDigits = 19

// longDecimal is ParseDecimal for any number of digits.
func longDecimal(b []byte) (v uint64, problem string) {
	if len(b) == 0 {
		return 0, "no number"
	}
	for i, c := range b {
		d := uint64(c - '0')
		if d > 9 {
			return 0, notDecimal(i, c)
		}
		if v > (1<<64-1-d)/10 {
			return 0, "a number over 64 bits"
		}
		v = v*10 + d
	}
	return v, ""
}

// notDecimal says what is wrong with character i of a decimal number.
func notDecimal(i int, c byte) string {
	switch {
	case i == 0 && c == '-':
		return "a negative number"
	case c == '.' || c == 'e' || c == 'E':
		return "not a whole number"
	}
	return "not a decimal number"
}

// Plural returns "1 line" or "2 lines".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// SizeProblem says why an access of size bytes at addr is impossible, or "".
func SizeProblem(addr, size uint64) string {
	switch {
	case size == 0:
		return "access of 0 bytes"
	case size > 65535:
		return fmt.Sprintf("access of %d bytes, over the limit of 65535", size)
	case addr+size-1 < addr:
		return fmt.Sprintf("access of %d bytes at %#x wraps around the address space", size, addr)
	}
	return ""
}
