package goal

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// goalText reads schedules in text. A statement ends with its line. Only num_ranks and
// the start and end of a block may share a line.
type goalText struct {
	input.Text
	goalImport
	labels  goalLabels
	slow    bool   // without the fast path, for tests
	whole   []byte // the line, for errors
	rest    []byte // its unread part
	rank    int64  // of the open block, or of the next one
	open    int    // first line of the open block, or 0
	comment int    // first line of an open comment, or 0
	cpu     uint64 // of the operation
	nic     uint64
}

// goalIdent has the characters of labels and keywords.
var goalIdent = func() (table [256]bool) {
	for c := range table {
		table[c] = c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80
	}
	return table
}()

// goalPortals lists the operations of LogGOPSim 2, which has other semantics.
var goalPortals = []string{"append", "put", "get", "test", "tappend", "tput", "tget", "calcgem5"}

func (p *goalText) run(in *input.Input) (format.Result, error) {
	p.labels.reset()
	if err := p.FastLines(in, p.fast, p.parse); err != nil {
		return format.Result{}, err
	}
	switch {
	case p.comment > 0:
		return format.Result{}, p.failAt(int64(p.comment), "the comment that begins here is not closed; write */")
	case p.ranks == 0:
		return format.Result{}, p.Fail(nil, "end of file: num_ranks is missing", "write num_ranks and the number of ranks first")
	case p.open > 0:
		return format.Result{}, p.Fail(nil, fmt.Sprintf("end of file: the block of rank %d, which begins at line %d, is not closed", p.rank, p.open),
			"write }, or copy the file again")
	case p.rank < p.ranks:
		return format.Result{}, p.Fail(nil, fmt.Sprintf("end of file after the blocks of %d of %d ranks", p.rank, p.ranks),
			"every rank needs a block, even if it is empty")
	}
	r, err := p.result(uint64(p.Line))
	r.Notes = append(r.Notes, p.Notes()...)
	return r, err
}

// parse handles one line.
func (p *goalText) parse(line []byte, last bool) error {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		p.Crlf++
		line = line[:n-1]
	}
	if last {
		p.Unended++
	}
	p.whole, p.rest = line, line
	if p.comment > 0 && !p.closeComment() {
		return nil
	}
	indented := len(p.rest) > 0 && input.IsBlank(p.rest[0])
	for p.skip() {
		if indented {
			p.Padded++
			indented = false
		}
		if err := p.statement(); err != nil {
			return err
		}
	}
	return nil
}

// skip skips blanks and comments. It reports whether the line has more.
func (p *goalText) skip() bool {
	for i, c := range p.rest {
		switch c {
		case ' ', '\t', '\v', '\f', '\r':
			continue
		case '/':
			p.rest = p.rest[i:]
			return p.skipComment()
		}
		p.rest = p.rest[i:]
		return true
	}
	p.rest = nil
	return false
}

// skipComment is skip at a place where a comment may begin.
func (p *goalText) skipComment() bool {
	switch {
	case bytes.HasPrefix(p.rest, []byte("//")):
		p.rest = nil
		return false
	case bytes.HasPrefix(p.rest, []byte("/*")):
		p.rest = p.rest[2:]
		p.comment = p.Line
		return p.closeComment() && p.skip()
	}
	return true
}

// closeComment skips the rest of a comment, and reports whether it ends in this line.
func (p *goalText) closeComment() bool {
	_, after, closed := bytes.Cut(p.rest, []byte("*/"))
	p.rest = after
	if closed {
		p.comment = 0
	}
	return closed
}

