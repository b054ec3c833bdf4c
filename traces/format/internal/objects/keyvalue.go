package objects

import (
	"bytes"
	"fmt"
	"slices"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// keyColumn is the meaning of a column of a request trace. The zero keyColumn is
// ignored.
type keyColumn uint8

const (
	keyTime keyColumn = 1 + iota
	keyKey
	keySize
	keyOp
	keyCount
	keyColumns
)

// keyTable parses lines of requests for keys: one per line, in columns without quotes.
// A key becomes a number by its 64-bit hash (XXH3), or is already a number.
type keyTable struct {
	input.Text
	Objects
	sep     byte
	cols    []keyColumn
	names   []string // of the columns, for errors
	numeric bool     // decimal keys are their own numbers
	repeat  bool     // a count is that many requests
	op      func(word []byte) (trace.Op, bool)
	header  func(p *keyTable, line []byte) (is bool, err error) // nil, or called with every line that may be a header

	fields   [][]byte
	rows     uint64
	bytes    uint64
	counted  uint64 // sum of counts
	time     uint64
	backward uint64
	at       int // first line with an earlier time than the previous line
	words    words
	ignored  int
}

// maxRepeat limits the count of a line. A larger count is probably damage, and would
// make the trace endless.
const maxRepeat = 1 << 24

// run parses all of in.
func (p *keyTable) run(in *input.Input) (format.Result, error) {
	if err := p.Lines(in, p.parse); err != nil {
		return format.Result{}, err
	}
	if p.rows == 0 {
		return format.Result{}, p.Fail(nil, "end of file after no requests", "")
	}
	if err := p.Finish(); err != nil {
		return format.Result{}, err
	}
	counts := append([]format.Count{{Name: "rows", N: p.rows}, {Name: "size", N: p.bytes}}, p.words.counts...)
	if slices.Contains(p.cols, keyCount) {
		counts = append(counts, format.Count{Name: "op_count", N: p.counted})
	}
	return format.Result{Procs: 1, Lines: uint64(p.Line), Notes: p.notes(), Counts: counts}, nil
}

func (p *keyTable) parse(raw []byte, last bool) error {
	line := p.Trim(raw)
	if len(line) == 0 {
		return nil
	}
	if err := p.CheckNUL(line); err != nil {
		return err
	}
	if last {
		p.Unended++
	}
	if p.header != nil {
		if is, err := p.header(p, line); is || err != nil {
			return err
		}
	}
	p.fields = input.Split(p.fields[:0], line, p.sep)
	if len(p.fields) != len(p.cols) {
		return p.Fail(line, fmt.Sprintf("%s, but the table has %d columns", input.Plural(len(p.fields), "field"), len(p.cols)), "")
	}
	return p.row(line)
}

// keyRequest is one line.
type keyRequest struct {
	key         []byte
	size, count uint64
	op          trace.Op
}

func (p *keyTable) row(line []byte) error {
	r := keyRequest{count: 1, op: trace.Load}
	for i, c := range p.cols {
		if c == 0 {
			continue
		}
		field := input.TrimBlanks(p.fields[i])
		if problem := p.field(&r, c, field); problem != "" {
			return p.Fail(line, "column "+p.names[i]+": "+input.Quote(field)+" is "+problem, "")
		}
	}
	p.rows++
	p.bytes += r.size
	p.counted += r.count
	if r.op == 0 {
		p.ignored++
		return nil
	}
	if !p.repeat {
		r.count = 1
	}
	id := p.number(r.key)
	for range r.count {
		p.request(id, r.size, r.op)
	}
	return p.Stream.Err
}

// field reads one column of a row; problem says why it is invalid.
func (p *keyTable) field(r *keyRequest, c keyColumn, field []byte) (problem string) {
	switch c {
	case keyTime:
		now, fraction := input.ParseDecimal(field)
		if fraction != "" {
			now, problem = input.ParseDecimal(wholePart(field))
		}
		if problem == "" {
			p.clock(now)
		}
	case keyKey:
		if r.key = field; len(field) == 0 {
			problem = "the key is empty"
		}
	case keySize:
		r.size, problem = input.ParseDecimal(field)
	case keyOp:
		var known bool
		if r.op, known = p.words.operation(field, p.op); !known {
			return "an unknown operation"
		}
	case keyCount:
		if r.count, problem = input.ParseDecimal(field); problem == "" && (r.count == 0 || r.count > maxRepeat) {
			problem = fmt.Sprintf("not a count from 1 to %d", maxRepeat)
		}
	}
	return problem
}

// fits reports whether line can be a request.
func (p *keyTable) fits(line []byte) bool {
	fields := input.Split(nil, line, p.sep)
	if len(fields) != len(p.cols) {
		return false
	}
	for i, c := range p.cols {
		if !p.valid(c, input.TrimBlanks(fields[i])) {
			return false
		}
	}
	return true
}

// valid reports whether field can be in column c.
func (p *keyTable) valid(c keyColumn, field []byte) bool {
	problem := ""
	switch c {
	case keyTime:
		_, problem = input.ParseDecimal(wholePart(field))
	case keyKey:
		return len(field) > 0
	case keySize, keyCount:
		_, problem = input.ParseDecimal(field)
	case keyOp:
		_, known := p.op(field)
		return known
	}
	return problem == ""
}

// wholePart returns a number without its fraction, because times may have one.
func wholePart(field []byte) []byte {
	whole, fraction, dotted := bytes.Cut(field, []byte{'.'})
	if _, problem := input.ParseDecimal(fraction); dotted && problem == "" {
		return whole
	}
	return field
}

func (p *keyTable) clock(now uint64) {
	if now < p.time {
		if p.backward == 0 {
			p.at = p.Line
		}
		p.backward++
	}
	p.time = now
}

// number returns the number of the object with that key.
func (p *keyTable) number(key []byte) uint64 {
	if p.numeric {
		if n, problem := input.ParseDecimal(key); problem == "" {
			return n
		}
	}
	p.hashed++
	return p.hash(key)
}

func (p *keyTable) notes() []string {
	all := append(p.Text.Notes(), p.Objects.notes()...)
	if p.backward > 0 {
		all = append(all, fmt.Sprintf("line %d: time goes backwards (on %s); requests stay in the order of the file", p.at, input.Plural(int(p.backward), "line")))
	}
	if !p.repeat && p.counted > p.rows {
		all = append(all, fmt.Sprintf("%s for %d operations: a line is one request", requests(p.rows), p.counted))
	}
	if p.ignored > 0 {
		all = append(all, input.Plural(p.ignored, "line")+" with an operation that accesses no object omitted")
	}
	return all
}

// The Parts that several request formats share.
const (
	keyTimeDoc = "a number, optionally with a fraction; only used to note times that go backwards"
	keyKeyDoc  = "any text that is not empty; its hash is the number of the object"
)

// settingRepeat is the setting of formats with a column of request counts.
var settingRepeat = format.Setting{Name: "repeat", Default: "count", Doc: "meaning of an operation count: count (that many requests) or once (one request)"}

func parseRepeat(o format.Options, f format.Format) (bool, error) {
	switch v := o.Setting(f, settingRepeat.Name); v {
	case "count":
		return true, nil
	case "once":
		return false, nil
	default:
		return false, format.BadSetting("repeat=%s: choose count or once", v)
	}
}
