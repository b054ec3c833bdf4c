package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Goal is the schedule of LogGOPSim, in text and in the binary form that its
// txt2bin writes: for each rank a graph of calc, send and recv. What an operation
// requires becomes its Needs; an operation that requires nothing has Needs that are
// empty, not nil, for the order of the text means nothing.
//
// "a irequires b" lets a start once b has started. The start of b becomes a Marker
// in the row before b: it needs what b requires, and b and a need it. Taking
// irequires for requires instead would turn a receive that others only have to
// follow into one that they wait for, and two ranks that exchange messages so would
// wait for each other.
//
// The grammar is that of LogGOPSim's src/LogGOPSim/txt2bin.re, the binary that of
// its Parser.hpp.
//
// Differs: comments may follow a statement, lines may be indented and dependencies
// may come before the operations that they name; peers that do not exist, numbers
// that overflow, labels that are defined twice, dependencies that are circular and
// missing ranks are errors, which txt2bin accepts.
type Goal struct{}

var (
	_ Importer  = Goal{}
	_ Shaped    = Goal{}
	_ Tunable   = Goal{}
	_ Aliased   = Goal{}
	_ Threaded  = Goal{}
	_ Explained = Goal{}
)

// Name is "goal".
func (Goal) Name() string { return "goal" }

// Aliases are the names of the two forms.
func (Goal) Aliases() []string { return []string{"goal.bin", "loggopsim"} }

// Description says what the format is.
func (Goal) Description() string { return "LogGOPSim schedules, text and binary" }

// Magic says how the format is recognised.
func (Goal) Magic() string { return "num_ranks at the start of the text; 7f 10 00 00 00 00 00 00" }

// Parts are the statements of the text.
func (Goal) Parts() []Part {
	return []Part{{"num_ranks N", "comes first; // and /* */ are comments"}, {"rank R { ... }", "the operations of each rank, in the order of ranks"},
		{"[label:] calc N", "computation of N units (--set unit); then perhaps cpu C, which is left out"},
		{"[label:] send Sb to R", "S bytes; then perhaps tag T, cpu C, nic N, in this order; C and N are left out"},
		{"[label:] recv Sb from R", "the same; R and T may be -1, for any"},
		{"label requires label", "the first begins when the second has ended; irequires: when it has begun"}}
}

// Threaded says that one file has all ranks.
func (Goal) Threaded() {}

// Layout is work in picoseconds.
func (Goal) Layout(Options) Layout { return Layout{Work: trace.WorkPicos} }

const goalUnitSetting = "unit"

// Settings are the options of the format.
func (Goal) Settings() []Setting {
	return []Setting{
		{goalUnitSetting, "1ns", "what calc 1 takes: a whole number of picoseconds"},
		{goalInstrSetting, "1ns", "when written: what an instruction takes"},
		{goalFlopSetting, "", "when written: what a flop takes; needed for traces whose work is in flop"},
		{goalBinarySetting, "false", "when written: true writes what LogGOPSim's txt2bin would make of the text"},
	}
}

const (
	goalCookie     = 4223
	goalUsedCookie = 2342 // of a file that a simulation has used up
	maxGoalRanks   = 1 << 20
)

// Sniff is Certain of num_ranks and of the cookies of the binary form.
func (Goal) Sniff(head []byte) Verdict {
	if goalIsBinary(head) {
		return Verdict{Certain, "the cookie of LogGOPSim"}
	}
	rest, open := skipGoalComments(head)
	switch word := goalWord(rest); {
	case word == "num_ranks":
		return Verdict{Certain, "num_ranks"}
	case word == "rank" && bytes.HasSuffix(bytes.TrimRight(firstLine(rest), blanks), []byte("{")):
		return Verdict{Likely, "a block of a rank, though without num_ranks"}
	case open && bytes.Contains(rest, []byte("num_ranks")):
		return Verdict{Likely, "num_ranks in a comment that is not closed"}
	}
	return foreign
}

// goalIsBinary reports whether head is the start of the binary form. The cookie of
// a used file is no magic number, so the rest of the header must fit.
func goalIsBinary(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	switch binary.LittleEndian.Uint64(head) {
	case goalCookie:
		return true
	case goalUsedCookie:
		return len(head) >= goalTable+8 &&
			binary.LittleEndian.Uint64(head[goalTable:]) == goalTable-8+goalRange*uint64(binary.LittleEndian.Uint32(head[8:]))
	}
	return false
}

