package format

import (
	"bytes"
	"fmt"
	"strconv"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// SimGridTI is the time-independent trace of SimGrid's SMPI (smpirun -trace-ti,
// smpirun -replay): one action of a rank on each line, in one file with all ranks,
// in a file for each rank, or in the files that a list names, one on a line.
// The grammar is that of smpi_replay.cpp and instr_private.hpp of SimGrid 4.2, with
// what the tracer of 3.32 writes.
//
// Work is in flop. Amounts of flop may have a fraction: it is carried on to the
// next amount of its rank, so that sums are right to 1 flop. A test does not say
// whether it succeeded and is stored as one that did not; a request that was tested
// and never waited for gets a wait at finalize. A waitall is one wait for each
// request that is open.
//
// Differs: SimGrid drops a last action without line end, crashes on unknown
// datatypes, and waits at the end for whatever is open; here these are read and
// noted, an error, and noted.
type SimGridTI struct{}

var (
	_ Joint     = SimGridTI{}
	_ Exporter  = SimGridTI{}
	_ Shaped    = SimGridTI{}
	_ Tunable   = SimGridTI{}
	_ Aliased   = SimGridTI{}
	_ Explained = SimGridTI{}
)

// Name is "simgrid-ti".
func (SimGridTI) Name() string { return "simgrid-ti" }

// Aliases are the short names.
func (SimGridTI) Aliases() []string { return []string{"ti"} }

// Description says what the format is.
func (SimGridTI) Description() string {
	return "SimGrid time-independent trace: rank and action on each line, text"
}

// Magic says how the format is recognised.
func (SimGridTI) Magic() string {
	return "none; guessed from lines of a rank and an action, or of file names with rank-N"
}

// Parts are the actions with their values.
func (SimGridTI) Parts() []Part {
	all := []Part{{"line", "rank, action and its values, separated by blanks"}}
	for _, a := range tiActions {
		usage := a.usage
		if usage == "" {
			usage = "any; the action is left out, and noted"
		}
		all = append(all, Part{"action " + a.name, usage})
	}
	return all
}

// Layout says that work is in flop.
func (SimGridTI) Layout(Options) Layout { return Layout{Work: trace.WorkFlop} }

// The settings.
const (
	tiFlops    = "flops"
	tiPerInstr = "flops_per_instruction"
	tiRanks    = "ranks"
)

// Settings are the speed of a rank, for what the format has in flop and traces have
// in time or instructions, or the other way round.
func (SimGridTI) Settings() []Setting {
	return []Setting{
		{Name: tiFlops, Doc: "speed of a rank, such as 1Gf (per second): turns sleeps into flop when read, and work in ps when written; not given: sleeps are left out, and work in ps is an error"},
		{Name: tiPerInstr, Default: "1", Doc: "when written: flop that an instruction stands for, in a trace whose work is in instructions"},
		{Name: tiRanks, Doc: "when read: number of ranks in one file of all, if that is not the number of inits before the first action that depends on it"},
	}
}

// tiSpeed reads the setting flops, in flop per second; 0 means that it was not given.
func tiSpeed(value string) (float64, error) {
	if value == "" {
		return 0, nil
	}
	v, err := unit.Parse(value, "flop/s")
	if err == nil && v <= 0 {
		err = fmt.Errorf("%q is not above 0", value)
	}
	if err != nil {
		return 0, badSetting("%s: %w", tiFlops, err)
	}
	return v, nil
}

// tiRanksOf reads the setting ranks; 0 means that it was not given.
func tiRanksOf(value string) (int, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > tiMaxRanks {
		return 0, badSetting("%s: %q is not a number from 1 to %d", tiRanks, value, tiMaxRanks)
	}
	return n, nil
}

const tiSniffLines = 100

// Sniff is Likely if all lines but one in ten are a rank and an action, or if all
// are names of files with rank-N in them.
func (SimGridTI) Sniff(head []byte) Verdict {
	lines, hits := sniffLines(head, tiSniffLines, func(line []byte) bool {
		if line[0] == '#' {
			return true
		}
		got := bytes.Fields(line)
		if len(got) < 2 {
			return false
		}
		_, known := tiActionIndex[string(got[1])]
		_, problem := parseDecimal(got[0])
		return known && problem == ""
	})
	first := tiFirstAction(head)
	if first != nil && hits >= lines-lines/10 {
		return Verdict{Likely, "lines of a rank and an action, such as " + quote(first)}
	}
	lines, hits = sniffLines(head, tiSniffLines, func(line []byte) bool { return line[0] == '#' || isTIRankFile(line) })
	if first != nil && hits == lines {
		return Verdict{Likely, "a list of files with rank-N in their names"}
	}
	return foreign
}

// tiFirstAction is the first line of head that is no comment, or nil.
func tiFirstAction(head []byte) []byte {
	var first []byte
	sniffLines(head, tiSniffLines, func(line []byte) bool {
		if first == nil && line[0] != '#' {
			first = line
		}
		return true
	})
	return first
}

// Import parses all of in.
func (f SimGridTI) Import(in *Input, o Options, sink Sink) (Result, error) {
	return importOne(f, in, o, sink)
}

// ImportFiles parses a file of all ranks, a list, or a file for each rank.
func (f SimGridTI) ImportFiles(files *Files, o Options, sink Sink) (Result, error) {
	p := &tiParser{files: files, o: o, talk: conversationInText(files, o, sink), counts: make([]uint64, len(tiActions))}
	var err error
	if p.speed, err = tiSpeed(o.Setting(f, tiFlops)); err != nil {
		return Result{}, err
	}
	if p.procs, err = tiRanksOf(o.Setting(f, tiRanks)); err != nil {
		return Result{}, err
	}
	p.given = p.procs > 0
	if err := p.readAll(); err != nil {
		return Result{}, err
	}
	notes, err := p.finish()
	if err != nil {
		return Result{}, err
	}
	return Result{Procs: p.procs, Lines: p.total, Notes: notes, Facts: p.facts(), Counts: p.count()}, nil
}
