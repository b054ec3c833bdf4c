package platform

import (
	"bytes"
	"strconv"
	"strings"
)

// record is a record of a configuration file of Dimemas, such as "node information" {0, "", 4};;. Values are texts in
// quotes, numbers, and lists of numbers such as [2] {0, 1}.
type record struct {
	name   string
	line   int
	values []value
}

// value is one of a text, a number and a list.
type value struct {
	text   string
	quoted bool
	list   []int
	isList bool
}

// scanner splits a configuration file into records.
type scanner struct {
	*source
	at   int
	line int
}

// records reads all records. It skips comments, and the definitions of records in files of older versions, which
// begin with #NUMBER:.
func (s *source) records() ([]record, error) {
	c := &scanner{source: s, line: 1}
	var all []record
	definition := false
	for {
		if err := c.skip(); err != nil {
			return nil, err
		}
		switch {
		case c.at == len(c.text):
			return all, nil
		case c.text[c.at] == '#' || bytes.HasPrefix(c.text[c.at:], []byte("SDDF")):
			word := c.until('\n')
			definition = strings.HasPrefix(word, "#") && len(word) > 1 && word[1] >= '0' && word[1] <= '9'
		case c.text[c.at] == ';':
			c.at++
		case c.text[c.at] != '"':
			return nil, c.errorf(c.line, "%q is not the name of a record in quotes", c.word())
		case definition:
			if _, found := c.to("};;"); !found {
				return nil, c.errorf(c.line, "the definition of a record does not end with };;")
			}
			definition = false
		default:
			r, err := c.record()
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
}

// skip skips blanks and comments.
func (c *scanner) skip() error {
	for c.at < len(c.text) {
		switch b := c.text[c.at]; {
		case b == '\n':
			c.line++
			c.at++
		case b == ' ' || b == '\t' || b == '\r':
			c.at++
		case bytes.HasPrefix(c.text[c.at:], []byte("/*")):
			if _, found := c.to("*/"); !found {
				return c.errorf(c.line, "the comment that begins here does not end with */")
			}
		default:
			return nil
		}
	}
	return nil
}

// to moves behind the next end, and returns the text before it.
func (c *scanner) to(end string) (string, bool) {
	text, _, found := bytes.Cut(c.text[c.at:], []byte(end))
	if found {
		c.line += bytes.Count(text, []byte("\n"))
		c.at += len(text) + len(end)
	}
	return string(text), found
}

// until returns the text before a byte or the end, and moves there.
func (c *scanner) until(end byte) string {
	text, _, _ := bytes.Cut(c.text[c.at:], []byte{end})
	c.at += len(text)
	return string(text)
}

// word returns the next characters, for errors.
func (c *scanner) word() string {
	text := c.text[c.at:min(len(c.text), c.at+20)]
	text, _, _ = bytes.Cut(text, []byte("\n"))
	return string(text)
}

// quoted reads a text in quotes.
func (c *scanner) quoted() (string, error) {
	c.at++
	text, found := c.to(`"`)
	if !found || strings.Contains(text, "\n") {
		return "", c.errorf(c.line, "a text without a closing quote")
	}
	return text, nil
}

// record reads a record.
func (c *scanner) record() (r record, err error) {
	r.line = c.line
	if r.name, err = c.quoted(); err != nil {
		return r, err
	}
	if err := c.expect('{'); err != nil {
		return r, err
	}
	for {
		v, err := c.value()
		if err != nil {
			return r, err
		}
		r.values = append(r.values, v)
		if err := c.skip(); err != nil {
			return r, err
		}
		if c.at < len(c.text) && c.text[c.at] == ',' {
			c.at++
			continue
		}
		return r, c.expect('}')
	}
}

// expect skips blanks and reads one character.
func (c *scanner) expect(b byte) error {
	if err := c.skip(); err != nil {
		return err
	}
	if c.at == len(c.text) || c.text[c.at] != b {
		return c.errorf(c.line, "%q where %q is expected; the file may be cut", c.word(), string(b))
	}
	c.at++
	return nil
}

// value reads a text, a number or a list.
func (c *scanner) value() (v value, err error) {
	if err := c.skip(); err != nil {
		return v, err
	}
	switch {
	case c.at == len(c.text):
		return v, c.errorf(c.line, "the file ends within a record; it may be cut")
	case c.text[c.at] == '"':
		v.quoted = true
		v.text, err = c.quoted()
		return v, err
	case c.text[c.at] == '[':
		return c.numbers()
	}
	start := c.at
	for c.at < len(c.text) && !bytes.ContainsRune([]byte(" \t\r\n,{}[];\""), rune(c.text[c.at])) {
		c.at++
	}
	v.text = string(c.text[start:c.at])
	return v, nil
}

// numbers reads a list of whole numbers.
func (c *scanner) numbers() (v value, err error) {
	v.isList = true
	c.at++
	count, err := strconv.Atoi(strings.TrimSpace(c.until(']')))
	if err != nil || count < 0 || count > 1<<20 {
		return v, c.errorf(c.line, "the length of a list is not a number up to 2^20")
	}
	if err := c.expect(']'); err != nil {
		return v, err
	}
	if err := c.expect('{'); err != nil {
		return v, err
	}
	for field := range strings.SplitSeq(c.until('}'), ",") {
		if field = strings.TrimSpace(field); field == "" && count == 0 {
			continue
		}
		n, err := strconv.Atoi(field)
		if err != nil {
			return v, c.errorf(c.line, "%.40q in a list is not a whole number", field)
		}
		v.list = append(v.list, n)
	}
	if len(v.list) != count {
		return v, c.errorf(c.line, "a list of %d numbers has %d", count, len(v.list))
	}
	return v, c.expect('}')
}

// fields checks the number of values of a record.
func (s *source) fields(r *record, n int) error {
	if len(r.values) == n {
		return nil
	}
	return s.errorf(r.line, "%q has %d values, not %d; convert files of Dimemas before version 5 with DimemasUpdateCFG", r.name, len(r.values), n)
}

// number returns value i, a finite number from least.
func (s *source) number(r *record, i int, what string, least float64) (float64, error) {
	v, err := strconv.ParseFloat(r.values[i].text, 64)
	if err != nil || r.values[i].quoted || !(v >= least && v <= 1e18) {
		return 0, s.errorf(r.line, "%q: %s is %q, not a number from %v", r.name, what, r.values[i].text, least)
	}
	return v, nil
}

// count returns value i, a whole number from least.
func (s *source) count(r *record, i int, what string, least int) (int, error) {
	v, err := strconv.Atoi(r.values[i].text)
	if err != nil || r.values[i].quoted || v < least || v > 1<<30 {
		return 0, s.errorf(r.line, "%q: %s is %q, not a whole number from %d", r.name, what, r.values[i].text, least)
	}
	return v, nil
}
