package store

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"spoor/traces/internal/outfile"
	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/trace"
)

const (
	// maxText is the most bytes of text in a column of a batch, and of one string.
	maxText = 1 << 24
	// maxTable bounds the memory that a table may take.
	maxTable = 1 << 30
)

// tableTypes are the types of a table's columns.
var tableTypes = map[arrowmeta.DataType]bool{arrowmeta.TInt32: true, arrowmeta.TInt64: true, arrowmeta.TUint64: true, arrowmeta.TFloat64: true, arrowmeta.TText: true}

// WriteTable writes t to path, like WriteFileAtomic. The keys of t.Meta must not begin with
// "spoor.", and texts must be UTF-8.
func WriteTable(path string, t *Table) error {
	fill, err := t.filler()
	if err != nil {
		return outfile.WriteError(path, err)
	}
	return outfile.WriteFileAtomic(path, fill)
}

// StageTable writes t to a file called name in a staging folder.
func StageTable(f *outfile.StagingFolder, name string, t *Table) error {
	fill, err := t.filler()
	if err != nil {
		return err
	}
	return f.WriteFile(name, fill)
}

// filler checks t and returns a function that writes it.
func (t *Table) filler() (fill func(io.Writer) error, err error) {
	s, err := tableSchema(t)
	return func(w io.Writer) error {
		return writeTable(w, t, s)
	}, err
}

func writeTable(w io.Writer, t *Table, s *arrowmeta.Schema) error {
	out := container{w: w}
	if err := out.begin(schemaMessage(s)); err != nil {
		return err
	}
	if err := out.rows(t); err != nil {
		return err
	}
	_, err := out.end(s)
	return err
}

// tableSchema checks t and returns its schema.
func tableSchema(t *Table) (*arrowmeta.Schema, error) {
	s := &arrowmeta.Schema{Meta: []arrowmeta.Pair{{Key: kindKey, Value: t.Name}, {Key: versionKey, Value: version}}}
	if t.Name == "" || t.Name == kindRefs || t.Name == kindEvents {
		return nil, fmt.Errorf("a table cannot be called %q", t.Name)
	}
	for _, a := range t.Meta {
		if strings.HasPrefix(a.Key, reserved) {
			return nil, fmt.Errorf("the fact %s: keys must not begin with %q", a.Key, reserved)
		}
		s.Meta = append(s.Meta, arrowmeta.Pair{Key: a.Key, Value: a.Value})
	}
	size := 0
	seen := map[string]bool{}
	for _, c := range t.Columns {
		if seen[c.Name] || c.Name == "" {
			return nil, fmt.Errorf("two of its columns have the name %q, or a name is empty", c.Name)
		}
		seen[c.Name] = true
		typ, n, err := checkColumn(c)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		if columnLen(c.Data) != t.Rows() {
			return nil, fmt.Errorf("column %s has %d rows, but %s has %d", c.Name, columnLen(c.Data), t.Columns[0].Name, t.Rows())
		}
		if size += n; size > maxTable {
			return nil, fmt.Errorf("it takes more than %d MiB in memory, the limit of a table: compute fewer rows at a time", maxTable>>20)
		}
		s.Fields = append(s.Fields, arrowmeta.Field{Name: c.Name, Type: typ, Meta: unitPairs(c.Unit)})
	}
	return s, checkTexts(s)
}

// checkTexts checks that names and facts are UTF-8.
func checkTexts(s *arrowmeta.Schema) error {
	pairs := s.Meta
	for _, f := range s.Fields {
		pairs = append(append(pairs[:len(pairs):len(pairs)], arrowmeta.Pair{Key: f.Name, Value: ""}), f.Meta...)
	}
	for _, p := range pairs {
		if !utf8.ValidString(p.Key) || !utf8.ValidString(p.Value) {
			return fmt.Errorf("%q or its value %q is not UTF-8", p.Key, p.Value)
		}
	}
	return nil
}

// checkColumn returns the type of c and its size in memory.
func checkColumn(c Column) (typ arrowmeta.DataType, size int, err error) {
	n := columnLen(c.Data)
	switch d := c.Data.(type) {
	case []int32:
		return arrowmeta.TInt32, 4 * n, nil
	case []int64:
		return arrowmeta.TInt64, 8 * n, nil
	case []uint64:
		return arrowmeta.TUint64, 8 * n, nil
	case []float64:
		return arrowmeta.TFloat64, 8 * n, nil
	default:
		texts := d.([]string)
		for i, s := range texts {
			if len(s) > maxText || !utf8.ValidString(s) {
				return 0, 0, fmt.Errorf("row %d: the text is longer than %d bytes or not UTF-8", i, maxText)
			}
			size += textOverhead + len(s)
		}
		return arrowmeta.TText, size, nil
	}
}

