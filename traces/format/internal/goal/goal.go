// Package goal reads and writes the schedules of LogGOPSim, as text and in binary form.
package goal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Goal is the schedule of LogGOPSim, in text and in the binary form that its txt2bin
// writes. For each rank it has a graph of calc, send and recv. The operations that an
// operation requires become its Needs. An operation without requirements has empty
// Needs, not nil, because the order of the text has no meaning.
//
// "a irequires b" lets a start after b has started. The start of b becomes a Marker in
// the row before b. The marker needs the requirements of b; b and a need the marker.
// Reading irequires as requires would be wrong: operations that may start with a
// receive would then wait for its end. Two ranks that exchange messages could then
// deadlock.
//
// The grammar is that of LogGOPSim's src/LogGOPSim/txt2bin.re, the binary form that of
// its Parser.hpp.
//
// Differs: comments may follow a statement, lines may be indented, and dependencies may
// precede the operations that they name. The following are errors here, but not in
// txt2bin: peers that do not exist, numbers that overflow, labels that are defined
// twice, dependency cycles, and missing ranks.
type Goal struct{}

var (
	_ format.Importer = Goal{}
)

// Info describes the format.
func (Goal) Info() format.Info {
	return format.Info{
		Name:    "goal",
		Aliases: []string{"goal.bin", "loggopsim"},
		Doc:     "LogGOPSim schedules, text and binary",
		Magic:   "num_ranks at the start of the text; 7f 10 00 00 00 00 00 00",
		Example: `  $ traces import data/sample/ring.goal --set unit=1us -o ring
  $ traces head -n 4 --events ring`,
		Threaded: true,
		Work:     trace.WorkPicos,
		Parts: []format.Part{{Name: "num_ranks N", Doc: "the first statement; // and /* */ are comments"}, {Name: "rank R { ... }", Doc: "the operations of each rank, in the order of ranks"},
			{Name: "[label:] calc N", Doc: "computation of N units (--set unit); optional: cpu C"},
			{Name: "[label:] send Sb to R", Doc: "S bytes; optional, in this order: tag T, cpu C, nic N; one C and one N in each rank (--set streams)"},
			{Name: "[label:] recv Sb from R", Doc: "like send; R and T may be -1 (any)"},
			{Name: "label requires label", Doc: "the first starts after the second ends; with irequires, after it starts"}},
		Settings: []format.Setting{
			{Name: goalUnitSetting, Default: "1ns", Doc: "time of calc 1, a whole number of picoseconds"},
			{Name: goalStreamsSetting, Default: "refuse", Doc: "when read: refuse (a rank with several cpus or nics is an error) or serial (its operations run one after the other)"},
			{Name: goalInstrSetting, Default: "1ns", Doc: "when written: time of an instruction"},
			{Name: goalFlopSetting, Default: "", Doc: "when written: time of a flop; required if the work of the trace is in flop"},
			{Name: goalBinarySetting, Default: "false", Doc: "when written: true writes the binary form, like LogGOPSim's txt2bin"},
		},
		Loses: "references, recorded times, layouts of buffers, probes, markers, parts of a unit of time; " +
			"collectives become messages, communicators other tags",
	}
}

const (
	goalUnitSetting    = "unit"
	goalStreamsSetting = "streams"
)

const (
	goalCookie     = 4223
	goalUsedCookie = 2342 // of a file that a simulation consumed
	maxGoalRanks   = 1 << 20
)

// Sniff is Certain of num_ranks and of the cookies of the binary form.
func (Goal) Sniff(head []byte) format.Verdict {
	if goalIsBinary(head) {
		return format.Verdict{Confidence: format.Certain, Why: "the cookie of LogGOPSim"}
	}
	rest, open := skipGoalComments(head)
	switch word := goalWord(rest); {
	case word == "num_ranks":
		return format.Verdict{Confidence: format.Certain, Why: "num_ranks"}
	case word == "rank" && bytes.HasSuffix(bytes.TrimRight(input.FirstLine(rest), input.Blanks), []byte("{")):
		return format.Verdict{Confidence: format.Likely, Why: "a block of a rank, but no num_ranks"}
	case open && bytes.Contains(rest, []byte("num_ranks")):
		return format.Verdict{Confidence: format.Likely, Why: "num_ranks in a comment that is not closed"}
	}
	return sniff.Foreign
}

// goalIsBinary reports whether head is the start of the binary form. The cookie of a
// used file is too common to be a magic, so the rest of the header must also fit.
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

