package format

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// dumpiReader reads one file call by call.
type dumpiReader struct {
	text
	call    dumpiCall
	inside  bool // the call has not returned yet
	names   map[string]string
	returns func(c *dumpiCall) error // takes a call
	outside func(line []byte) error  // takes what is no call: the header and footer of -a
}

// dumpiCall is one call of MPI. It is valid until the next.
type dumpiCall struct {
	r            *dumpiReader
	name         string
	line         int
	enter, leave int64 // ns of walltime
	thread       uint64
	args         []dumpiArg
	buf          []byte // of the lines of args
	err          error  // the first argument that was not as it should be
}

// dumpiArg is `type name[length]=value`.
type dumpiArg struct {
	kind, name, value dumpiSpan
	length            int64 // elements of an array, -1 if it is none
	line              int
}

// dumpiSpan is a part of the call's buffer.
type dumpiSpan struct{ from, to int }

func (c *dumpiCall) text(s dumpiSpan) []byte { return c.buf[s.from:s.to] }

// read gives all calls of in to r.returns.
func (r *dumpiReader) read(in *Input) error {
	r.names = map[string]string{}
	r.call.r = r
	if head, err := in.Head(); err == nil && bytes.HasPrefix(head, dumpiBinary) {
		return fmt.Errorf("%s: offset 0: binary dumpi is not read; convert every rank with dumpi2ascii -a and import the texts", in.Name)
	}
	if err := r.lines(in, r.parse); err != nil {
		return err
	}
	if r.inside {
		return r.fail(nil, r.call.name+" entered, never returned: the trace is truncated", "make the trace again; was the program killed?")
	}
	return nil
}

// parse takes one line.
func (r *dumpiReader) parse(line []byte, last bool) error {
	if n := len(line); n == 0 || line[0] <= ' ' || line[n-1] <= ' ' {
		if line = r.trim(line); len(line) == 0 {
			return nil
		}
	}
	if last {
		r.unended++
	}
	err := r.take(line)
	if _, cut := err.(*dumpiCut); cut && last {
		return r.fail(line, "the last line is cut in the middle", "make the text again")
	}
	if cut, is := err.(*dumpiCut); is {
		return r.fail(line, cut.reason, "calls begin and end with their walltime, cputime and thread")
	}
	return err
}

// dumpiCut is the error of a line that could be part of one.
type dumpiCut struct{ reason string }

func (e *dumpiCut) Error() string { return e.reason }

func (r *dumpiReader) take(line []byte) error {
	if r.inside {
		if rest, ok := bytes.CutPrefix(line, []byte(r.call.name)); ok && bytes.HasPrefix(rest, dumpiReturning) {
			return r.end(rest[len(dumpiReturning):], line)
		}
		return r.argument(line)
	}
	if i := bytes.Index(line, dumpiEntering); i > 0 && bytes.HasPrefix(line, dumpiPrefix) {
		return r.begin(line[:i], line[i+len(dumpiEntering):])
	}
	if bytes.HasPrefix(line, []byte("Perfcounters: ")) {
		return nil
	}
	if err := r.checkNUL(line); err != nil {
		return err
	}
	return r.outside(line)
}

func (r *dumpiReader) begin(name, times []byte) error {
	c := &r.call
	known, ok := r.names[string(name)]
	if !ok {
		if len(name) > 64 || bytes.ContainsFunc(name, notOfName) {
			return &dumpiCut{"not the name of a call"}
		}
		known = string(name)
		r.names[known] = known
	}
	*c = dumpiCall{r: r, name: known, line: r.line, args: c.args[:0], buf: c.buf[:0]}
	var problem string
	if c.enter, c.thread, problem = dumpiTimes(times); problem != "" {
		return &dumpiCut{problem}
	}
	r.inside = true
	return nil
}