// textOverhead is the memory of a string besides its bytes.
const textOverhead = 16

// ReadTable reads the table at path.
func ReadTable(path string) (*Table, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return readTable(f)
}

func readTable(f *file) (*Table, error) {
	t, err := newTable(f)
	if err != nil {
		return nil, readError(f.path, err)
	}
	size := 0
	err = eachBatch(f, func(d *decoder) (bool, error) { return true, decodeColumns(d, t, &size) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// newTable returns the table in f, without rows.
func newTable(f *file) (*Table, error) {
	kind, _ := f.schema.Lookup(kindKey)
	if kind == kindRefs || kind == kindEvents || kind == "" {
		return nil, fmt.Errorf("it holds %s, not a table", kind)
	}
	if len(f.schema.Meta) < 2 || f.schema.Meta[0].Key != kindKey || f.schema.Meta[1].Key != versionKey {
		return nil, errors.New("its metadata is not that of a table")
	}
	t := &Table{Name: kind}
	for _, p := range f.schema.Meta[2:] {
		t.Meta = append(t.Meta, trace.Arg{Key: p.Key, Value: p.Value})
	}
	for _, c := range f.schema.Fields {
		if !tableTypes[c.Type] || c.Nullable {
			return nil, fmt.Errorf("column %s has a type that tables do not have", c.Name)
		}
		unit, _ := arrowmeta.Lookup(c.Meta, unitKey)
		t.Columns = append(t.Columns, Column{Name: c.Name, Unit: unit, Data: emptyColumn(c.Type)})
	}
	_, err := tableSchema(t)
	return t, err
}

func emptyColumn(typ arrowmeta.DataType) any {
	switch typ {
	case arrowmeta.TInt32:
		return []int32{}
	case arrowmeta.TInt64:
		return []int64{}
	case arrowmeta.TUint64:
		return []uint64{}
	case arrowmeta.TFloat64:
		return []float64{}
	}
	return []string{}
}

// decodeColumns appends the columns of the batch in d to t, and adds their memory to size.
func decodeColumns(d *decoder, t *Table, size *int) error {
	for i := range t.Columns {
		c := &t.Columns[i]
		if *size += textOverhead * d.rows; *size > maxTable {
			return errors.New("the table is larger than one may be")
		}
		switch data := c.Data.(type) {
		case []int32:
			c.Data = append(data, get(d, data[len(data):], d.rows)...)
		case []int64:
			c.Data = append(data, get(d, data[len(data):], d.rows)...)
		case []uint64:
			c.Data = append(data, get(d, data[len(data):], d.rows)...)
		case []float64:
			c.Data = append(data, get(d, data[len(data):], d.rows)...)
		case []string:
			c.Data = d.texts(data, size)
		}
	}
	return d.done()
}

// texts appends a column of texts to dst.
func (d *decoder) texts(dst []string, size *int) []string {
	if length, nulls := d.node(); length != d.rows || nulls != 0 {
		d.fail("a column has %d values and %d nulls in a batch of %d rows", length, nulls, d.rows)
	}
	d.skipValidity()
	offsets := make([]int32, d.rows+1)
	d.buffer(rawBytes(offsets))
	fromLittle(offsets)
	for i := range d.rows {
		if offsets[0] != 0 || offsets[i] > offsets[i+1] {
			d.fail("its texts have offsets out of order")
		}
	}
	end := offsets[d.rows]
	if end < 0 || end > maxText {
		d.fail("its texts have %d bytes", end)
	}
	if *size += int(end); d.err != nil || *size > maxTable {
		d.fail("the table is larger than one may be")
		return dst
	}
	text := make([]byte, end)
	d.buffer(text)
	if !utf8.Valid(text) {
		d.fail("its texts are not UTF-8")
	}
	if d.err == nil {
		dst = appendTexts(dst, text, offsets)
	}
	return dst
}

// appendTexts cuts text at offsets. Equal texts that are near each other share memory, because columns of names have few
// different ones.
func appendTexts(dst []string, text []byte, offsets []int32) []string {
	const most = 64
	seen := make(map[string]string, most)
	for i := range len(offsets) - 1 {
		bytes := text[offsets[i]:offsets[i+1]]
		s, known := seen[string(bytes)]
		if !known {
			if s = string(bytes); len(seen) == most {
				clear(seen)
			}
			seen[s] = s
		}
		dst = append(dst, s)
	}
	return dst
}
