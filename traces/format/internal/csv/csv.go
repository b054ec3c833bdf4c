// Package csv reads and writes references in columns.
package csv

import (
	"bytes"
	"strings"

	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// CSV is one reference on each line, in columns that a header names in any order:
//
//	time (ts, timestamp, cycle)     whole number
//	tid  (thread, core, cpu)        whole number; 0 if there is no such column
//	op   (type, rw, access)         R L load read LD 0, W S store write ST 1,
//	                                I ifetch 2, M modify rmw, P prefetch, F flush;
//	                                R without column
//	addr (address, vaddr)           0x and hexadecimal digits, or decimal digits
//	size (bytes, len)               bytes; 1 or Options.DefaultSize without column
//
// Other columns are ignored. Without a header, the columns are these five in this
// order, or Options.Columns. The separator is the comma, semicolon, tab or bar that is
// most frequent in the first line; without these, it is one or more blanks. Values may
// be quoted as in RFC 4180, but may not contain line ends.
//
// Threads become processors 0, 1, ... in the order of their first rows. Time counts
// executed instructions: the Instr of a reference is the time since the previous row of
// its thread. If the first time is not near zero, all times are shifted, and a
// reference may not stand for over a million instructions (unless
// Options.TimeIsExact). Without a time column, the time is the row number. Merging
// processors by instructions executed then restores the order of the file.
type CSV struct{}

var (
	_ format.Importer = CSV{}
	_ format.Exporter = CSV{}
)

// Info describes the format.
func (CSV) Info() format.Info {
	return format.Info{
		Name:  "csv",
		Doc:   "columns time,tid,op,addr,size with a header, or those of --columns",
		Magic: "a header with these names; guessed from five such columns",
		Example: `  $ printf 'time,tid,op,addr,size\n1,0,R,0x1000,8\n3,0,W,0x1008,8\n' > mine.csv
  $ traces import mine.csv -o mine`,
		Threaded: true,
		Loses:    "events, pc",
		Parts:    csvParts(),
	}
}

// csvParts returns the columns.
func csvParts() []format.Part {
	var ops []string
	for _, o := range csvOperations {
		ops = append(ops, o.what+": "+strings.Join(o.words, " "))
	}
	docs := [csvColumns]string{
		csvTime: "instructions executed, a whole number; without the column, or with --csv-time=rows, each row is one instruction; " +
			"times that begin above 1000 are shifted, and over 1000000 for one reference are refused, unless --csv-time=exact",
		csvTid:  "the processor, a whole number; default 0",
		csvOp:   strings.Join(ops, "; ") + "; upper or lower case; default load",
		csvAddr: "0x and hexadecimal digits, or decimal digits; with --addr-base=16 all are hexadecimal",
		csvSize: "bytes, 1 to 65535; default --default-size, or 1",
	}
	var all []format.Part
	for _, c := range csvCanonical {
		doc := docs[c]
		if also := csvAliases[c][1:]; len(also) > 0 {
			doc += " (also called " + strings.Join(also, ", ") + ")"
		}
		all = append(all, format.Part{Name: "column " + c.name(), Doc: doc})
	}
	return all
}

// csvColumn is the meaning of a column. The zero csvColumn is ignored.
type csvColumn uint8

const (
	csvTime csvColumn = 1 + iota
	csvTid
	csvOp
	csvAddr
	csvSize
	csvColumns
)

// name returns the column's own name.
func (c csvColumn) name() string { return csvAliases[c][0] }

var csvCanonical = []csvColumn{csvTime, csvTid, csvOp, csvAddr, csvSize}

// csvAliases lists the names of each column, its own first.
var csvAliases = [csvColumns][]string{
	csvTime: {"time", "ts", "timestamp", "cycle"},
	csvTid:  {"tid", "thread", "core", "cpu"},
	csvOp:   {"op", "type", "rw", "access"},
	csvAddr: {"addr", "address", "vaddr"},
	csvSize: {"size", "bytes", "len"},
}

// csvNamed maps each name to its column.
var csvNamed = func() map[string]csvColumn {
	all := map[string]csvColumn{}
	for c, names := range csvAliases {
		for _, name := range names {
			all[name] = csvColumn(c)
		}
	}
	return all
}()

// csvModify extends the operations of package trace with M.
const csvModify trace.Op = 0xff

// csvOperations lists the words for operations, in any case.
var csvOperations = []struct {
	op    trace.Op
	what  string
	words []string
}{
	{trace.Load, "load", []string{"R", "0", "L", "load", "read", "LD"}},
	{trace.Store, "store", []string{"W", "1", "S", "store", "write", "ST"}},
	{trace.Ifetch, "instruction fetch", []string{"I", "2", "ifetch"}},
	{csvModify, "load and store (--modify)", []string{"M", "modify", "rmw"}},
	{trace.Prefetch, "prefetch", []string{"P", "prefetch"}},
	{trace.Flush, "flush", []string{"F", "flush"}},
}

// csvWords maps each word, in lower case, to its operation.
var csvWords = func() map[string]trace.Op {
	all := map[string]trace.Op{}
	for _, o := range csvOperations {
		for _, word := range o.words {
			all[strings.ToLower(word)] = o.op
		}
	}
	return all
}()

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

// Sniff is Certain of a header with a name of the addr column; between blanks, all words
// must be names. It is Likely if all lines have the five canonical columns.
func (CSV) Sniff(head []byte) format.Verdict {
	first := head
	if at := bytes.IndexByte(head, '\n'); at >= 0 {
		first = head[:at]
	}
	first = bytes.TrimRight(first, input.Blanks)
	sep := csvSeparator(first)
	known, addr, fields := 0, false, csvSplit(nil, first, sep)
	for _, f := range fields {
		if c := csvAlias(f); c != 0 {
			known++
			addr = addr || c == csvAddr
		}
	}
	switch {
	case addr && (sep != ' ' || known == len(fields)):
		return format.Verdict{Confidence: format.Certain, Why: "a header that names the columns"}
	case known >= 2:
		return format.Verdict{Confidence: format.Nearly, Why: "a header that names no addr column"}
	}
	why := "lines of five columns that can be time, tid, op, addr and size"
	return sniff.SniffText(head, csvSniffLines, why, func(line []byte) bool { return csvCanonicalRow(line, sep) })
}

func csvCanonicalRow(line []byte, sep byte) bool {
	fields := csvSplit(nil, line, sep)
	if len(fields) != len(csvCanonical) {
		return false
	}
	_, op := csvWords[strings.ToLower(string(fields[2]))]
	_, addr := input.ParseHex(input.TrimHex(fields[3]))
	if !op || addr != "" {
		return false
	}
	for _, i := range []int{0, 1, 4} {
		if _, problem := input.ParseDecimal(fields[i]); problem != "" {
			return false
		}
	}
	return true
}

// csvAlias returns the column of a name, or 0.
func csvAlias(name []byte) csvColumn {
	return csvNamed[strings.ToLower(string(bytes.Trim(name, input.Blanks)))]
}

// csvSeparator returns the separator that is most frequent in line, outside quotes. A
// blank stands for one or more, if line has no other separator.
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
	if most == 0 && bytes.IndexByte(line, ' ') >= 0 && bytes.IndexByte(line, '"') < 0 {
		best = ' '
	}
	return best
}

// csvSplit appends the fields of a line to fields. It removes quotes as in RFC 4180,
// and returns nil if one is not closed.
func csvSplit(fields [][]byte, line []byte, sep byte) [][]byte {
	if sep == ' ' {
		return append(fields, bytes.Fields(line)...)
	}
	if bytes.IndexByte(line, '"') >= 0 {
		return csvSplitQuoted(fields, line, sep)
	}
	return input.Split(fields, line, sep)
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