func notOfName(c rune) bool {
	return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

func (r *dumpiReader) end(times, line []byte) error {
	c := &r.call
	r.inside = false
	leave, thread, problem := dumpiTimes(times)
	if problem != "" {
		return &dumpiCut{problem}
	}
	c.leave = leave
	if leave < c.enter {
		return r.fail(line, fmt.Sprintf("%s returns (%s) before it enters (%s)", c.name, dumpiSeconds(leave), dumpiSeconds(c.enter)), "")
	}
	if thread != c.thread {
		return r.fail(line, fmt.Sprintf("%s enters in thread %d and returns in thread %d", c.name, c.thread, thread), "")
	}
	return r.returns(c)
}

// dumpiTimes reads "1.5, cputime 0.5 seconds in thread 0.", times in ns.
func dumpiTimes(b []byte) (wall int64, thread uint64, problem string) {
	comma := bytes.Index(b, []byte(", cputime "))
	in := bytes.LastIndex(b, []byte(" seconds in thread "))
	if comma < 0 || in < comma || b[len(b)-1] != '.' {
		return 0, 0, "a time that is not whole"
	}
	sec, frac, _ := bytes.Cut(b[:comma], []byte("."))
	s, problem := parseDecimal(sec)
	if problem != "" || s > 9e9 || len(frac) > 9 {
		return 0, 0, "a walltime that is not in seconds and nanoseconds"
	}
	ns := uint64(0)
	if len(frac) > 0 {
		if ns, problem = parseDecimal(frac); problem != "" {
			return 0, 0, "a walltime that is not in seconds and nanoseconds"
		}
	}
	for range 9 - len(frac) {
		ns *= 10
	}
	thread, problem = parseDecimal(b[in+len(" seconds in thread ") : len(b)-1])
	if problem != "" {
		return 0, 0, "a thread that is " + problem
	}
	return int64(s*1e9 + ns), thread, ""
}

// dumpiSeconds is a time in ns as the text has it: "4.0".
func dumpiSeconds(ns int64) string {
	frac := strings.TrimRight(fmt.Sprintf("%09d", ns%1e9), "0")
	return strconv.FormatInt(ns/1e9, 10) + "." + frac + strings.Repeat("0", max(0, 1-len(frac)))
}

const dumpiMaxCall = 64 << 20 // bytes of the arguments of a call

// argument takes a line between entering and returning.
func (r *dumpiReader) argument(line []byte) error {
	c := &r.call
	line = bytes.TrimPrefix(line, []byte("]")) // an array of arrays ends without a line end
	last := len(c.args) - 1
	if len(c.buf) > dumpiMaxCall {
		return r.fail(nil, c.name+" with over 64 MiB of arguments", "the text is damaged")
	}
	eq := bytes.IndexByte(line, '=')
	switch {
	case len(line) == 0 || bytes.HasPrefix(line, []byte("Perfcounters: ")):
		return nil
	case last >= 0 && bytes.HasPrefix(line, []byte(", [")): // the next of an array of arrays
		c.buf = append(c.buf, line...)
		c.args[last].value.to = len(c.buf)
		return nil
	case bytes.Contains(line, dumpiEntering) && bytes.HasPrefix(line, dumpiPrefix):
		return r.fail(line, fmt.Sprintf("a call inside %s, which has not returned", c.name), "the trace is damaged")
	case last >= 0 && string(c.text(c.args[last].kind)) == "string" && (eq < 0 || !bytes.Contains(line[:eq], []byte(" "))):
		return nil // strings may have line ends
	case eq < 0:
		if err := r.checkNUL(line); err != nil {
			return err
		}
		return &dumpiCut{"not an argument of " + c.name}
	}
	return r.split(line, eq)
}

// split finds the parts of `type name[2]=value`.
func (r *dumpiReader) split(line []byte, eq int) error {
	c := &r.call
	at := len(c.buf)
	c.buf = append(c.buf, line...)
	left := line[:eq]
	nameEnd := eq
	a := dumpiArg{length: -1, line: r.line, value: dumpiSpan{at + eq + 1, len(c.buf)}}
	if open := bytes.IndexByte(left, '['); open >= 0 {
		nameEnd = open
		a.length = 1
		for _, dim := range bytes.Split(bytes.TrimSuffix(left[open+1:], []byte("]")), []byte("][")) {
			n, err := strconv.ParseInt(string(dim), 10, 32)
			if err != nil || left[eq-1] != ']' {
				return &dumpiCut{"an array whose length is not a number"}
			}
			if a.length *= max(n, 0); a.length > 1<<31 {
				return r.fail(line, "an array of over 2^31 elements", "")
			}
		}
	}
	blank := bytes.LastIndexByte(left[:nameEnd], ' ')
	if blank < 0 {
		return &dumpiCut{"not an argument of " + c.name}
	}
	a.kind = dumpiSpan{at, at + blank}
	a.name = dumpiSpan{at + blank + 1, at + nameEnd}
	c.args = append(c.args, a)
	return nil
}

// arg finds an argument, or nil.
func (c *dumpiCall) arg(name string) *dumpiArg {
	for i := range c.args {
		if a := &c.args[i]; string(c.text(a.name)) == name {
			return a
		}
	}
	return nil
}

// must is arg of an argument without which the call is an error.
func (c *dumpiCall) must(name string) *dumpiArg {
	a := c.arg(name)
	if a == nil && c.err == nil {
		c.err = c.fail(c.line, nil, fmt.Sprintf("%s without %s", c.name, name), "is the text whole?")
	}
	return a
}

// fail is an error at a line of the call.
func (c *dumpiCall) fail(line int, text []byte, reason, advice string) error {
	t := c.r.text
	t.line = line
	return t.fail(text, reason, advice)
}

// bad keeps the error of an argument, if it is the first.
func (c *dumpiCall) bad(a *dumpiArg, reason, advice string) {
	if c.err == nil {
		c.err = c.fail(a.line, c.buf[a.kind.from:a.value.to], reason, advice)
	}
}

// int is a number, which a name in ( ) may follow. It is 0 if there is an error.
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

// count is an int that is not negative.
func (c *dumpiCall) count(name string) int64 {
	v := c.int(name)
	if v < 0 {
		c.bad(c.arg(name), "a negative number", "")
		return 0
	}
	return v
}

var dumpiIgnored = []byte("<IGNORED>")

// ints is an array of numbers, or nil if it is not significant at this rank.
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

// dumpiStatus is what a receive turned out to be.
type dumpiStatus struct{ bytes, cancelled, source, tag int64 }

// statuses are those of a call, or nil if the program ignored them.
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
			c.bad(a, "a status without its end", "")
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
