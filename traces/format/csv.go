package format

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"spoor/traces/trace"
)

// CSV is one reference on each line, in columns that a header names in any order:
//
//	time (ts, timestamp, cycle)     whole number
//	tid  (thread, core, cpu)        whole number; 0 if there is no such column
//	op   (type, rw, access)         R load read LD 0, W store write ST 1, I ifetch 2,
//	                                M modify rmw, P prefetch, F flush; R without column
//	addr (address, vaddr)           0x and hexadecimal digits, or decimal digits
//	size (bytes, len)               bytes; 1 or Options.DefaultSize without column
//
// Other columns are ignored. Without a header the columns are these five in this
// order, or Options.Columns. Columns are separated by comma, semicolon, tab or bar,
// whichever the first line has most of; values may be quoted as in RFC 4180, but a
// line ends where the line ends.
//
// Threads become processors 0, 1, ... in order of their first rows. Time counts
// executed instructions: the Instr of a reference is the time since the previous
// row of its thread. Without a time column it is the number of the row, so that
// merging processors by instructions executed gives back the order of the file.
type CSV struct{}

var (
	_ Importer = CSV{}
	_ Exporter = CSV{}
	_ Threaded = CSV{}
)

// Name is "csv".
func (CSV) Name() string { return "csv" }

// Description says what the format is.
func (CSV) Description() string {
	return "columns time,tid,op,addr,size with a header, or as --columns says"
}

// Magic says how the format is recognised.
func (CSV) Magic() string {
	return "a header with these names; guessed from five such columns without one"
}

// Threaded marks that rows name their thread.
func (CSV) Threaded() {}

// csvColumn is what a column means. The zero csvColumn is ignored.
type csvColumn uint8

const (
	csvTime csvColumn = 1 + iota
	csvTid
	csvOp
	csvAddr
	csvSize
	csvColumns
)

var csvNames = [csvColumns]string{csvTime: "time", csvTid: "tid", csvOp: "op", csvAddr: "addr", csvSize: "size"}

var csvCanonical = []csvColumn{csvTime, csvTid, csvOp, csvAddr, csvSize}

var csvAliases = map[string]csvColumn{
	"time": csvTime, "ts": csvTime, "timestamp": csvTime, "cycle": csvTime,
	"tid": csvTid, "thread": csvTid, "core": csvTid, "cpu": csvTid,
	"op": csvOp, "type": csvOp, "rw": csvOp, "access": csvOp,
	"addr": csvAddr, "address": csvAddr, "vaddr": csvAddr,
	"size": csvSize, "bytes": csvSize, "len": csvSize,
}

// csvModify stands beside the operations of trace for M.
const csvModify trace.Op = 0xff

var csvWords = map[string]trace.Op{
	"r": trace.Load, "0": trace.Load, "load": trace.Load, "read": trace.Load, "ld": trace.Load,
	"w": trace.Store, "1": trace.Store, "store": trace.Store, "write": trace.Store, "st": trace.Store,
	"i": trace.Ifetch, "2": trace.Ifetch, "ifetch": trace.Ifetch,
	"m": csvModify, "modify": csvModify, "rmw": csvModify,
	"p": trace.Prefetch, "prefetch": trace.Prefetch,
	"f": trace.Flush, "flush": trace.Flush,
}

// csvLetters is csvWords for words of one byte.
var csvLetters = func() (table [256]trace.Op) {
	for word, op := range csvWords {
		if len(word) == 1 {
			table[word[0]] = op
			table[strings.ToUpper(word)[0]] = op
		}
	}
	return table
}()

const csvSniffLines = 100

// Sniff is Certain of a header with two known names, or with one that is an
// address, and makes a guess of lines with the five canonical columns.
func (CSV) Sniff(head []byte) Verdict {
	first := head
	if at := bytes.IndexByte(head, '\n'); at >= 0 {
		first = head[:at]
	}
	first = bytes.TrimRight(first, blanks)
	sep := csvSeparator(first)
	known, addr := 0, false
	for _, f := range csvSplit(nil, first, sep) {
		if c := csvAlias(f); c != 0 {
			known++
			addr = addr || c == csvAddr
		}
	}
	if known >= 2 || addr {
		return Verdict{Certain, "a header that names the columns"}
	}
	lines, hits := sniffLines(head, csvSniffLines, func(line []byte) bool { return csvCanonicalRow(line, sep) })
	if lines == 0 || hits < lines-lines/10 {
		return foreign
	}
	return Verdict{Likely, "lines of five columns that can be time, tid, op, addr and size"}
}

func csvCanonicalRow(line []byte, sep byte) bool {
	fields := csvSplit(nil, line, sep)
	if len(fields) != len(csvCanonical) {
		return false
	}
	_, op := csvWords[strings.ToLower(string(fields[2]))]
	_, addr := parseHex(trimHex(fields[3]))
	if !op || addr != "" {
		return false
	}
	for _, i := range []int{0, 1, 4} {
		if _, problem := parseDecimal(fields[i]); problem != "" {
			return false
		}
	}
	return true
}

