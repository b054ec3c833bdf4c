package format

import (
	"bytes"
	"fmt"
	"strings"

	"spoor/traces/trace"
)

// Din is Dinero's traditional text. Each line has a label (0 read, 1 write, 2
// instruction fetch, 3 misc, 4 copy back, 5 invalidate) and a hexadecimal address; the
// rest of the line is a comment. The format has no sizes: every reference has 4 bytes,
// or Options.DefaultSize.
//
// Differs: Dinero IV clears the two low bits of addresses. This importer keeps them.
type Din struct{}

// XDin is Dinero IV's extended text. Each line has an access type (r, w, i, m, c, v),
// and an address and a size in hexadecimal; the rest is a comment.
type XDin struct{}

var (
	_ Importer    = Din{}
	_ Exporter    = Din{}
	_ PartsLister = Din{}
	_ Importer    = XDin{}
	_ Exporter    = XDin{}
	_ PartsLister = XDin{}
)

// Name returns "din".
func (Din) Name() string { return "din" }

// Name returns "xdin".
func (XDin) Name() string { return "xdin" }

// Description returns a description of one line.
func (Din) Description() string { return "Dinero: label and address, text" }

// Description returns a description of one line.
func (XDin) Description() string { return "Dinero IV extended: type, address and size, text" }

// Magic returns how the format is recognised.
func (Din) Magic() string { return "none; guessed from labels 0-5 and hexadecimal addresses" }

// Magic returns how the format is recognised.
func (XDin) Magic() string { return "none; guessed from types r w i m c v and two hexadecimal numbers" }

// Parts returns the labels and the fields after them.
func (Din) Parts() []Part {
	return []Part{{"label", dinParts(dinLabels)}, {"address", "hexadecimal, with or without 0x"},
		{"size", fmt.Sprintf("not in the format: --default-size, or %d bytes; the rest of the line is a comment", dinSize)}}
}

// Parts returns the types and the fields after them.
func (XDin) Parts() []Part {
	return []Part{{"type", dinParts(xdinTypes[:len(dinOps)]) + "; in any case"}, {"address", "hexadecimal, with or without 0x"},
		{"size", "bytes, hexadecimal; the rest of the line is a comment"}}
}

// dinParts returns the meaning of each label, and the operation that import stores.
func dinParts(labels []byte) string {
	var all []string
	for i, what := range []string{"read", "write", "instruction fetch", "misc", "copy back", "invalidate"} {
		if i >= dinMisc {
			what += fmt.Sprintf(" (a %s)", dinOps[i])
		}
		all = append(all, string(labels[i])+" "+what)
	}
	return strings.Join(all, ", ")
}

const (
	dinSize       = 4 // bytes of a reference, as in Dinero IV
	dinSniffLines = 100
)

// Sniff is Likely if all lines are a label and an address.
func (Din) Sniff(head []byte) Verdict {
	return sniffDin(head, 2, dinLabels, "lines of a label from 0 to 5 and a hexadecimal address")
}

// Sniff is Likely if all lines are a type, an address and a size.
func (XDin) Sniff(head []byte) Verdict {
	return sniffDin(head, 3, xdinTypes, "lines of one of r w i m c v and two hexadecimal numbers")
}

// sniffDin knows no format by one line with a comment: the line may be the begin of a table.
func sniffDin(head []byte, fields int, labels []byte, why string) Verdict {
	alone := !bytes.Contains(head, newline) && len(bytes.Fields(head)) > fields
	v := sniffText(head, dinSniffLines, why, func(line []byte) bool {
		got := bytes.Fields(line)
		if len(got) < fields || len(got[0]) != 1 || bytes.IndexByte(labels, got[0][0]) < 0 {
			return false
		}
		for _, f := range got[1:fields] {
			if _, problem := parseHex(trimHex(f)); problem != "" {
				return false
			}
		}
		return true
	})
	if alone && v.Confidence == Likely {
		v.Confidence = Possible
	}
	return v
}

// dinLabels and xdinTypes list the labels; an index is one operation.
var (
	dinLabels = []byte("012345")
	xdinTypes = []byte("rwimcvRWIMCV")
	dinOps    = []trace.Op{trace.Load, trace.Store, trace.Ifetch, trace.Load, trace.Flush, trace.Flush}
)

const dinMisc = 3 // index of the unknown accesses, imported as loads

// trimHex removes an optional 0x.
func trimHex(b []byte) []byte {
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		return b[2:]
	}
	return b
}

// Import parses all of in.
func (Din) Import(in *Input, o Options, sink Sink) (Result, error) {
	p := newDinParser(o, sink)
	p.labels = &dinLabelIndex
	if p.size = uint64(o.DefaultSize); p.size == 0 {
		p.size = dinSize
	}
	r, err := p.run(in)
	r.Notes = append(r.Notes, fmt.Sprintf("din has no sizes: every reference counts as %s", plural(int(p.size), "byte")))
	return r, err
}

