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

// errLongLine ends the blocks of an input whose next line is over the limit.
var errLongLine = errors.New("line longer than 1 MiB")

// text is the state that all parsers of text share: where they are, and the
// oddities they tolerated.
type text struct {
	file string
	line int // number of the line being parsed, from 1

	bom, crlf, padded, blank, unended int
}

// fail is an error at the current line: what is wrong, the text, what to do.
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

// trim removes what may surround a line, and counts it.
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

// checkNUL is an error if line has a NUL byte.
func (t *text) checkNUL(line []byte) error {
	at := bytes.IndexByte(line, 0)
	if at < 0 {
		return nil
	}
	n := len(line[at:]) - len(bytes.TrimLeft(line[at:], "\x00"))
	return t.fail(nil, fmt.Sprintf("%s, a hole left by a crash, a sparse copy, or several processes that write one file", plural(n, "NUL byte")),
		"make the trace again, with a file for each process, as valgrind --log-file=x.%p.log does")
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
		all = append(all, plural(t.padded, "line")+" with other blanks around than usual")
	}
	if t.unended > 0 {
		all = append(all, "the last line has no line end; it may be cut")
	}
	return all
}

// lines calls f with each line of in, without its line end; f sees the line's
// number in t. last is true for a line without line end, which only the last can be.
func (t *text) lines(in *Input, f func(line []byte, last bool) error) error {
	return t.fastLines(in, func([]byte) int { return 0 }, f)
}

// fastLines is lines with a fast path: fast takes lines that it knows from the start
// of a block, at most all whole ones, counts them in t, and returns how many bytes
// they are. f gets the line where it stopped.
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

// cutShort adds to an error in the last line, if it has no line end, why that may be.
func (t *text) cutShort(err error, last bool) error {
	bad, ok := err.(*trace.SyntaxError)
	if !last || !ok || bad.Line != t.line {
		return err
	}
	return &trace.SyntaxError{File: bad.File, Line: bad.Line, Msg: bad.Msg + mayBeCut}
}

const mayBeCut = "; the file ends within this line: it may be cut"

// blocks calls f with blocks of whole lines; f counts the lines in t. The byte
// order mark is gone, and the encoding is known not to be UTF-16.
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
			return t.fail(block, err.Error(), "this is not a text trace, or it is damaged")
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

// wholeLines cuts after the last line end.
func wholeLines(b []byte) int { return bytes.LastIndexByte(b, '\n') + 1 }

// checkEncoding is an error if head is the start of UTF-16 or UTF-32 text.
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

// quote cuts offending text to what can be shown.
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

// parseHex reads all of b as a hexadecimal number; problem says why it is none.
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

// parseDecimal reads all of b as a decimal number; problem says why it is none.
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

// plural is "1 line" or "2 lines".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// sizeProblem says why an access of size bytes at addr cannot be, or "".
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
