package pinatrace

import (
	"bytes"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// pinLine is one record.
type pinLine struct {
	thread, ip, addr, size uint64
	op                     trace.Op
	named                  bool // it has a thread
	decimal                bool // its address is decimal
	more                   bool // text follows the size
}

const (
	maxPid    = 1 << 22 // of Linux: a decimal number before the operation, up to this, is a thread
	adviceIO  = "threads may have written into one another's lines; make the tool lock"
	adviceHex = "--addr-base=16 reads addresses without 0x as hexadecimal"
)

// parsePin reads "[thread] [ip] OP address [size [value]]", separated by blanks, commas
// and colons. It ignores a word before the thread. If hex is true, numbers without 0x
// are hexadecimal addresses.
func parsePin(line []byte, hex bool) (r pinLine, problem, advice string) {
	var fields [8][]byte
	n := 0
	for f := range bytes.FieldsFuncSeq(line, isPinSeparator) {
		if n < len(fields) {
			fields[n] = f
			n++
		}
	}
	at := 0
	for at < n && at < 4 && (len(fields[at]) != 1 || fields[at][0]-'0' <= 9) {
		at++
	}
	if at == n || at == 4 {
		return r, "no operation R or W", adviceIO
	}
	if r.op = pinOps[fields[at][0]]; r.op == 0 {
		return r, "the operation is not R or W", ""
	}
	if problem = r.before(fields[:at], hex); problem != "" {
		return r, problem, adviceIO
	}
	problem, advice = r.after(fields[at+1:n], hex)
	return r, problem, advice
}

var pinOps = [256]trace.Op{'R': trace.Load, 'W': trace.Store, 'I': trace.Ifetch}

func isPinSeparator(c rune) bool {
	return c == ' ' || c == '\t' || c == ',' || c == ':'
}

// before reads the part before the operation.
func (r *pinLine) before(fields [][]byte, hex bool) (problem string) {
	word := len(fields) > 0 && isWord(fields[0])
	if word {
		fields = fields[1:]
	}
	if len(fields) > 2 || word && len(fields) == 0 {
		return "more than a thread and an instruction before the operation"
	}
	if len(fields) == 0 {
		return ""
	}
	v, pointer, problem := pinNumber(fields[0], hex && len(fields) == 1 && !word)
	if problem != "" {
		return "the number before the operation is " + problem
	}
	if len(fields) == 1 && !word && (pointer || v > maxPid) {
		r.ip = v
		return ""
	}
	r.thread, r.named = v, true
	if len(fields) == 2 {
		if r.ip, _, problem = pinNumber(fields[1], hex); problem != "" {
			return "the address of the instruction is " + problem
		}
	}
	return ""
}

// after reads the part after the operation.
func (r *pinLine) after(fields [][]byte, hex bool) (problem, advice string) {
	if len(fields) == 0 {
		return "the address is missing", ""
	}
	var pointer bool
	if r.addr, pointer, problem = pinNumber(fields[0], hex); problem != "" {
		if _, other, isHex := pinNumber(fields[0], true); isHex == "" && other {
			return "the address is " + problem, adviceHex
		}
		return "the address is " + problem, adviceIO
	}
	r.decimal = !pointer
	if len(fields) > 1 {
		if r.size, _, problem = pinNumber(fields[1], false); problem == "" && r.size-1 > 65534 {
			return input.SizeProblem(r.addr, r.size), ""
		}
		if problem != "" {
			return "the size is " + problem, adviceIO
		}
	}
	r.more = len(fields) > 2
	return "", ""
}

// pinNumber reads a number. It is a pointer if it has 0x, is (nil), or if hex is true.
func pinNumber(b []byte, hex bool) (v uint64, pointer bool, problem string) {
	switch {
	case len(b) > 1 && b[0] == '0' && b[1]|0x20 == 'x':
		v, problem = input.ParseHex(b[2:])
		return v, true, problem
	case string(b) == "(nil)":
		return 0, true, ""
	case hex:
		v, problem = input.ParseHex(b)
		return v, true, problem
	}
	v, problem = input.ParseDecimal(b)
	return v, false, problem
}

func isWord(b []byte) bool {
	for _, c := range b {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return true
}