// csvAlias is the column that a name means, or 0.
func csvAlias(name []byte) csvColumn {
	return csvAliases[strings.ToLower(string(bytes.Trim(name, blanks)))]
}

// csvSeparator is what the first line has most of, outside quotes.
func csvSeparator(line []byte) byte {
	best, most := byte(','), 0
	for _, sep := range []byte(",;\t|") {
		n, quoted := 0, false
		for _, c := range line {
			if c == '"' {
				quoted = !quoted
			} else if c == sep && !quoted {
				n++
			}
		}
		if n > most {
			best, most = sep, n
		}
	}
	return best
}

// csvSplit appends the fields of a line without quotes to fields; with quotes it
// takes them off, as RFC 4180 says, and returns nil if they are not closed.
func csvSplit(fields [][]byte, line []byte, sep byte) [][]byte {
	if bytes.IndexByte(line, '"') >= 0 {
		return csvSplitQuoted(fields, line, sep)
	}
	start := 0
	for i, c := range line {
		if c == sep {
			fields = append(fields, line[start:i])
			start = i + 1
		}
	}
	return append(fields, line[start:])
}

func csvSplitQuoted(fields [][]byte, line []byte, sep byte) [][]byte {
	for {
		line = bytes.TrimLeft(line, " ")
		if len(line) == 0 || line[0] != '"' {
			field, rest, more := bytes.Cut(line, []byte{sep})
			fields = append(fields, field)
			if !more {
				return fields
			}
			line = rest
			continue
		}
		var field []byte
		for line = line[1:]; ; {
			part, rest, closed := bytes.Cut(line, []byte{'"'})
			field = append(field, part...)
			if !closed {
				return nil
			}
			if line = rest; len(line) == 0 || line[0] != '"' {
				break
			}
			field = append(field, '"')
			line = line[1:]
		}
		fields = append(fields, field)
		line = bytes.TrimLeft(line, " ")
		if len(line) == 0 {
			return fields
		}
		if line[0] != sep {
			return nil
		}
		line = line[1:]
	}
}

// Import parses all of in.
func (CSV) Import(in *Input, o Options, sink Sink) (Result, error) {
	p := csvParser{o: o, sink: sink, threads: map[uint64]*csvThread{}, size: 1, hex: o.AddrBase == 16}
	if o.DefaultSize > 0 {
		p.size = uint64(o.DefaultSize)
	}
	if err := p.lines(in, p.parse); err != nil {
		return Result{}, err
	}
	if p.rows == 0 {
		return Result{}, p.fail(nil, "end of file after no rows", "")
	}
	for _, t := range p.order {
		if err := t.stream.finish(); err != nil {
			return Result{}, err
		}
	}
	r := Result{Procs: len(p.order), Lines: uint64(p.line), Notes: p.notes()}
	if r.Procs > 1 {
		r.Rule = "order of the rows, as instructions executed"
	}
	return r, nil
}

const (
	maxCSVThreads = 1 << 20 // processors that a trace can have
	// csvBuffered bounds the references that wait in the streams of all threads.
	csvBuffered = 1 << 22
)

type csvParser struct {
	text
	o       Options
	sink    Sink
	sep     byte
	cols    []csvColumn
	has     [csvColumns]bool
	ignored []string
	size    uint64
	hex     bool
	headed  bool

	fields   [][]byte
	rows     uint64
	buffered int
	threads  map[uint64]*csvThread
	order    []*csvThread // by processor
	latest   *csvThread   // of the previous row
	previous uint64       // its position
	disorder int          // rows that merging puts elsewhere than the file does
}

type csvThread struct {
	tid    uint64
	pos    uint64 // position of its latest row
	stream *stream
}

// parse takes one line.
func (p *csvParser) parse(raw []byte, last bool) error {
	line := raw
	if n := len(line); n == 0 || line[0] <= ' ' || line[n-1] <= ' ' {
		if line = p.trimRow(raw); len(line) == 0 {
			return nil
		}
	}
	if last {
		p.unended++
	}
	if p.cols == nil {
		done, err := p.begin(line)
		if done || err != nil {
			return err
		}
	}
	p.fields = csvSplit(p.fields[:0], line, p.sep)
	if len(p.fields) != len(p.cols) {
		return p.ragged(line)
	}
	return p.row(line)
}

// trimRow trims a row; an empty last column after a tab stays.
func (p *csvParser) trimRow(raw []byte) []byte {
	if p.sep != '\t' {
		return p.trim(raw)
	}
	line := bytes.TrimSuffix(raw, []byte{'\r'})
	if len(line) != len(raw) {
		p.crlf++
	}
	return line
}

