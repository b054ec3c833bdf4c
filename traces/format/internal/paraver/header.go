package paraver

import (
	"bytes"
	"fmt"
	"math"
	"spoor/traces/internal/input"
)

// prvHeader is the first line.
type prvHeader struct {
	end   int64      // duration, in the header's unit
	unit  int64      // ps
	apps  [][]uint64 // threads of each task of each application
	first []int32    // the rank of task 1 of each application
	ranks int
	comms uint64 // number of communicators that follow
}

// prvUnits are the suffixes of the duration. Without one, times are in microseconds.
var prvUnits = []struct {
	suffix string
	picos  int64
}{{"_ns", 1e3}, {"_us", 1e6}, {"_ms", 1e9}, {"", 1e6}}

// parsePrvHeader reads "#Paraver (date):time:resources:applications:application..."
func parsePrvHeader(line []byte) (h prvHeader, problem string) {
	if !bytes.HasPrefix(line, prvMagic) {
		return h, `the file does not start with "#Paraver ("`
	}
	_, rest, ok := bytes.Cut(line, []byte("):")) // the date has colons
	if !ok {
		return h, "the date does not end"
	}
	field := func() (f []byte) {
		f, rest, _ = prvField(rest)
		return f
	}
	if problem := h.duration(field()); problem != "" {
		return h, problem
	}
	if n, _, _ := bytes.Cut(field(), []byte("(")); len(n) > 0 {
		if _, problem := input.ParseDecimal(n); problem != "" {
			return h, "the number of nodes is " + problem
		}
	}
	apps, problem := input.ParseDecimal(field())
	if problem != "" || apps == 0 {
		return h, "the number of applications is " + max(problem, "0")
	}
	for i := range apps {
		if len(rest) == 0 {
			return h, fmt.Sprintf("the header announces %d applications but describes %d", apps, i)
		}
		if rest, problem = h.application(rest); problem != "" {
			return h, fmt.Sprintf("application %d: %s", i+1, problem)
		}
	}
	return h, h.tail(rest)
}

// duration reads a number and the unit of all times.
func (h *prvHeader) duration(b []byte) (problem string) {
	for _, u := range prvUnits {
		if bytes.HasSuffix(b, []byte(u.suffix)) {
			h.unit, b = u.picos, bytes.TrimSuffix(b, []byte(u.suffix))
			break
		}
	}
	v, problem := input.ParseDecimal(b)
	switch {
	case problem != "":
		return "the duration is " + problem
	case v > uint64(math.MaxInt64/h.unit):
		return "the duration exceeds 64 bits of picoseconds"
	}
	h.end = int64(v)
	return ""
}

// tail reads the part after the applications: ",communicators", or nothing.
func (h *prvHeader) tail(rest []byte) (problem string) {
	rest = bytes.TrimRight(rest, input.Blanks)
	if len(rest) == 0 {
		return ""
	}
	if rest[0] != ',' {
		return "text after the applications"
	}
	if h.comms, problem = input.ParseDecimal(rest[1:]); problem != "" {
		return "the number of communicators is " + problem
	}
	return ""
}

// prvField cuts at the next colon outside of brackets, or at a comma outside of
// brackets that begins the number of communicators.
func prvField(b []byte) (field, rest []byte, found bool) {
	depth := 0
	for i, c := range b {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ':' && depth <= 0:
			return b[:i], b[i+1:], true
		case c == ',' && depth <= 0:
			return b[:i], b[i:], true
		}
	}
	return b, nil, false
}

// application reads "tasks(threads:node,threads:node)".
func (h *prvHeader) application(b []byte) (rest []byte, problem string) {
	b, rest, _ = prvField(b)
	count, list, ok := bytes.Cut(b, []byte("("))
	n, problem := input.ParseDecimal(count)
	if problem != "" {
		return rest, "the number of tasks is " + problem
	}
	if !ok || len(list) == 0 || list[len(list)-1] != ')' {
		return rest, "its tasks are not in brackets"
	}
	var tasks []uint64
	for task := range bytes.SplitSeq(list[:len(list)-1], []byte(",")) {
		threads, _, _ := bytes.Cut(task, []byte(":"))
		t, problem := input.ParseDecimal(threads)
		if problem != "" || t == 0 || t > math.MaxInt32 {
			return rest, fmt.Sprintf("the number of threads of task %d is %s", len(tasks)+1, max(problem, "out of range"))
		}
		tasks = append(tasks, t)
	}
	if uint64(len(tasks)) != n {
		return rest, fmt.Sprintf("it has %d tasks, but %d are described", n, len(tasks))
	}
	h.first = append(h.first, int32(h.ranks))
	h.apps = append(h.apps, tasks)
	h.ranks += len(tasks)
	return rest, ""
}