// word reads the identifier at the start of the rest, which may be empty.
func (p *goalText) word() []byte {
	n := 0
	for n < len(p.rest) && goalIdent[p.rest[n]] {
		n++
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return word
}

// number reads a decimal number; what is its meaning.
func (p *goalText) number(what string) (v uint64, err error) {
	if !p.skip() {
		return 0, p.bad("the line ends before the "+what, "")
	}
	n := 0
	for n < len(p.rest) && p.rest[n]-'0' <= 9 {
		d := uint64(p.rest[n] - '0')
		if n >= 19 && v > (math.MaxUint64-d)/10 {
			return 0, p.bad("the "+what+" is over 64 bits", "")
		}
		v = v*10 + d
		n++
	}
	if n == 0 {
		if p.rest[0] == '-' {
			return 0, p.bad("a negative "+what, "")
		}
		return 0, p.bad("the "+what+" is not a number", "")
	}
	p.rest = p.rest[n:]
	return v, nil
}

// any reads a -1 instead of a number, if there is one.
func (p *goalText) any() bool {
	if p.skip() && bytes.HasPrefix(p.rest, []byte("-1")) && (len(p.rest) == 2 || !goalIdent[p.rest[2]]) {
		p.rest = p.rest[2:]
		return true
	}
	return false
}

// bad returns an error in this line. If the line has a NUL byte, the error says so
// instead.
func (p *goalText) bad(reason, advice string) error {
	if err := p.CheckNUL(p.whole); err != nil {
		return err
	}
	return p.Fail(bytes.TrimLeft(p.whole, input.Blanks), reason, advice)
}

// failAt returns an error at another line.
func (p *goalText) failAt(line int64, msg string) error {
	return &trace.SyntaxError{File: p.File, Line: int(line), Msg: msg}
}

// statement reads one statement, or the start or the end of a block.
func (p *goalText) statement() error {
	word := p.word()
	switch string(word) {
	case "":
		if p.rest[0] == '}' {
			p.rest = p.rest[1:]
			return p.endBlock()
		}
		return p.bad("no statement", "statements are calc, send, recv, requires and irequires, in the blocks of ranks")
	case "num_ranks":
		return p.numRanks()
	case "rank":
		return p.block()
	}
	if kind, ok := goalKind(word); ok {
		return p.operation(kind, -1)
	}
	return p.labelled(word)
}

// labelled reads the rest of a statement that begins with a label.
func (p *goalText) labelled(name []byte) error {
	switch {
	case name[0] <= '9' || name[0] == '_':
		return p.bad("a label begins with a letter", "")
	case p.open == 0 && p.ranks == 0:
		return p.bad("num_ranks is missing", "check that this is a LogGOPSim schedule")
	case p.open == 0:
		return p.bad("a statement outside the blocks of ranks", "")
	case !p.skip():
		return p.bad(`expected ":", requires or irequires after a label`, "")
	}
	if p.rest[0] != ':' {
		return p.dependency(name)
	}
	p.rest = p.rest[1:]
	label := p.labels.number(name)
	if op := p.labels.all[label].op; op >= 0 {
		return p.bad(fmt.Sprintf("label %s is defined twice, first at line %d", input.Quote(name), p.graph.ops[op].at), "")
	}
	p.skip()
	verb := p.word()
	if kind, ok := goalKind(verb); ok {
		return p.operation(kind, label)
	}
	return p.unknown(verb)
}

// unknown returns the error for an unknown operation.
func (p *goalText) unknown(word []byte) error {
	if slices.Contains(goalPortals, string(word)) {
		return p.bad(string(word)+" is an operation of LogGOPSim 2", "only calc, send and recv can be imported")
	}
	return p.bad("unknown operation", "operations are calc, send and recv")
}

// dependency reads the rest of "name requires other".
func (p *goalText) dependency(name []byte) error {
	edges := &p.graph.requires
	switch verb := p.word(); string(verb) {
	case "requires":
	case "irequires":
		edges = &p.graph.irequires
	default:
		if slices.Contains(goalPortals, string(name)) {
			return p.unknown(name)
		}
		return p.bad(`expected ":", requires or irequires after a label`, "")
	}
	p.skip()
	other := p.word()
	switch {
	case len(other) == 0 || other[0] <= '9' || other[0] == '_':
		return p.bad("expected the label of the required operation", "")
	case goalKeyword(other):
		return p.bad(fmt.Sprintf("%s is a keyword and cannot be a label", other), "")
	case p.skip():
		return p.bad("text after the statement", "")
	}
	*edges = append(*edges, goalEdge{p.labels.operation(p.labels.number(name)), p.labels.operation(p.labels.number(other)), int64(p.Line)})
	return nil
}

// goalKeyword reports whether word begins a statement other than that of a label.
func goalKeyword(word []byte) bool {
	_, operation := goalKind(word)
	return operation || string(word) == "rank" || string(word) == "num_ranks"
}
