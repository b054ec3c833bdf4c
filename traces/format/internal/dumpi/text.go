package dumpi

import (
	"bytes"
	"fmt"
	"spoor/traces/internal/input"
	"strconv"
	"strings"
)

// dumpiReader reads one file call by call.
type dumpiReader struct {
	input.Text
	call    dumpiCall
	inside  bool // the call has not returned yet
	names   map[string]string
	returns func(c *dumpiCall) error // handles a call
	outside func(line []byte) error  // handles the header and footer of -a
}

// dumpiCall is an MPI call. It is valid until the next one.
type dumpiCall struct {
	r            *dumpiReader
	name         string
	line         int
	enter, leave int64 // ns of wall time
	thread       uint64
	args         []dumpiArg
	buf          []byte // of the lines of args
	err          error  // the first error of an argument
}

// dumpiArg is `type name[length]=value`.
type dumpiArg struct {
	kind, name, value dumpiSpan
	length            int64 // elements of an array, -1 for other values
	line              int
}

// dumpiSpan is a part of the call's buffer.
type dumpiSpan struct{ from, to int }

func (c *dumpiCall) text(s dumpiSpan) []byte { return c.buf[s.from:s.to] }

// read passes all calls of in to r.returns.
func (r *dumpiReader) read(in *input.Input) error {
	r.names = map[string]string{}
	r.call.r = r
	if head, err := in.Head(); err == nil && bytes.HasPrefix(head, dumpiBinary) {
		return fmt.Errorf("%s: offset 0: binary dumpi cannot be read; convert every rank with dumpi2ascii -a and import the texts", in.Name)
	}
	if err := r.Lines(in, r.parse); err != nil {
		return err
	}
	if r.inside {
		return r.Fail(nil, r.call.name+" entered, never returned: the trace is truncated", "make the trace again; the program may have been killed")
	}
	return nil
}

// parse handles one line.
func (r *dumpiReader) parse(line []byte, last bool) error {
	if n := len(line); n == 0 || line[0] <= ' ' || line[n-1] <= ' ' {
		if line = r.Trim(line); len(line) == 0 {
			return nil
		}
	}
	if last {
		r.Unended++
	}
	err := r.take(line)
	if _, cut := err.(*dumpiCut); cut && last {
		return r.Fail(line, "the last line is truncated", "make the text again")
	}
	if cut, is := err.(*dumpiCut); is {
		return r.Fail(line, cut.reason, "calls begin and end with their walltime, cputime and thread")
	}
	return err
}

// dumpiCut is the error of a line that may be truncated.
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
	if err := r.CheckNUL(line); err != nil {
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
	*c = dumpiCall{r: r, name: known, line: r.Line, args: c.args[:0], buf: c.buf[:0]}
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
		return r.Fail(line, fmt.Sprintf("%s returns (%s) before it enters (%s)", c.name, dumpiSeconds(leave), dumpiSeconds(c.enter)), "")
	}
	if thread != c.thread {
		return r.Fail(line, fmt.Sprintf("%s enters in thread %d and returns in thread %d", c.name, c.thread, thread), "")
	}
	return r.returns(c)
}

// dumpiTimes reads "1.5, cputime 0.5 seconds in thread 0."; times are in ns.
func dumpiTimes(b []byte) (wall int64, thread uint64, problem string) {
	comma := bytes.Index(b, []byte(", cputime "))
	in := bytes.LastIndex(b, []byte(" seconds in thread "))
	if comma < 0 || in < comma || b[len(b)-1] != '.' {
		return 0, 0, "incomplete time"
	}
	sec, frac, _ := bytes.Cut(b[:comma], []byte("."))
	s, problem := input.ParseDecimal(sec)
	if problem != "" || s > 9e9 || len(frac) > 9 {
		return 0, 0, "walltime not in seconds and nanoseconds"
	}
	ns := uint64(0)
	if len(frac) > 0 {
		if ns, problem = input.ParseDecimal(frac); problem != "" {
			return 0, 0, "walltime not in seconds and nanoseconds"
		}
	}
	for range 9 - len(frac) {
		ns *= 10
	}
	thread, problem = input.ParseDecimal(b[in+len(" seconds in thread ") : len(b)-1])
	if problem != "" {
		return 0, 0, "thread is " + problem
	}
	return int64(s*1e9 + ns), thread, ""
}

// dumpiSeconds formats a time in ns as the text does: "4.0".
func dumpiSeconds(ns int64) string {
	frac := strings.TrimRight(fmt.Sprintf("%09d", ns%1e9), "0")
	return strconv.FormatInt(ns/1e9, 10) + "." + frac + strings.Repeat("0", max(0, 1-len(frac)))
}

const dumpiMaxCall = 64 << 20 // bytes of the arguments of a call

// argument handles a line between entering and returning.
func (r *dumpiReader) argument(line []byte) error {
	c := &r.call
	line = bytes.TrimPrefix(line, []byte("]")) // an array of arrays ends without a line end
	last := len(c.args) - 1
	if len(c.buf) > dumpiMaxCall {
		return r.Fail(nil, c.name+" with over 64 MiB of arguments", "the text is damaged")
	}
	eq := bytes.IndexByte(line, '=')
	switch {
	case len(line) == 0 || bytes.HasPrefix(line, []byte("Perfcounters: ")):
		return nil
	case last >= 0 && bytes.HasPrefix(line, []byte(", [")): // the next element of an array of arrays
		c.buf = append(c.buf, line...)
		c.args[last].value.to = len(c.buf)
		return nil
	case bytes.Contains(line, dumpiEntering) && bytes.HasPrefix(line, dumpiPrefix):
		return r.Fail(line, fmt.Sprintf("a call within %s, which has not returned", c.name), "the trace is damaged")
	case last >= 0 && string(c.text(c.args[last].kind)) == "string" && (eq < 0 || !bytes.Contains(line[:eq], []byte(" "))):
		return nil // strings may contain line ends
	case eq < 0:
		if err := r.CheckNUL(line); err != nil {
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
	a := dumpiArg{length: -1, line: r.Line, value: dumpiSpan{at + eq + 1, len(c.buf)}}
	if open := bytes.IndexByte(left, '['); open >= 0 {
		nameEnd = open
		a.length = 1
		for _, dim := range bytes.Split(bytes.TrimSuffix(left[open+1:], []byte("]")), []byte("][")) {
			n, err := strconv.ParseInt(string(dim), 10, 32)
			if err != nil || left[eq-1] != ']' {
				return &dumpiCut{"the array length is not a number"}
			}
			if a.length *= max(n, 0); a.length > 1<<31 {
				return r.Fail(line, "the array has over 2^31 elements", "")
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
