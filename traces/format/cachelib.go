package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// CacheLib is the CSV of requests of Meta's cache traces. A header names the columns,
// in any order. Key-value traces have key, op, size, and optionally op_time and
// op_count. Block traces have block_id, op_name and io_size. Other columns are ignored.
// A header within the file begins another table.
type CacheLib struct{}

var (
	_ Importer       = CacheLib{}
	_ SettingsLister = CacheLib{}
	_ PartsLister    = CacheLib{}
)

// Name returns "cachelib".
func (CacheLib) Name() string { return "cachelib" }

// Description returns a description of one line.
func (CacheLib) Description() string {
	return "CacheLib: requests of a key-value or block cache, CSV with a header"
}

// Magic returns how the format is recognised.
func (CacheLib) Magic() string {
	return "a header with key, op and size, or block_id, op_name and io_size"
}

// Settings returns the block size and the meaning of counts.
func (CacheLib) Settings() []Setting { return []Setting{settingBlock, settingRepeat} }

// Parts returns the columns.
func (CacheLib) Parts() []Part {
	return []Part{{"column op_time", keyTimeDoc + "; optional"}, {"column key or block_id", keyKeyDoc},
		{"column size or io_size", "bytes, a whole number"}, {"column op or op_name", keyOpDoc()},
		{"column op_count", fmt.Sprintf("number of requests of the line, 1 to %d; optional", maxRepeat)}}
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
func (CacheLib) Sniff(head []byte) Verdict {
	line, _, _ := bytes.Cut(head, newline)
	cols, _ := cachelibHeader(bytes.TrimRight(line, blanks))
	for _, r := range cachelibRequired {
		if !slices.Contains(cols, r.column) {
			return foreign
		}
	}
	return Verdict{Certain, "a header of a CacheLib trace"}
}

// cachelibHeader returns the meaning and the names of the columns of a header.
func cachelibHeader(line []byte) (cols []keyColumn, names []string) {
	for name := range strings.SplitSeq(string(line), ",") {
		name = strings.Trim(name, blanks)
		cols, names = append(cols, cachelibColumns[name]), append(names, name)
	}
	return cols, names
}

// Import parses all of in.
func (f CacheLib) Import(in *Input, o Options, sink Sink) (Result, error) {
	p := keyTable{sep: ',', op: keyWord, header: cachelibTable}
	var err error
	if p.repeat, err = parseRepeat(o, f); err != nil {
		return Result{}, err
	}
	if p.objects, err = newObjects(sink, o, f); err != nil {
		return Result{}, err
	}
	return p.run(in)
}

// cachelibTable takes line if it is a header. The first line must be one. Another line
// that begins like one may still be a request for a key of that name.
func cachelibTable(p *keyTable, line []byte) (bool, error) {
	if p.cols != nil {
		begins := bytes.HasPrefix(line, []byte(p.names[0]+",")) || bytes.HasPrefix(line, []byte("op_time,"))
		if !begins || p.fits(line) {
			return false, nil
		}
	}
	p.cols, p.names = cachelibHeader(line)
	for _, r := range cachelibRequired {
		if !slices.Contains(p.cols, r.column) {
			return true, p.fail(line, fmt.Sprintf("required column %q is missing", r.name),
				fmt.Sprintf("a header names key, op and size (or block_id, op_name and io_size); this header has neither %q nor %q", r.name, r.also))
		}
	}
	for i, c := range p.cols {
		if c != 0 && slices.Contains(p.cols[:i], c) {
			return true, p.fail(line, "column "+p.names[i]+" appears twice", "")
		}
	}
	return true, nil
}
