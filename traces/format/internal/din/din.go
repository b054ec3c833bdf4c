// Package din reads and writes the formats of Dinero: din, xdin and d4bin.
package din

import (
	"bytes"
	"fmt"
	"strings"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
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
	_ format.Importer = Din{}
	_ format.Exporter = Din{}
	_ format.Importer = XDin{}
	_ format.Exporter = XDin{}
)

// Info describes the format.
func (Din) Info() format.Info {
	return format.Info{
		Name:  "din",
		Doc:   "Dinero: label and address, text",
		Magic: "none; guessed from labels 0-5 and hexadecimal addresses",
		Example: `  $ traces import data/sample/tiny.log -o tiny
  $ traces export tiny --to din -o tiny.din
  $ traces import tiny.din --from din -o back`,
		Parts: []format.Part{{Name: "label", Doc: dinParts(dinLabels)}, {Name: "address", Doc: "hexadecimal, with or without 0x"},
			{Name: "size", Doc: fmt.Sprintf("not in the format: --default-size, or %d bytes; the rest of the line is a comment", dinSize)}},
		Loses: "events, sizes, prefetches, all processors except one, instructions that are not fetched, pc",
	}
}

// Info describes the format.
func (XDin) Info() format.Info {
	return format.Info{
		Name:  "xdin",
		Doc:   "Dinero IV extended: type, address and size, text",
		Magic: "none; guessed from types r w i m c v and two hexadecimal numbers",
		Example: `  $ traces import data/sample/tiny.log -o tiny
  $ traces export tiny --to xdin -o tiny.xdin
  $ traces import tiny.xdin --from xdin -o back`,
		Parts: []format.Part{{Name: "type", Doc: dinParts(xdinTypes[:len(dinOps)]) + "; in any case"}, {Name: "address", Doc: "hexadecimal, with or without 0x"},
			{Name: "size", Doc: "bytes, hexadecimal; the rest of the line is a comment"}},
		Loses: "events, prefetches, all processors except one, instructions that are not fetched, pc",
	}
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
func (Din) Sniff(head []byte) format.Verdict {
	return sniffDin(head, 2, dinLabels, "lines of a label from 0 to 5 and a hexadecimal address")
}

// Sniff is Likely if all lines are a type, an address and a size.
func (XDin) Sniff(head []byte) format.Verdict {
	return sniffDin(head, 3, xdinTypes, "lines of one of r w i m c v and two hexadecimal numbers")
}

// sniffDin knows no format by one line with a comment: the line may be the begin of a table.
func sniffDin(head []byte, fields int, labels []byte, why string) format.Verdict {
	alone := !bytes.Contains(head, input.Newline) && len(bytes.Fields(head)) > fields
	v := sniff.SniffText(head, dinSniffLines, why, func(line []byte) bool {
		got := bytes.Fields(line)
		if len(got) < fields || len(got[0]) != 1 || bytes.IndexByte(labels, got[0][0]) < 0 {
			return false
		}
		for _, f := range got[1:fields] {
			if _, problem := input.ParseHex(input.TrimHex(f)); problem != "" {
				return false
			}
		}
		return true
	})
	if alone && v.Confidence == format.Likely {
		v.Confidence = format.Possible
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

// Import parses all of in.
func (Din) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	p := newDinParser(o, sink)
	p.labels = &dinLabelIndex
	if p.size = uint64(o.DefaultSize); p.size == 0 {
		p.size = dinSize
	}
	r, err := p.run(in)
	r.Notes = append(r.Notes, fmt.Sprintf("din has no sizes: every reference counts as %s", input.Plural(int(p.size), "byte")))
	return r, err
}

// Import parses all of in.
func (XDin) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
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
	input.Text
	dinCounter
	labels *[256]uint8
	size   uint64 // 0 if the line has a size
}

func newDinParser(o format.Options, sink format.Sink) *dinParser {
	return &dinParser{dinCounter: dinCounter{o: o, stream: emit.NewStream(sink, o.FirstProc)}}
}

func (p *dinParser) run(in *input.Input) (format.Result, error) {
	if err := p.FastLines(in, p.fast, p.parse); err != nil {
		return format.Result{}, err
	}
	if p.count == 0 {
		return format.Result{}, p.Fail(nil, "end of file after no records", "")
	}
	if err := p.stream.Finish(); err != nil {
		return format.Result{}, err
	}
	return format.Result{Procs: 1, Lines: uint64(p.Line), Notes: append(p.Text.Notes(), p.dinCounter.notes()...)}, nil
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
		addr, size, n := p.plainFields(w)
		if label == 0 || n == 0 {
			break
		}
		p.Line++
		p.plain(label-1, addr, size)
		i += n
	}
	p.appendPlain()
	return i
}

// plainFields parses address and size of a record, and returns the bytes of the record, or 0 if it is not plain.
func (p *dinParser) plainFields(w []byte) (addr uint64, bytes uint16, n int) {
	start := 2
	if w[2] == '0' && w[3]|0x20 == 'x' {
		start = 4
	}
	addr, j := input.HexRun(w, start)
	if w[1] != ' ' || j == start {
		return 0, 0, 0
	}
	size := p.size
	if size == 0 {
		if w[j] != ' ' {
			return 0, 0, 0
		}
		start = j + 1
		if size, j = input.HexRun(w[:start+5], start); j == start {
			return 0, 0, 0
		}
	}
	if w[j] != '\n' || size-1 > 65534 || addr+size-1 < addr {
		return 0, 0, 0
	}
	return addr, uint16(size), j + 1
}

// parse takes one line.
func (p *dinParser) parse(raw []byte, last bool) error {
	line := raw
	if n := len(line); n == 0 || line[0] <= ' ' || line[n-1] <= ' ' {
		if line = p.Trim(raw); len(line) == 0 {
			return p.Fail(nil, "blank line", "remove it; Dinero stops here too")
		}
	}
	if last {
		p.Unended++
	}
	label := p.labels[line[0]]
	if label == 0 || len(line) > 1 && !input.IsBlank(line[1]) {
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
		return p.bad(line, input.SizeProblem(addr, size), "")
	}
	p.record(label-1, addr, uint16(size))
	return p.stream.Err
}

// bad returns an error. If the line has a NUL byte, the error says so instead.
func (p *dinParser) bad(line []byte, reason, advice string) error {
	if err := p.CheckNUL(line); err != nil {
		return err
	}
	return p.Fail(line, reason, advice)
}

func (p *dinParser) known() string {
	if p.size > 0 {
		return "0 to 5"
	}
	return "r, w, i, m, c, v"
}

// hexField reads a hexadecimal number up to the next blank.
func hexField(b []byte) (v uint64, rest []byte, problem string) {
	for len(b) > 0 && input.IsBlank(b[0]) {
		b = b[1:]
	}
	if len(b) > 1 && b[0] == '0' && b[1]|0x20 == 'x' {
		b = b[2:]
	}
	i := 0
	for ; i < len(b) && input.HexValue[b[i]] <= 15; i++ {
		if v >= 1<<60 {
			return 0, nil, "a number over 64 bits"
		}
		v = v<<4 | uint64(input.HexValue[b[i]])
	}
	switch {
	case i == 0 && (len(b) == 0 || input.IsBlank(b[0])):
		return 0, nil, "missing"
	case i == 0 && b[0] == '-':
		return 0, nil, "a negative number"
	case i == 0 || i < len(b) && !input.IsBlank(b[i]):
		return 0, nil, "not a hexadecimal number"
	}
	return v, b[i:], ""
}