// Import parses all of in.
func (XDin) Import(in *Input, o Options, sink Sink) (Result, error) {
	p := newDinParser(o, sink)
	p.labels = &xdinTypeIndex
	return p.run(in)
}

// dinLabelIndex and xdinTypeIndex give the index in dinOps plus one, or 0.
var dinLabelIndex, xdinTypeIndex = func() (d, x [256]uint8) {
	for i, c := range dinLabels {
		d[c] = uint8(i + 1)
	}
	for i, c := range xdinTypes {
		x[c] = uint8(i%len(dinOps) + 1)
	}
	return d, x
}()

type dinParser struct {
	text
	dinCounter
	labels *[256]uint8
	size   uint64 // 0 if the line has a size
}

func newDinParser(o Options, sink Sink) *dinParser {
	return &dinParser{dinCounter: dinCounter{o: o, stream: newStream(sink, o.FirstProc)}}
}

func (p *dinParser) run(in *Input) (Result, error) {
	if err := p.fastLines(in, p.fast, p.parse); err != nil {
		return Result{}, err
	}
	if p.count == 0 {
		return Result{}, p.fail(nil, "end of file after no records", "")
	}
	if err := p.stream.finish(); err != nil {
		return Result{}, err
	}
	return Result{Procs: 1, Lines: uint64(p.line), Notes: append(p.text.notes(), p.dinCounter.notes()...)}, nil
}

// dinWindow exceeds the longest record without a comment, 27 bytes.
const dinWindow = 32

// fast parses records without comments and surrounding blanks from the start of b, and
// returns the number of bytes parsed. It stops at the first other line.
func (p *dinParser) fast(b []byte) int {
	i := 0
	for i+dinWindow <= len(b) {
		w := b[i : i+dinWindow]
		label := p.labels[w[0]]
		if label == 0 || w[1] != ' ' {
			break
		}
		start := 2
		if w[2] == '0' && w[3]|0x20 == 'x' {
			start = 4
		}
		addr, j := hexRun(w, start)
		if j == start {
			break
		}
		size := p.size
		if size == 0 {
			if w[j] != ' ' {
				break
			}
			start = j + 1
			if size, j = hexRun(w[:start+5], start); j == start {
				break
			}
		}
		if w[j] != '\n' || size-1 > 65534 || addr+size-1 < addr {
			break
		}
		p.line++
		p.record(label-1, addr, uint16(size))
		i += j + 1
	}
	return i
}

// parse takes one line.
func (p *dinParser) parse(raw []byte, last bool) error {
	line := raw
	if n := len(line); n == 0 || line[0] <= ' ' || line[n-1] <= ' ' {
		if line = p.trim(raw); len(line) == 0 {
			return p.fail(nil, "blank line", "remove it; Dinero stops here too")
		}
	}
	if last {
		p.unended++
	}
	label := p.labels[line[0]]
	if label == 0 || len(line) > 1 && !isBlank(line[1]) {
		return p.bad(line, "unknown label", "labels are "+p.known())
	}
	addr, rest, problem := hexField(line[1:])
	if problem != "" {
		return p.bad(line, "the address is "+problem, "write label and hexadecimal address")
	}
	size := p.size
	if size == 0 {
		if size, _, problem = hexField(rest); problem != "" {
			return p.bad(line, "the size is "+problem, "write type, address and size, the numbers hexadecimal")
		}
	}
	if size-1 > 65534 || addr+size-1 < addr {
		return p.bad(line, sizeProblem(addr, size), "")
	}
	p.record(label-1, addr, uint16(size))
	return p.stream.err
}

// bad returns an error. If the line has a NUL byte, the error says so instead.
func (p *dinParser) bad(line []byte, reason, advice string) error {
	if err := p.checkNUL(line); err != nil {
		return err
	}
	return p.fail(line, reason, advice)
}

func (p *dinParser) known() string {
	if p.size > 0 {
		return "0 to 5"
	}
	return "r, w, i, m, c, v"
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// hexField reads a hexadecimal number up to the next blank.
func hexField(b []byte) (v uint64, rest []byte, problem string) {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	if len(b) > 1 && b[0] == '0' && b[1]|0x20 == 'x' {
		b = b[2:]
	}
	i := 0
	for ; i < len(b) && hexValue[b[i]] <= 15; i++ {
		if v >= 1<<60 {
			return 0, nil, "a number over 64 bits"
		}
		v = v<<4 | uint64(hexValue[b[i]])
	}
	switch {
	case i == 0 && (len(b) == 0 || isBlank(b[0])):
		return 0, nil, "missing"
	case i == 0 && b[0] == '-':
		return 0, nil, "a negative number"
	case i == 0 || i < len(b) && !isBlank(b[i]):
		return 0, nil, "not a hexadecimal number"
	}
	return v, b[i:], ""
}
