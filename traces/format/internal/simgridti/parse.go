package simgridti

import (
	"bytes"
	"fmt"
	"strings"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// tiParser reads actions. An invalid value sets problem; the first one counts. The
// functions that emit events check it.
type tiParser struct {
	input.Text
	files    *input.Files
	o        format.Options
	messages *emit.MessageWriter
	total    uint64 // lines of all files
	speed    float64

	procs     int         // known number of ranks: files, the setting, or inits so far
	given     bool        // procs comes from the setting
	shared    bool        // one file of all ranks
	listed    bool        // a file for each rank, in the order of a list
	expected  int32       // rank of the file being read, or none
	firstFile int         // that is no list
	source    string      // the setting
	census    *tiCensus   // nil until needed
	unclear   bool        // the partner read last is -333 in a receive
	owner     *tiRank     // rank of the file being read, known from its first action
	frozen    int         // line from which the number of ranks of a shared file is fixed, or 0
	far       []tiPartner // partners above all previous ones, in a shared file
	ranks     []*tiRank   // by number, nil before their first action
	inits     int

	raw     []byte // the line being parsed
	fields  [][]byte
	values  [][]byte // fields after the action
	action  *tiAction
	index   int // index of action in tiActions
	at      trace.Pos
	rank    *tiRank
	problem error
	slow    bool                 // without the fast path, for tests
	plain   [tiPlainValues]int64 // values of a plain action
	failed  error                // of a line that fast read; act returns it

	counts []uint64 // of tiActions
	odd    [tiOddities]tiOdd
	flops  float64 // sum of computes, as written in the file
	sent   float64 // bytes of sends and isends
}

// tiPartner is a rank that a line of a shared file names.
type tiPartner struct {
	rank int32
	at   trace.Pos
	text string
}

// act handles one line.
func (p *tiParser) act(raw []byte, last bool) error {
	if p.failed != nil {
		return p.failed
	}
	p.split(raw)
	if len(p.fields) == 0 || p.fields[0][0] == '#' {
		return nil
	}
	p.at.At = int64(p.Line)
	p.raw, p.problem = raw, nil
	if last {
		p.note(tiUnended)
	}
	if err := p.find(); err != nil || p.rank == nil {
		return err
	}
	p.counts[p.index]++
	p.rank.last = p.at
	if err := p.checkState(); err != nil {
		return err
	}
	n := len(p.values)
	if n < p.action.least || p.action.most >= 0 && n > p.action.most {
		return p.bad(fmt.Sprintf("%s has %s, needs %s", p.action.name, input.Plural(n, "value"), p.action.usage), "")
	}
	return p.action.do(p)
}

// split finds the fields of a line.
func (p *tiParser) split(line []byte) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		p.Crlf++
	}
	fields := p.fields[:0]
	for i := 0; i < len(line); {
		if tiBlank(line[i]) {
			i++
			continue
		}
		start := i
		for i < len(line) && !tiBlank(line[i]) {
			i++
		}
		fields = append(fields, line[start:i])
	}
	p.fields = fields
}

func tiBlank(c byte) bool { return c == ' ' || c-'\t' <= '\r'-'\t' }

// bad returns an error about the line. If the line has a NUL byte, the error says so
// instead.
func (p *tiParser) bad(reason, advice string) error {
	if err := p.CheckNUL(p.raw); err != nil {
		return err
	}
	return p.Fail(bytes.Trim(p.raw, input.Blanks), reason, advice)
}

// find sets rank, action and values from the fields. rank is nil if the line is to be
// skipped.
func (p *tiParser) find() error {
	number, problem := tiInteger(p.fields[0])
	if problem != "" || number < 0 || number >= tiMaxRanks {
		return p.bad("no rank at the start of the line", fmt.Sprintf("a line is a rank below %d, an action and its values", tiMaxRanks))
	}
	if len(p.fields) == 1 {
		return p.bad("no action after the rank", "")
	}
	index, known := tiActionIndex[string(p.fields[1])]
	if !known {
		return p.bad("unknown action "+input.Quote(p.fields[1]), unknownAdvice(string(p.fields[1])))
	}
	p.action, p.index, p.values = &tiActions[index], index, p.fields[2:]
	var err error
	p.rank, err = p.rankOf(number)
	return err
}

// unknownAdvice returns the advice on an unknown action. Before SimGrid 3.20, names had
// capitals, and messages had no tags.
func unknownAdvice(name string) string {
	if _, known := tiActionIndex[strings.ToLower(name)]; known {
		return "if this is a trace of SimGrid before 3.20, convert it with simgrid_convert_TI_traces"
	}
	return "SimGrid's replay has no such action either"
}

// rankOf returns the rank of an action, or nil if the action is to be skipped.
func (p *tiParser) rankOf(number int32) (*tiRank, error) {
	if int(number) < len(p.ranks) && p.ranks[number] != nil {
		r := p.ranks[number]
		if p.shared || r == p.owner {
			return r, nil
		}
		if p.owner == nil {
			return nil, p.bad(fmt.Sprintf("rank %d is in two files, this and %s", number, p.files.Path(int(r.last.File))), "give each file once")
		}
	}
	switch {
	case p.shared && p.given && int(number) >= p.procs:
		return nil, p.bad(fmt.Sprintf("rank %d, but --set %s=%d", number, tiRanks, p.procs), "")
	case p.shared:
	case p.owner != nil:
		p.note(tiOtherRank)
		return nil, nil
	case p.expected >= 0 && number != p.expected:
		return nil, p.bad(fmt.Sprintf("rank %d in the file of rank %d", number, p.expected), "a list names the files in the order of ranks")
	case int(number) >= p.procs:
		return nil, p.bad(fmt.Sprintf("rank %d, but there are %d files of one rank each", number, p.procs), "give the files of all ranks")
	}
	for len(p.ranks) <= int(number) {
		p.ranks = append(p.ranks, nil)
	}
	r := &tiRank{number: number, rankWriter: p.messages.RankWriter(trace.Proc(number)), last: p.at, requests: newTIRequests()}
	p.ranks[number], p.owner = r, r
	return r, nil
}

// checkState checks the order of init, actions and finalize.
func (p *tiParser) checkState() error {
	switch r := p.rank; {
	case p.index == tiLocation:
	case r.state == tiFinalized:
		return p.bad(fmt.Sprintf("action of rank %d after finalize", r.number), "")
	case r.state == tiUnborn && p.index != tiInit:
		return p.bad(fmt.Sprintf("the first action of rank %d is not init", r.number), "the start of the trace is missing")
	case r.state == tiRunning && p.index == tiInit:
		return p.bad(fmt.Sprintf("second init of rank %d", r.number), "")
	}
	return nil
}
