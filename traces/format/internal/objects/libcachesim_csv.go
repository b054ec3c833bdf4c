package objects

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// LibCacheSimCSV is a CSV of object requests, as libCacheSim reads it. Its settings
// have libCacheSim's names, and number the columns from 1.
type LibCacheSimCSV struct{}

var (
	_ format.Importer = LibCacheSimCSV{}
)

// Info describes the format.
func (LibCacheSimCSV) Info() format.Info {
	return format.Info{
		Name:  "libcachesim-csv",
		Doc:   "libCacheSim: requests for objects, CSV with columns by number",
		Magic: "none; never guessed",
		Example: `  $ printf '1,100,8\n2,101,8\n3,100,8\n' > objects.csv
  $ traces import objects.csv --from libcachesim-csv --set time-col=1,obj-size-col=3 -o objects`,
		Settings: []format.Setting{
			{Name: "obj-id-col", Default: "2", Doc: "column of the object; columns are numbered from 1"},
			{Name: "obj-size-col", Default: "0", Doc: "column of the object's size; 0: none, every object has 1 byte"},
			{Name: "time-col", Default: "0", Doc: "column of the time; 0: none"},
			{Name: "op-col", Default: "0", Doc: "column of the operation; 0: none, every request is a read"},
			{Name: "delimiter", Default: "auto", Doc: "a character, tab, or auto (the most frequent of tab, comma, bar, semicolon and blank in the first line)"},
			{Name: "has-header", Default: "auto", Doc: "true, false, or auto (true if the first line cannot be a request)"},
			{Name: "obj-id-is-num", Default: "true", Doc: "true: decimal objects are their own numbers; false: all objects are hashed"},
			settingBlock,
		},
		Parts: libcachesimParts(),
	}
}

// libcachesimParts returns the values of the columns.
func libcachesimParts() []format.Part {
	var all []string
	for _, o := range libcachesimOps {
		all = append(all, o.op.String()+": "+strings.Join(o.words, " "))
	}
	return []format.Part{{Name: "column of the time", Doc: keyTimeDoc}, {Name: "column of the operation", Doc: strings.Join(all, "; ") + "; or words: " + keyOpDoc()}}
}

// Sniff is at most Possible, because only the user knows the columns. It is, if all
// lines have as many columns as the first, and each has a number in each. Operations
// are allowed, except between blanks. The first line may be a header.
func (LibCacheSimCSV) Sniff(head []byte) format.Verdict {
	first := bytes.Trim(input.FirstLine(head), input.Blanks)
	sep := mostOf(first, []byte("\t,|; "))
	columns, n, numbers, header := bytes.Count(first, []byte{sep})+1, 0, false, false
	lines, hits := sniff.SniffLines(head, libcachesimSniff, func(line []byte) bool {
		n++
		fields := input.Split(nil, line, sep)
		fits := len(fields) == columns && columns > 1
		for _, f := range fields {
			f = bytes.Trim(f, input.Blanks)
			if isNumber(f) {
				numbers = true
				continue
			}
			_, op := libcachesimOp(f)
			header = header || !op && n == 1
			fits = fits && sep != ' ' && (op || n == 1 && !bytes.ContainsAny(f[:min(1, len(f))], "0123456789"))
		}
		return fits
	})
	if lines == 0 || hits < lines || !numbers || header && lines == 1 {
		return sniff.Foreign
	}
	return format.Verdict{Confidence: format.Possible, Why: "columns of numbers"}
}

// Import parses all of in.
func (f LibCacheSimCSV) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	c := libcachesimTable{keyTable: keyTable{op: libcachesimOp}, o: o}
	var err error
	if c.Objects, err = newObjects(sink, o, f); err != nil {
		return format.Result{}, err
	}
	if c.numeric, err = strconv.ParseBool(o.Setting(f, "obj-id-is-num")); err != nil {
		return format.Result{}, format.BadSetting("obj-id-is-num=%s: choose true or false", o.Setting(f, "obj-id-is-num"))
	}
	if err := c.settings(f); err != nil {
		return format.Result{}, err
	}
	head, err := in.Head()
	if err != nil {
		return format.Result{}, err
	}
	c.header = func(p *keyTable, line []byte) (bool, error) {
		p.header = nil
		return c.begin(line, head)
	}
	r, err := c.run(in)
	r.Notes = append(r.Notes, c.headerNotes...)
	return r, err
}

// libcachesimTable is a keyTable whose columns depend on its first line.
type libcachesimTable struct {
	keyTable
	o           format.Options
	numbers     [keyColumns]int // of columns, from 1; 0 for none
	headerMode  string          // value of has-header
	headerNotes []string        // what auto decided
}