// skipGoalComments returns the text from its first statement on. If a comment is not
// closed, open is true and rest is the comment.
func skipGoalComments(b []byte) (rest []byte, open bool) {
	for {
		b = bytes.TrimLeft(b, input.Blanks+"\n")
		switch {
		case bytes.HasPrefix(b, []byte("//")):
			_, b, _ = bytes.Cut(b, input.Newline)
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

// goalWord returns the identifier at the start of b.
func goalWord(b []byte) string {
	n := 0
	for n < len(b) && goalIdent[b[n]] {
		n++
	}
	return string(b[:n])
}

// Import parses all of in.
func (f Goal) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	head, err := in.Head()
	if err != nil {
		return format.Result{}, err
	}
	picos, err := goalPicos(goalUnitSetting, o.Setting(f, goalUnitSetting))
	if err != nil {
		return format.Result{}, err
	}
	if len(head) == 0 {
		return format.Result{}, &trace.SyntaxError{File: in.Name, Line: 1, Msg: in.Emptiness() + ": num_ranks is missing"}
	}
	streams := o.Setting(f, goalStreamsSetting)
	if streams != "refuse" && streams != "serial" {
		return format.Result{}, format.BadSetting("%s=%s: choose refuse or serial", goalStreamsSetting, streams)
	}
	if goalIsBinary(head) {
		p := goalBinary{goalImport: goalImport{unit: picos, serial: streams == "serial", c: emit.NewBinaryMessageWriter(input.FilesOf(in), o, sink)}}
		p.c.InTurn()
		return p.run(in)
	}
	p := goalText{goalImport: goalImport{unit: picos, serial: streams == "serial", c: emit.NewTextMessageWriter(input.FilesOf(in), o, sink)}}
	p.c.InTurn()
	return p.run(in)
}

// goalPicos reads a setting that is a time: a whole number of picoseconds.
func goalPicos(name, value string) (int64, error) {
	seconds, err := unit.Parse(value, "s")
	if err != nil {
		return 0, format.BadSetting("%s: %w", name, err)
	}
	picos := math.Round(seconds * 1e12)
	if picos < 1 || picos > 1e18 || math.Abs(seconds*1e12-picos) > 1e-6*picos {
		return 0, format.BadSetting("%s: %q is not a whole number of picoseconds from 1ps to 1000000s", name, value)
	}
	return int64(picos), nil
}

// goalImport is the common state of the readers of both forms.
type goalImport struct {
	c     *emit.MessageWriter
	unit  int64 // of calc, in ps
	ranks int64 // num_ranks
	graph goalGraph

	calcs, sends, recvs, requires, irequires uint64
	cpus, nics                               goalPlaces
	serial                                   bool // all operations of a rank run one after the other
}

// goalPlaces counts operations on processors or interfaces other than 0.
type goalPlaces struct {
	n     uint64
	most  uint64
	first uint64 // of the rank being read
	begun bool   // the rank has an operation
}

// add counts an operation. It reports whether the rank has operations elsewhere.
func (p *goalPlaces) add(which uint64) (elsewhere bool) {
	if which > 0 {
		p.n++
		p.most = max(p.most, which)
	}
	if !p.begun {
		p.begun, p.first = true, which
	}
	return which != p.first
}

// goalStreamsAdvice follows the error for a rank with several streams.
const goalStreamsAdvice = "a trace has one stream for each rank; --set " + goalStreamsSetting + "=serial runs all operations of a rank one after the other"

// place counts the processor and the interface of an operation. It returns a problem if
// the operation may run beside another one of its rank.
func (p *goalImport) place(kind trace.Kind, cpu, nic uint64) (problem string) {
	beside := p.cpus.add(cpu)
	onNIC := kind != trace.Compute && p.nics.add(nic)
	switch {
	case p.serial:
		return ""
	case beside:
		return fmt.Sprintf("cpu %d runs beside cpu %d", cpu, p.cpus.first)
	case onNIC:
		return fmt.Sprintf("nic %d runs beside nic %d", nic, p.nics.first)
	}
	return ""
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

// endRank passes on the graph of rank and empties it.
func (p *goalImport) endRank(rank int64) error {
	p.cpus.begun, p.nics.begun = false, false
	p.requires += uint64(len(p.graph.requires))
	p.irequires += uint64(len(p.graph.irequires))
	return p.graph.emit(p.c.RankWriter(trace.Proc(rank)))
}

// result completes the import; lines are lines of text, or operations.
func (p *goalImport) result(lines uint64) (format.Result, error) {
	notes, err := p.c.Finish(int(p.ranks))
	if err != nil {
		return format.Result{}, err
	}
	if p.calcs > 0 {
		notes = append(notes, fmt.Sprintf("goal has no unit of time: calc 1 counts as %v", unit.Picos(p.unit)))
	}
	if p.irequires > 0 {
		notes = append(notes, fmt.Sprintf("%d irequires: a marker before an operation represents its start", p.irequires))
	}
	if p.cpus.n > 0 {
		notes = append(notes, fmt.Sprintf("%d operations on cpus other than 0, up to cpu %d: a trace has one processor per rank, so that they run one after the other", p.cpus.n, p.cpus.most))
	}
	if p.nics.n > 0 {
		notes = append(notes, fmt.Sprintf("%d operations on network interfaces other than nic 0, up to nic %d: a trace has one interface per rank, so that they run one after the other", p.nics.n, p.nics.most))
	}
	return format.Result{Procs: int(p.ranks), Lines: lines, Notes: notes, Counts: []format.Count{
		{Name: "rank", N: uint64(p.ranks)}, {Name: "calc", N: p.calcs}, {Name: "send", N: p.sends}, {Name: "recv", N: p.recvs},
		{Name: "requires", N: p.requires}, {Name: "irequires", N: p.irequires}}}, nil
}
