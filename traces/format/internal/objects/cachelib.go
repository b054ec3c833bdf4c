package objects

import (
	"bytes"
	"fmt"
	"slices"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"strings"
)

// CacheLib is the CSV of requests of Meta's cache traces. A header names the columns,
// in any order. Key-value traces have key, op, size, and optionally op_time and
// op_count. Block traces have block_id, op_name and io_size. Other columns are ignored.
// A header within the file begins another table.
type CacheLib struct{}

var (
	_ format.Importer = CacheLib{}
)

// Info describes the format.
func (CacheLib) Info() format.Info {
	return format.Info{
		Name:  "cachelib",
		Doc:   "CacheLib: requests of a key-value or block cache, CSV with a header",
		Magic: "a header with key, op and size, or block_id, op_name and io_size",
		Example: `  $ printf 'op_time,key,op,op_count,size\n0,user1,GET,1,64\n1,user2,SET,1,100\n' > requests.csv
  $ traces import requests.csv -o requests`,
		Parts: []format.Part{{Name: "column op_time", Doc: keyTimeDoc + "; optional"}, {Name: "column key or block_id", Doc: keyKeyDoc},
			{Name: "column size or io_size", Doc: "bytes, a whole number"}, {Name: "column op or op_name", Doc: keyOpDoc()},
			{Name: "column op_count", Doc: fmt.Sprintf("number of requests of the line, 1 to %d; optional", maxRepeat)}},
		Settings: []format.Setting{settingBlock, settingRepeat},
	}
}

// cachelibColumns maps the names in a header to columns.
var cachelibColumns = map[string]keyColumn{"op_time": keyTime, "key": keyKey, "size": keySize, "op": keyOp, "op_count": keyCount,
	"block_id": keyKey, "io_size": keySize, "op_name": keyOp}

// cachelibRequired lists the required columns with their names in key-value traces and
// in block traces.
var cachelibRequired = []struct {
	column     keyColumn
	name, also string
}{{keyKey, "key", "block_id"}, {keySize, "size", "io_size"}, {keyOp, "op", "op_name"}}

// Sniff is Certain of a header with all required columns.
func (CacheLib) Sniff(head []byte) format.Verdict {
	line, _, _ := bytes.Cut(head, input.Newline)
	cols, _ := cachelibHeader(bytes.TrimRight(line, input.Blanks))
	for _, r := range cachelibRequired {
		if !slices.Contains(cols, r.column) {
			return sniff.Foreign
		}
	}
	return format.Verdict{Confidence: format.Certain, Why: "a header of a CacheLib trace"}
}

// cachelibHeader returns the meaning and the names of the columns of a header.
func cachelibHeader(line []byte) (cols []keyColumn, names []string) {
	for name := range strings.SplitSeq(string(line), ",") {
		name = strings.Trim(name, input.Blanks)
		cols, names = append(cols, cachelibColumns[name]), append(names, name)
	}
	return cols, names
}

// Import parses all of in.
func (f CacheLib) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	p := keyTable{sep: ',', op: keyWord, header: cachelibTable}
	var err error
	if p.repeat, err = parseRepeat(o, f); err != nil {
		return format.Result{}, err
	}
	if p.Objects, err = newObjects(sink, o, f); err != nil {
		return format.Result{}, err
	}
	return p.run(in)
}

// beginsWith reports whether the first column of line is name, and others follow.
func beginsWith(line []byte, name string) bool {
	return len(line) > len(name) && line[len(name)] == ',' && string(line[:len(name)]) == name
}

// cachelibTable takes line if it is a header. The first line must be one. Another line
// that begins like one may still be a request for a key of that name.
func cachelibTable(p *keyTable, line []byte) (bool, error) {
	if p.cols != nil {
		begins := beginsWith(line, p.names[0]) || beginsWith(line, "op_time")
		if !begins || p.fits(line) {
			return false, nil
		}
	}
	p.cols, p.names = cachelibHeader(line)
	for _, r := range cachelibRequired {
		if !slices.Contains(p.cols, r.column) {
			return true, p.Fail(line, fmt.Sprintf("required column %q is missing", r.name),
				fmt.Sprintf("a header names key, op and size (or block_id, op_name and io_size); this header has neither %q nor %q", r.name, r.also))
		}
	}
	for i, c := range p.cols {
		if c != 0 && slices.Contains(p.cols[:i], c) {
			return true, p.Fail(line, "column "+p.names[i]+" appears twice", "")
		}
	}
	return true, nil
}