func (c *libcachesimTable) settings(f LibCacheSimCSV) error {
	for column, name := range [keyColumns]string{keyTime: "time-col", keyKey: "obj-id-col", keySize: "obj-size-col", keyOp: "op-col"} {
		if name == "" {
			continue
		}
		n, err := strconv.Atoi(c.o.Setting(f, name))
		if err != nil || n < 0 || n > 1000 || n == 0 && keyColumn(column) == keyKey {
			return format.BadSetting("%s=%s: give the number of a column, from 1", name, c.o.Setting(f, name))
		}
		c.numbers[column] = n
	}
	switch d := c.o.Setting(f, "delimiter"); {
	case d == "tab" || d == `\t`:
		c.sep = '\t'
	case len(d) == 1:
		c.sep = d[0]
	case d != "auto":
		return format.BadSetting("delimiter=%s: give one character, tab or auto", d)
	}
	switch c.headerMode = c.o.Setting(f, "has-header"); c.headerMode {
	case "true", "false", "auto":
		return nil
	}
	return format.BadSetting("has-header=%s: choose true, false or auto", c.headerMode)
}

// begin determines separator, header and columns from the first line and the head of
// the input.
func (c *libcachesimTable) begin(line, head []byte) (header bool, err error) {
	if c.sep == 0 {
		c.sep = mostOf(line, []byte("\t,|; "))
	}
	fields := bytes.Split(line, []byte{c.sep})
	c.cols, c.names = make([]keyColumn, len(fields)), make([]string, len(fields))
	for i := range c.names {
		c.names[i] = strconv.Itoa(i + 1)
	}
	for column, n := range c.numbers {
		switch {
		case n > len(fields):
			return false, c.Fail(line, fmt.Sprintf("column %d, but the line has %d", n, len(fields)), "choose the separator of columns with --set delimiter=")
		case n > 0 && c.cols[n-1] != 0:
			return false, c.Fail(line, fmt.Sprintf("column %d is chosen twice", n), "")
		case n > 0:
			c.cols[n-1] = keyColumn(column)
		}
	}
	if c.headerMode != "auto" {
		return c.headerMode == "true", nil
	}
	header = c.named(fields) || c.headed(fields, head)
	switch {
	case header:
		c.headerNotes = []string{"line 1 is read as a header; --set has-header=false reads it as a request"}
	case !bytes.ContainsAny(line, "0123456789"):
		c.headerNotes = []string{"line 1 has no digits but can be a request, and is read as one; --set has-header=true skips it"}
	}
	return header, nil
}

// named reports whether a used column has a word that cannot be its value.
func (c *libcachesimTable) named(fields [][]byte) bool {
	for i, f := range fields {
		f = bytes.Trim(f, input.Blanks)
		if len(f) > 0 && (f[0]|0x20 >= 'a' && f[0]|0x20 <= 'z' || f[0] == '"') && !c.valid(c.cols[i], f) {
			return true
		}
	}
	return false
}

// headed reports whether the first line has a word in an unused column in which all
// other lines of head have numbers.
func (c *libcachesimTable) headed(fields [][]byte, head []byte) bool {
	var numbers []int // lines with a number, by column
	others := -1      // lines after the first
	sniff.SniffLines(head, libcachesimSniff, func(line []byte) bool {
		if others++; others == 0 {
			return true
		}
		for i, f := range input.Split(nil, line, c.sep) {
			if i == len(numbers) {
				numbers = append(numbers, 0)
			}
			if isNumber(bytes.Trim(f, input.Blanks)) {
				numbers[i]++
			}
		}
		return true
	})
	for i, f := range fields {
		if c.cols[i] == 0 && others > 0 && i < len(numbers) && numbers[i] == others && !isNumber(bytes.Trim(f, input.Blanks)) {
			return true
		}
	}
	return false
}

// isNumber reports whether field is a decimal number, perhaps with a fraction.
func isNumber(field []byte) bool {
	_, problem := input.ParseDecimal(wholePart(field))
	return problem == ""
}

const libcachesimSniff = 100

// mostOf returns the most frequent candidate in line, the first of equals.
func mostOf(line, candidates []byte) byte {
	best, most := candidates[0], 0
	for _, sep := range candidates {
		if n := bytes.Count(line, []byte{sep}); n > most {
			best, most = sep, n
		}
	}
	return best
}

// libcachesimOps lists letters and the numbers of SCSI commands in block traces, in
// lower case.
var libcachesimOps = []struct {
	op    trace.Op
	words []string
}{
	{trace.Load, []string{"r", "28", "88", "08", "8", "a8"}},
	{trace.Store, []string{"w", "2a", "8a", "0a", "a", "aa"}},
}

// libcachesimOp accepts these, and the words of key-value caches.
func libcachesimOp(word []byte) (trace.Op, bool) {
	lower := string(bytes.ToLower(word))
	for _, o := range libcachesimOps {
		if slices.Contains(o.words, lower) {
			return o.op, true
		}
	}
	return keyWord(word)
}