func (p *csvParser) ragged(line []byte) error {
	if err := p.checkNUL(line); err != nil {
		return err
	}
	if csvSplit(nil, line, p.sep) == nil {
		return p.fail(line, "unterminated quote, or text after one", "close the quote on the same line, followed by a separator")
	}
	return p.fail(line, fmt.Sprintf("%d fields, the %s %d", len(p.fields), p.firstLine(), len(p.cols)), "")
}

func (p *csvParser) firstLine() string {
	if p.headed {
		return "header has"
	}
	return "columns are"
}

// row takes the fields of one row.
func (p *csvParser) row(line []byte) error {
	v := [csvColumns]uint64{csvSize: p.size}
	op := trace.Load
	for i, col := range p.cols {
		if col == 0 {
			continue
		}
		field := p.fields[i]
		if n := len(field); n > 0 && (field[0] <= ' ' || field[n-1] <= ' ') {
			field = bytes.Trim(field, blanks)
		}
		var problem string
		switch col {
		case csvOp:
			op, problem = csvOperation(field)
		case csvAddr:
			v[csvAddr], problem = p.address(field)
		default:
			v[col], problem = parseDecimal(field)
		}
		if problem != "" {
			return p.badField(line, i, problem)
		}
	}
	if v[csvSize]-1 > 65534 || v[csvAddr]+v[csvSize]-1 < v[csvAddr] {
		return p.fail(line, sizeProblem(v[csvAddr], v[csvSize]), "")
	}
	return p.record(line, op, &v)
}

func (p *csvParser) badField(line []byte, i int, problem string) error {
	if err := p.checkNUL(line); err != nil {
		return err
	}
	reason := fmt.Sprintf("column %s: %s is %s", csvNames[p.cols[i]], quote(p.fields[i]), problem)
	return p.fail(line, reason, "")
}

func csvOperation(field []byte) (trace.Op, string) {
	if len(field) == 1 {
		if op := csvLetters[field[0]]; op != 0 {
			return op, ""
		}
	}
	op, ok := csvWords[strings.ToLower(string(field))]
	if !ok {
		return 0, "no operation: R, W, I, M, P or F"
	}
	return op, ""
}

func (p *csvParser) address(field []byte) (uint64, string) {
	if len(field) > 2 && field[0] == '0' && field[1]|0x20 == 'x' {
		return parseHex(field[2:])
	}
	if p.hex {
		return parseHex(field)
	}
	v, problem := parseDecimal(field)
	if problem != "" {
		if _, isHex := parseHex(field); isHex == "" {
			problem = "hexadecimal without 0x; --addr-base=16 reads all addresses so"
		}
	}
	return v, problem
}

// record appends one row to its thread.
func (p *csvParser) record(line []byte, op trace.Op, v *[csvColumns]uint64) error {
	p.rows++
	t := p.latest
	if t == nil || t.tid != v[csvTid] {
		var err error
		if t, err = p.thread(v[csvTid]); err != nil {
			return err
		}
	}
	pos := p.rows
	if p.has[csvTime] {
		if pos = v[csvTime]; pos > math.MaxInt64 {
			return p.fail(line, "column time: a number over 2^63-1", "--csv-time=rows ignores the column")
		}
	}
	if pos < t.pos {
		return p.fail(line, fmt.Sprintf("column time: %d after %d in thread %d: time goes backwards", pos, t.pos, t.tid),
			"sort the rows, or ignore the column with --csv-time=rows")
	}
	if p.latest != nil && (pos < p.previous || pos == p.previous && t.stream.refs.Proc < p.latest.stream.refs.Proc) {
		p.disorder++
	}
	s := t.stream
	s.execute(pos - t.pos)
	t.pos, p.previous, p.latest = pos, pos, t
	switch {
	case op == csvModify:
		s.modify(v[csvAddr], uint16(v[csvSize]), p.o.Modify, false)
	case op != trace.Ifetch || !p.o.DropIfetch:
		s.ref(v[csvAddr], uint16(v[csvSize]), op)
	}
	if p.buffered++; p.buffered >= csvBuffered {
		p.release()
	}
	return s.err
}

// release sends what waits in the streams, and gives their memory back.
func (p *csvParser) release() {
	for _, t := range p.order {
		t.stream.flush()
		t.stream.refs = trace.Refs{Proc: t.stream.refs.Proc}
	}
	p.buffered = 0
}

// thread finds a thread, or makes it the next processor.
func (p *csvParser) thread(tid uint64) (*csvThread, error) {
	if t := p.threads[tid]; t != nil {
		return t, nil
	}
	if len(p.order) == maxCSVThreads {
		return nil, p.fail(nil, fmt.Sprintf("more than %d threads", maxCSVThreads), "is the right column named tid?")
	}
	t := &csvThread{tid: tid, stream: newStream(p.sink, p.o.FirstProc+trace.Proc(len(p.order)))}
	p.threads[tid] = t
	p.order = append(p.order, t)
	return t, nil
}
