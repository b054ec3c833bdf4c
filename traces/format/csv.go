package format

import (
	"bytes"
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