// skipGoalComments is the text from its first statement on, or from the comment
// that is not closed.
func skipGoalComments(b []byte) (rest []byte, open bool) {
	for {
		b = bytes.TrimLeft(b, blanks+"\n")
		switch {
		case bytes.HasPrefix(b, []byte("//")):
			_, b, _ = bytes.Cut(b, newline)
		case bytes.HasPrefix(b, []byte("/*")):
			_, after, closed := bytes.Cut(b[2:], []byte("*/"))
			if !closed {
				return b, true
			}
			b = after
		default:
			return b, false
		}
	}
}

// goalWord is the identifier at the start of b.
func goalWord(b []byte) string {
	n := 0
	for n < len(b) && goalIdent[b[n]] {
		n++
	}
	return string(b[:n])
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, newline)
	return line
}

// Import parses all of in.
func (f Goal) Import(in *Input, o Options, sink Sink) (Result, error) {
	head, err := in.Head()
	if err != nil {
		return Result{}, err
	}
	picos, err := goalPicos(goalUnitSetting, o.Setting(f, goalUnitSetting))
	if err != nil {
		return Result{}, err
	}
	if len(head) == 0 {
		return Result{}, &trace.SyntaxError{File: in.Name, Line: 1, Msg: in.emptiness() + ": num_ranks is missing"}
	}
	if goalIsBinary(head) {
		p := goalBinary{goalImport: goalImport{unit: picos, c: conversationInBytes(FilesOf(in), o, sink)}}
		return p.run(in)
	}
	p := goalText{goalImport: goalImport{unit: picos, c: conversationInText(FilesOf(in), o, sink)}}
	return p.run(in)
}

// goalPicos reads a setting that is a time: a whole number of picoseconds.
func goalPicos(name, value string) (int64, error) {
	seconds, err := unit.Parse(value, "s")
	if err != nil {
		return 0, badSetting("%s: %w", name, err)
	}
	picos := math.Round(seconds * 1e12)
	if picos < 1 || picos > 1e18 || math.Abs(seconds*1e12-picos) > 1e-6*picos {
		return 0, badSetting("%s: %q is not a whole number of picoseconds from 1ps to 1000000s", name, value)
	}
	return int64(picos), nil
}

// goalImport is what the readers of both forms share.
type goalImport struct {
	c     *conversation
	unit  int64 // of calc, in ps
	ranks int64 // num_ranks
	graph goalGraph

	calcs, sends, recvs, requires, irequires uint64
	cpus, nics                               goalPlaces
}

// goalPlaces counts operations on other processors or interfaces than 0.
type goalPlaces struct {
	n    uint64
	most uint64
}

func (p *goalPlaces) add(which uint64) {
	if which > 0 {
		p.n++
		p.most = max(p.most, which)
	}
}

// count counts an operation.
func (p *goalImport) count(kind trace.Kind) {
	switch kind {
	case trace.Send:
		p.sends++
	case trace.Recv:
		p.recvs++
	default:
		p.calcs++
	}
}

// endRank hands the graph of rank over and empties it.
func (p *goalImport) endRank(rank int64) error {
	p.requires += uint64(len(p.graph.requires))
	p.irequires += uint64(len(p.graph.irequires))
	return p.graph.tell(p.c.speaker(trace.Proc(rank)))
}

// result completes the import; lines are of text, or operations.
func (p *goalImport) result(lines uint64) (Result, error) {
	notes, err := p.c.finish(int(p.ranks))
	if err != nil {
		return Result{}, err
	}
	if p.calcs > 0 {
		notes = append(notes, fmt.Sprintf("goal has no unit of time: calc 1 is taken for %v", unit.Picos(p.unit)))
	}
	if p.irequires > 0 {
		notes = append(notes, fmt.Sprintf("%d irequires: the start of an operation that others may follow at once is a marker before it", p.irequires))
	}
	if p.cpus.n > 0 {
		notes = append(notes, fmt.Sprintf("%d operations on other processors of their rank than cpu 0, up to %d: a trace has one for each rank", p.cpus.n, p.cpus.most))
	}
	if p.nics.n > 0 {
		notes = append(notes, fmt.Sprintf("%d operations on other network interfaces than nic 0, up to %d: a trace has none", p.nics.n, p.nics.most))
	}
	return Result{Procs: int(p.ranks), Lines: lines, Notes: notes, Counts: []Count{
		{"rank", uint64(p.ranks)}, {"calc", p.calcs}, {"send", p.sends}, {"recv", p.recvs},
		{"requires", p.requires}, {"irequires", p.irequires}}}, nil
}
