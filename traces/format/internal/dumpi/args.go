package dumpi

import (
	"bytes"
	"fmt"
	"strconv"
)

// arg finds an argument, or nil.
func (c *dumpiCall) arg(name string) *dumpiArg {
	for i := range c.args {
		if a := &c.args[i]; string(c.text(a.name)) == name {
			return a
		}
	}
	return nil
}

// must finds an argument; the call is an error without it.
func (c *dumpiCall) must(name string) *dumpiArg {
	a := c.arg(name)
	if a == nil && c.err == nil {
		c.err = c.fail(c.line, nil, fmt.Sprintf("%s without %s", c.name, name), "check that the text is complete")
	}
	return a
}

// fail returns an error at a line of the call.
func (c *dumpiCall) fail(line int, text []byte, reason, advice string) error {
	t := c.r.Text
	t.Line = line
	return t.Fail(text, reason, advice)
}

// bad records the error of an argument, if it is the first.
func (c *dumpiCall) bad(a *dumpiArg, reason, advice string) {
	if c.err == nil {
		c.err = c.fail(a.line, c.buf[a.kind.from:a.value.to], reason, advice)
	}
}

// int returns a number; a name in ( ) may follow it. After an error it is 0.
func (c *dumpiCall) int(name string) int64 {
	a := c.must(name)
	if a == nil {
		return 0
	}
	value, _, _ := bytes.Cut(c.text(a.value), []byte(" "))
	if n := len(value); n > 2 && value[0] == '[' && value[n-1] == ']' {
		value = value[1 : n-1] // a request
	}
	v, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		c.bad(a, "not a number", "")
		return 0
	}
	return v
}

// count returns an int that must not be negative.
func (c *dumpiCall) count(name string) int64 {
	v := c.int(name)
	if v < 0 {
		c.bad(c.arg(name), "a negative number", "")
		return 0
	}
	return v
}

var dumpiIgnored = []byte("<IGNORED>")

// ints returns an array of numbers, or nil if it is not significant at this rank.
func (c *dumpiCall) ints(name string, into []int64) []int64 {
	a := c.must(name)
	if a == nil {
		return nil
	}
	value := c.text(a.value)
	if bytes.Equal(value, dumpiIgnored) {
		return nil
	}
	into = into[:0]
	for i := 0; i < len(value); {
		if b := value[i]; b == '[' || b == ']' || b == ',' || b == ' ' {
			i++
			continue
		}
		end := i
		for end < len(value) && value[end] != ',' && value[end] != ']' {
			end++
		}
		v, err := strconv.ParseInt(string(value[i:end]), 10, 64)
		if err != nil {
			c.bad(a, "not an array of numbers", "")
			return nil
		}
		into, i = append(into, v), end
	}
	if a.length >= 0 && a.length != int64(len(into)) {
		c.bad(a, fmt.Sprintf("the array declares %d elements, has %d", a.length, len(into)), "")
		return nil
	}
	return into
}

// dumpiStatus is the status of a completed receive.
type dumpiStatus struct{ bytes, cancelled, source, tag int64 }

// statuses returns the statuses of a call, or nil if the program ignored them.
func (c *dumpiCall) statuses(name string, into []dumpiStatus) []dumpiStatus {
	a := c.must(name)
	if a == nil {
		return nil
	}
	value := c.text(a.value)
	if bytes.Equal(value, dumpiIgnored) {
		return nil
	}
	into = into[:0]
	for {
		open := bytes.IndexByte(value, '{')
		if open < 0 {
			break
		}
		end := bytes.IndexByte(value[open:], '}')
		if end < 0 {
			c.bad(a, "the status has no end", "")
			return nil
		}
		s, ok := parseDumpiStatus(value[open+1 : open+end])
		if !ok {
			c.bad(a, "not a status", "")
			return nil
		}
		into, value = append(into, s), value[open+end:]
	}
	if a.length >= 0 && a.length != int64(len(into)) || len(into) == 0 {
		c.bad(a, fmt.Sprintf("the array declares %d elements, has %d", max(1, a.length), len(into)), "")
		return nil
	}
	return into
}

// parseDumpiStatus reads "bytes=4, cancelled=0, source=0, tag=5, error=112".
func parseDumpiStatus(b []byte) (s dumpiStatus, ok bool) {
	fields := 0
	for len(b) > 0 {
		var field []byte
		field, b, _ = bytes.Cut(b, []byte(", "))
		key, value, _ := bytes.Cut(field, []byte("="))
		v, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return s, false
		}
		fields++
		switch string(key) {
		case "bytes":
			s.bytes = v
		case "cancelled":
			s.cancelled = v
		case "source":
			s.source = v
		case "tag":
			s.tag = v
		}
	}
	return s, fields == 5
}
