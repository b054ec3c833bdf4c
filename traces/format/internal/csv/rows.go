package csv

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Import parses all of in.
func (CSV) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	p := newCSVParser(o, sink)
	return p.run(in, p.fast)
}

func newCSVParser(o format.Options, sink format.Sink) *csvParser {
	p := &csvParser{o: o, threads: emit.NewThreads(sink, o, false), size: 1, hex: o.AddrBase == 16}
	if o.DefaultSize > 0 {
		p.size = uint64(o.DefaultSize)
	}
	return p
}

// run parses all of in, plain rows by fast.
func (p *csvParser) run(in *input.Input, fast func([]byte) int) (format.Result, error) {
	if err := p.FastLines(in, fast, p.parse); err != nil {
		return format.Result{}, err
	}
	if p.rows == 0 {
		return format.Result{}, p.Fail(nil, "end of file after no rows", "")
	}
	if err := p.threads.Finish(); err != nil {
		return format.Result{}, err
	}
	r := format.Result{Procs: len(p.threads.Order), Lines: uint64(p.Line), Notes: p.notes()}
	if r.Procs > 1 {
		r.Rule = "order of the rows, as instructions executed"
	}
	return r, nil
}

type csvParser struct {
	input.Text
	o       format.Options
	sep     byte
	cols    []csvColumn
	has     [csvColumns]bool
	ignored []string
	size    uint64
	hex     bool
	headed  bool
	untimed bool // there is no time column

	fields   [][]byte
	rows     uint64
	threads  emit.Threads
	latest   *emit.Thread // of the previous row
	previous uint64       // its position
	disorder int          // rows that merging reorders
	start    uint64       // subtracted from all times
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
		p.Unended++
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

// trimRow trims a row, but keeps an empty last column after a tab.
func (p *csvParser) trimRow(raw []byte) []byte {
	if p.sep != '\t' {
		return p.Trim(raw)
	}
	line := bytes.TrimSuffix(raw, []byte{'\r'})
	if len(line) != len(raw) {
		p.Crlf++
	}
	return line
}

func (p *csvParser) ragged(line []byte) error {
	if err := p.CheckNUL(line); err != nil {
		return err
	}
	if csvSplit(nil, line, p.sep) == nil {
		return p.Fail(line, "unterminated quote, or text after one", "close the quote on the same line, followed by a separator")
	}
	return p.Fail(line, fmt.Sprintf("%s, the %s %d", input.Plural(len(p.fields), "field"), p.firstLine(), len(p.cols)), "")
}

func (p *csvParser) firstLine() string {
	if p.headed {
		return "header has"
	}
	return "columns are"
}

// row handles the fields of one row.
func (p *csvParser) row(line []byte) error {
	v := [csvColumns]uint64{csvSize: p.size}
	op := trace.Load
	for i, col := range p.cols {
		if col == 0 {
			continue
		}
		field := input.TrimBlanks(p.fields[i])
		var problem string
		switch col {
		case csvOp:
			op, problem = csvOperation(field)
		case csvAddr:
			v[csvAddr], problem = p.address(field)
		default:
			v[col], problem = input.ParseDecimal(field)
		}
		if problem != "" {
			return p.badField(line, i, problem)
		}
	}
	if v[csvSize]-1 > 65534 || v[csvAddr]+v[csvSize]-1 < v[csvAddr] {
		return p.Fail(line, input.SizeProblem(v[csvAddr], v[csvSize]), "")
	}
	return p.record(line, op, &v)
}

func (p *csvParser) badField(line []byte, i int, problem string) error {
	if err := p.CheckNUL(line); err != nil {
		return err
	}
	reason := fmt.Sprintf("column %s: %s is %s", p.cols[i].name(), input.Quote(p.fields[i]), problem)
	return p.Fail(line, reason, "")
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
		return input.ParseHex(field[2:])
	}
	if p.hex {
		return input.ParseHex(field)
	}
	v, problem := input.ParseDecimal(field)
	if problem != "" {
		if _, isHex := input.ParseHex(field); isHex == "" {
			problem = "hexadecimal without 0x; --addr-base=16 reads all addresses as hexadecimal"
		}
	}
	return v, problem
}

const (
	csvNearZero = 1000    // times that begin above this are shifted
	csvMaxGap   = 1000000 // instructions that one reference may stand for
)

// checkTime judges a time that is more than csvMaxGap after the previous one of t, or
// before it.
func (p *csvParser) checkTime(line []byte, t *emit.Thread, time uint64) error {
	now := t.Now + p.start
	switch {
	case time > math.MaxInt64:
		return p.Fail(line, "column time: a number over 2^63-1", "--csv-time=rows ignores the column")
	case time < p.start:
		return p.Fail(line, fmt.Sprintf("column time: %d is before the time of the first row, %d", time, p.start+1),
			"sort the rows by time, or use --csv-time=exact, which does not shift times")
	case time < now:
		return p.Fail(line, fmt.Sprintf("column time: %d after %d in thread %d: time goes backwards", time, now, t.Id),
			"sort the rows, or ignore the column with --csv-time=rows")
	case p.o.TimeIsExact:
		return nil
	}
	return p.Fail(line, fmt.Sprintf("column time: %d after %d in thread %d is over %d instructions for one reference", time, now, t.Id, csvMaxGap),
		"--csv-time=exact accepts that, --csv-time=rows ignores the column")
}

// record appends one row to its thread.
func (p *csvParser) record(line []byte, op trace.Op, v *[csvColumns]uint64) error {
	p.rows++
	t := p.latest
	if t == nil || t.Id != v[csvTid] {
		var problem string
		if t, problem = p.threads.Find(v[csvTid]); problem != "" {
			return p.Fail(nil, problem, "check which column is tid")
		}
		if p.latest == nil && !p.o.TimeIsExact && v[csvTime] > csvNearZero && v[csvTime] <= math.MaxInt64 {
			p.start = v[csvTime] - 1
		}
	}
	pos := p.rows
	if p.has[csvTime] {
		if pos = v[csvTime] - p.start; pos-t.Now > csvMaxGap { // or pos < t.now
			if err := p.checkTime(line, t, v[csvTime]); err != nil {
				return err
			}
		}
	}
	if p.latest != nil && (pos < p.previous || pos == p.previous && t.Refs.Proc < p.latest.Refs.Proc) {
		p.disorder++
	}
	p.threads.Advance(t, pos)
	p.previous, p.latest = pos, t
	switch {
	case op == csvModify:
		t.Modify(v[csvAddr], uint16(v[csvSize]), p.o.Modify, false)
	case op != trace.Ifetch || !p.o.DropIfetch:
		t.Ref(v[csvAddr], uint16(v[csvSize]), op)
	}
	return t.Err
}
