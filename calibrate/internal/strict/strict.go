// Package strict decodes TOML documents strictly: machines, prices, parameters. Unknown, repeated and ill-typed
// keys are errors. Every error is one line with file, line and key.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxSize bounds the bytes of a document. Documents that people write are a thousand times smaller.
const maxSize = 4 << 20

// Document is the text of a TOML document with the line of every key.
type Document struct {
	name  string
	text  []byte
	lines map[string]int // by path: "memory.size", "cache[1].line"
	keys  []string       // paths in the order of the document
}

// Read reads the document at path.
func Read(path string) (*Document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, errors.Unwrap(err)) // the error of an *fs.PathError
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("%s: more than %d bytes; is it a TOML document?", path, maxSize)
	}
	return Parse(path, text)
}

// Name returns the path of the document, or the name that Parse got.
func (d *Document) Name() string { return d.name }

// Parse finds the keys of text. It skips the byte order mark that some editors write. Errors contain name.
func Parse(name string, text []byte) (*Document, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := isText(name, text); err != nil {
		return nil, err
	}
	d := &Document{name: name, text: text, lines: map[string]int{}}
	p := &unstable.Parser{}
	p.Reset(text)
	table, counts := "", map[string]int{}
	at := counter{text: text, line: 1}
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
			continue
		}
		key, offset := keyOf(e)
		line := at.lineOf(offset)
		switch e.Kind {
		case unstable.Table:
			table = within(key, counts)
		case unstable.ArrayTable:
			key = within(key, counts)
			table = fmt.Sprintf("%s[%d]", key, counts[key])
			counts[key]++
		default:
			key = join(table, key)
		}
		if e.Kind != unstable.KeyValue {
			key = table
		}
		d.add(key, line)
		if e.Kind == unstable.KeyValue {
			d.addInside(key, e.Value(), &at)
		}
	}
	var syntax *unstable.ParserError
	if err := p.Error(); errors.As(err, &syntax) {
		return nil, d.decodeError(d.decode(&map[string]any{}))
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(d.keys) == 0 {
		return nil, fmt.Errorf("%s: the document is empty", name)
	}
	return d, nil
}

// isText returns an error for a binary file, such as an Arrow file or a program.
func isText(name string, text []byte) error {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return fmt.Errorf("%s:%d: byte %d of the file is NUL, which no text has; is it a TOML document?", name, 1+bytes.Count(text[:i], []byte("\n")), i)
	}
	return nil
}

// within returns the path of a table. An array among its parents stands for its last element so far:
// "node[1].memory" for node.memory.
func within(table string, counts map[string]int) string {
	path := ""
	for rest, more := table, true; more; {
		var part string
		part, rest, more = strings.Cut(rest, ".")
		if path = join(path, part); more && counts[path] > 0 {
			path = fmt.Sprintf("%s[%d]", path, counts[path]-1)
		}
	}
	return path
}

// addInside adds the keys of the inline tables in value.
func (d *Document) addInside(path string, value *unstable.Node, at *counter) {
	i := 0
	for it := value.Children(); it.Next(); {
		switch n := it.Node(); {
		case value.Kind == unstable.Array:
			if n.Kind == unstable.InlineTable {
				d.addInside(fmt.Sprintf("%s[%d]", path, i), n, at)
			}
			i++
		case value.Kind == unstable.InlineTable && n.Kind == unstable.KeyValue:
			key, offset := keyOf(n)
			key = join(path, key)
			d.add(key, at.lineOf(offset))
			d.addInside(key, n.Value(), at)
		}
	}
}

func (d *Document) add(key string, line int) {
	if _, twice := d.lines[key]; !twice {
		d.lines[key] = line
		d.keys = append(d.keys, key)
	}
}

// counter counts lines up to ascending offsets.
type counter struct {
	text         []byte
	offset, line int
}

func (c *counter) lineOf(offset int) int {
	if offset > c.offset {
		c.line += bytes.Count(c.text[c.offset:offset], []byte("\n"))
		c.offset = offset
	}
	return c.line
}

// keyOf returns the dotted key of e, and the offset of its last part.
func keyOf(e *unstable.Node) (key string, offset int) {
	for it := e.Key(); it.Next(); {
		key = join(key, string(it.Node().Data))
		offset = int(it.Node().Raw.Offset)
	}
	return key, offset
}

func join(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}

// Keys lists the paths of all tables and keys in the order of the document.
func (d *Document) Keys() []string { return d.keys }

// Decode stores the document in the struct that into points to. All its fields have a toml tag. A key that is not
// exactly the tag of a field is an error.
func (d *Document) Decode(into any) error {
	if err := d.decode(into); err != nil {
		var missing *toml.StrictMissingError
		if errors.As(err, &missing) && len(missing.Errors) > 0 {
			line, _ := missing.Errors[0].Position()
			return d.unknownKey(line, strings.Join(missing.Errors[0].Key(), "."), reflect.TypeOf(into))
		}
		return d.decodeError(err)
	}
	return d.spelling(reflect.TypeOf(into))
}

func (d *Document) decode(into any) error {
	return toml.NewDecoder(bytes.NewReader(d.text)).DisallowUnknownFields().Decode(into)
}

// decodeError adds the file and line to an error of the TOML reader.
func (d *Document) decodeError(err error) error {
	var e *toml.DecodeError
	if errors.As(err, &e) {
		line, _ := e.Position()
		message := plain(strings.TrimPrefix(e.Error(), "toml: "))
		if key := strings.Join(e.Key(), "."); key != "" {
			message = key + ": " + message
		}
		return fmt.Errorf("%s:%d: %s", d.name, line, message)
	}
	return fmt.Errorf("%s: %s", d.name, strings.TrimPrefix(err.Error(), "toml: "))
}

// mistyped matches the TOML reader's error for a value of the wrong type.
var mistyped = regexp.MustCompile(`^cannot decode TOML (.+?) into (?:struct field .+ of type )?(.+)$`)

// plain rewrites an error about a wrong type without Go's types. It returns other messages unchanged.
func plain(message string) string {
	if message == "cannot store an array table in a struct" {
		return "there is one of it at most: write its name in single brackets, once"
	}
	m := mistyped.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	must := "a table"
	switch kind := strings.TrimLeft(m[2], "*[]"); {
	case strings.HasPrefix(kind, "float"):
		must = "a number"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		must = "a whole number"
	case kind == "bool":
		must = "true or false"
	case kind == "string", strings.HasSuffix(kind, ".text"):
		must = "text in quotes"
	}
	if strings.HasPrefix(m[2], "[]") {
		must = "a list, each of which is " + must
	}
	return fmt.Sprintf("is of TOML's type %s; it must be %s", m[1], must)
}

// Errorf returns an error about the key of a path ("cache[1].line"). If the document has no such key, the error
// has the line of the table that lacks it.
func (d *Document) Errorf(path, format string, args ...any) error {
	place := d.name
	for at := path; ; {
		if line, ok := d.lines[at]; ok {
			place += ":" + strconv.Itoa(line)
			break
		}
		cut := strings.LastIndexAny(at, ".[")
		if cut < 0 {
			break
		}
		at = at[:cut]
	}
	return fmt.Errorf("%s: %s: %s", place, path, fmt.Sprintf(format, args...))
}
