package format

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
	maxLine  = 1 << 20 // bytes in a line of text
	maxQuote = 60      // characters of offending text in an error
	blanks   = " \t\r\v\f"
)

var (
	newline = []byte{'\n'}
	utf8BOM = []byte("\xef\xbb\xbf")
)

// errLongLine ends the blocks of an input whose next line exceeds the limit.
var errLongLine = errors.New("line longer than 1 MiB")

// text is the common state of text parsers: their position, and the oddities that they
// tolerated.
type text struct {
	file string
	line int // number of the line being parsed, from 1

	bom, crlf, padded, blank, unended int
}

// fail returns an error at the current line: the problem, the text, and what to do.
func (t *text) fail(line []byte, reason, advice string) error {
	msg := reason
	if line != nil {
		msg += ": " + quote(line)
	}
	if advice != "" {
		msg += "; " + advice
	}
	return &trace.SyntaxError{File: t.file, Line: max(1, t.line), Msg: msg}
}

// trim removes a carriage return and blanks around a line, and counts them.
func (t *text) trim(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		t.crlf++
		line = line[:n-1]
	}
	trimmed := bytes.Trim(line, blanks)
	if len(trimmed) == 0 {
		t.blank++
	} else if len(trimmed) != len(line) {
		t.padded++
	}
	return trimmed
}

// checkNUL returns an error if line has a NUL byte.
func (t *text) checkNUL(line []byte) error {
	at := bytes.IndexByte(line, 0)
	if at < 0 {
		return nil
	}
	n := len(line[at:]) - len(bytes.TrimLeft(line[at:], "\x00"))
	return t.fail(nil, fmt.Sprintf("%s, from a crash, a sparse copy, or several processes that write the same file", plural(n, "NUL byte")),
		"make the trace again, with a file for each process, such as valgrind --log-file=x.%p.log")
}

// notes summarises the oddities.
func (t *text) notes() (all []string) {
	if t.bom > 0 {
		all = append(all, "skipped the byte order mark at the start")
	}
	if t.crlf > 0 {
		all = append(all, plural(t.crlf, "line")+" with carriage return and line feed at the end")
	}
	if t.padded > 0 {
		all = append(all, plural(t.padded, "line")+" with unusual blanks around the text")
	}
	if t.unended > 0 {
		all = append(all, "the last line has no line end; it may be truncated")
	}
	return all
}

// lines calls f with each line of in, without its line end; t.line is the line's
// number. last is true for a last line without line end.
func (t *text) lines(in *Input, f func(line []byte, last bool) error) error {
	return t.fastLines(in, func([]byte) int { return 0 }, f)
}

// fastLines is lines with a fast path. fast parses the lines that it supports at the
// start of a block, and not past the last whole line. It counts the lines in t, and
// returns the number of bytes parsed. f gets the line where fast stopped.
func (t *text) fastLines(in *Input, fast func(block []byte) int, f func(line []byte, last bool) error) error {
	return t.blocks(in, func(block []byte) error {
		for len(block) > 0 {
			if block = block[fast(block):]; len(block) == 0 {
				break
			}
			line, rest, ended := bytes.Cut(block, newline)
			block = rest
			t.line++
			if err := f(line, !ended); err != nil {
				return t.cutShort(err, !ended)
			}
		}
		return nil
	})
}

// cutShort adds the cause to an error in a last line without line end.
func (t *text) cutShort(err error, last bool) error {
	bad, ok := err.(*trace.SyntaxError)
	if !last || !ok || bad.Line != t.line {
		return err
	}
	return &trace.SyntaxError{File: bad.File, Line: bad.Line, Msg: bad.Msg + mayBeCut}
}

const mayBeCut = "; the file ends within this line: it may be truncated"

// blocks calls f with blocks of whole lines; f counts the lines in t. The byte order
// mark is removed, and UTF-16 is excluded.
func (t *text) blocks(in *Input, f func(block []byte) error) error {
	t.file = in.Name
	head, err := in.Head()
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return in.empty()
	}
	if err := checkEncoding(in.Name, head); err != nil {
		return err
	}
	first := true
	for block, err := range in.blocks(wholeLines, maxLine) {
		if errors.Is(err, errLongLine) {
			t.line++
			return t.fail(block, err.Error(), "the file is not a text trace, or it is damaged")
		}
		if err != nil {
			return err
		}
		if first && bytes.HasPrefix(block, utf8BOM) {
			t.bom++
			block = block[len(utf8BOM):]
		}
		first = false
		if err := f(block); err != nil {
			return err
		}
	}
	return nil
}

// wholeLines returns the end of the last whole line.
func wholeLines(b []byte) int { return bytes.LastIndexByte(b, '\n') + 1 }

// checkEncoding returns an error if head is the start of UTF-16 or UTF-32 text.
func checkEncoding(file string, head []byte) error {
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

// quote shortens offending text for an error message.
func quote(b []byte) string {
	out := make([]rune, 0, maxQuote)
	for len(b) > 0 && len(out) < maxQuote {
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

// hexValue is the value of each hexadecimal digit, and 0xff for other bytes.
var hexValue = func() (table [256]uint8) {
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

// parseHex reads all of b as a hexadecimal number; problem says why it is invalid.
func parseHex(b []byte) (v uint64, problem string) {
	if len(b) == 0 {
		return 0, "no hexadecimal number"
	}
	for _, c := range b {
		d := hexValue[c]
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

// parseDecimal reads all of b as a decimal number; problem says why it is invalid.
func parseDecimal(b []byte) (v uint64, problem string) {
	if len(b) == 0 {
		return 0, "no number"
	}
	for i, c := range b {
		d := uint64(c - '0')
		if d > 9 {
			switch {
			case i == 0 && c == '-':
				return 0, "a negative number"
			case c == '.' || c == 'e' || c == 'E':
				return 0, "not a whole number"
			}
			return 0, "not a decimal number"
		}
		if v > (1<<64-1-d)/10 {
			return 0, "a number over 64 bits"
		}
		v = v*10 + d
	}
	return v, ""
}

// plural returns "1 line" or "2 lines".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// sizeProblem says why an access of size bytes at addr is impossible, or "".
func sizeProblem(addr, size uint64) string {
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
