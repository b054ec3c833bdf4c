// Package simgridti reads and writes SimGrid's time-independent traces.
package simgridti

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// SimGridTI is the time-independent trace of SimGrid's SMPI (smpirun -trace-ti, smpirun
// -replay). Each line is one action of a rank. A trace is one file with all ranks, a
// file for each rank, or a list with one file name per line. The grammar is that of
// smpi_replay.cpp and instr_private.hpp of SimGrid 4.2, and of the output of the tracer
// of 3.32.
//
// Work is in flop. If an amount of flop has a fraction, the fraction is added to the
// next amount of the rank, so that sums are exact to 1 flop. The format does not record
// whether a test succeeded; tests are stored as unsuccessful. A request that is tested
// but never waited for gets a wait at finalize. A waitall becomes one wait for each
// open request.
//
// Differs, in three cases:
//
//   - A last action without line end: SimGrid drops it; here it is read and noted.
//   - An unknown datatype: SimGrid crashes; here it is an error.
//   - Open requests at the end: SimGrid waits for all; here they are noted.
type SimGridTI struct{}

var (
	_ format.MultiFileImporter = SimGridTI{}
	_ format.Exporter          = SimGridTI{}
)

// Info describes the format.
func (SimGridTI) Info() format.Info {
	return format.Info{
		Name:    "simgrid-ti",
		Aliases: []string{"ti"},
		Doc:     "SimGrid time-independent trace: rank and action on each line, text",
		Magic:   "none; guessed from lines of a rank and an action, or of names of such files",
		Example: `  $ printf '0 init\n1 init\n0 send 1 0 100\n1 recv 0 0 100\n0 finalize\n1 finalize\n' > two.ti
  $ traces import two.ti -o two`,
		Work: trace.WorkFlop,
		Settings: []format.Setting{
			{Name: tiFlops, Doc: "speed of a rank, such as 1Gf (per second); converts sleeps (import) and work in ps (export) to flop; default: sleeps are omitted, and work in ps is an error"},
			{Name: tiPerInstr, Default: "1", Doc: "when written: flop per instruction, if the work of the trace is in instructions"},
			{Name: tiSource, Default: tiSourceAuto, Doc: "when read: meaning of source -333, which SMPI writes for two: any (MPI_ANY_SOURCE), null (MPI_PROC_NULL), or auto (null if no messages are left for these receives, any if as many are)"},
			{Name: tiRanks, Doc: "when read: number of ranks in a file of all ranks; default: the number of inits before the first action that needs it"},
		},
		Loses:      "references, times, layouts of buffers, locks, flags, probes and markers, barriers of some of the processors, dependencies other than program order; collectives of groups are an error",
		Parts:      tiParts(),
		SniffNames: sniffNames,
	}
}

// tiParts returns the actions with their values.
func tiParts() []format.Part {
	all := []format.Part{{Name: "line", Doc: "rank, action and its values, separated by blanks"}}
	for _, a := range tiActions {
		usage := a.usage
		if usage == "" {
			usage = "any; the action is omitted, with a note"
		}
		all = append(all, format.Part{Name: "action " + a.name, Doc: usage})
	}
	return all
}

// The settings.
const (
	tiFlops    = "flops"
	tiPerInstr = "flops_per_instruction"
	tiRanks    = "ranks"
)

// tiSpeed reads the setting flops, in flop per second; 0 means that it is not set.
func tiSpeed(value string) (float64, error) {
	if value == "" {
		return 0, nil
	}
	v, err := unit.Parse(value, "flop/s")
	if err == nil && v <= 0 {
		err = fmt.Errorf("%q is not above 0", value)
	}
	if err != nil {
		return 0, format.BadSetting("%s: %w", tiFlops, err)
	}
	return v, nil
}

// tiRanksOf reads the setting ranks; 0 means that it is not set.
func tiRanksOf(value string) (int, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > tiMaxRanks {
		return 0, format.BadSetting("%s: %q is not a number from 1 to %d", tiRanks, value, tiMaxRanks)
	}
	return n, nil
}

const tiSniffLines = 100

// Sniff is Likely if all lines are comments, or a rank and an action.
func (SimGridTI) Sniff(head []byte) format.Verdict {
	first := tiFirstAction(head)
	if first == nil {
		return sniff.Foreign
	}
	if !isTIAction(first) {
		return sniff.Foreign
	}
	return sniff.SniffText(head, tiSniffLines, "lines of a rank and an action, such as "+input.Quote(first), func(line []byte) bool {
		return line[0] == '#' || isTIAction(line)
	})
}

// isTIAction reports whether line begins with a rank and an action.
func isTIAction(line []byte) bool {
	got := bytes.Fields(line)
	if len(got) < 2 {
		return false
	}
	_, known := tiActionIndex[string(got[1])]
	_, problem := input.ParseDecimal(got[0])
	return known && problem == ""
}

// sniffNames is Likely if all lines are comments or names of files, of which the first
// has actions, or if all names have rank-N.
func sniffNames(in *input.Input, head []byte) format.Verdict {
	first := tiFirstAction(head)
	if first == nil {
		return sniff.Foreign
	}
	lines, hits := sniff.SniffLines(head, tiSniffLines, func(line []byte) bool { return line[0] == '#' || isTIRankFile(line) })
	if hits == lines && isTIRankFile(first) {
		return format.Verdict{Confidence: format.Likely, Why: "a list of files with rank-N in their names"}
	}
	path, problem := tiListedFile(in.Name, string(first))
	if problem != "" || !hasActions(path) {
		return sniff.Foreign
	}
	return sniff.SniffText(head, tiSniffLines, "a list of files, of which the first has actions of a rank", func(line []byte) bool {
		_, problem := tiListedFile(in.Name, string(line))
		return line[0] == '#' || problem == ""
	})
}

// hasActions reports whether the file at path has lines of a rank and an action.
func hasActions(path string) bool {
	in, err := input.Open(context.Background(), path, nil, nil)
	if err != nil {
		return false
	}
	defer in.Close()
	head, err := in.Head()
	return err == nil && SimGridTI{}.Sniff(bytes.TrimPrefix(head, input.Utf8BOM)).Confidence == format.Likely
}

// tiFirstAction returns the first line of head that is not a comment, or nil.
func tiFirstAction(head []byte) []byte {
	var first []byte
	sniff.SniffLines(head, tiSniffLines, func(line []byte) bool {
		if first == nil && line[0] != '#' {
			first = line
		}
		return true
	})
	return first
}

// Import parses all of in.
func (f SimGridTI) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// ImportFiles parses a file of all ranks, a list, or a file for each rank.
func (f SimGridTI) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	p, err := f.parser(files, o, sink)
	if err != nil {
		return format.Result{}, err
	}
	return p.run()
}

// parser returns a parser with the settings.
func (f SimGridTI) parser(files *input.Files, o format.Options, sink format.Sink) (*tiParser, error) {
	p := &tiParser{files: files, o: o, messages: emit.NewTextMessageWriter(files, o, sink), counts: make([]uint64, len(tiActions))}
	var err error
	if p.speed, err = tiSpeed(o.Setting(f, tiFlops)); err != nil {
		return nil, err
	}
	if p.procs, err = tiRanksOf(o.Setting(f, tiRanks)); err != nil {
		return nil, err
	}
	p.given = p.procs > 0
	switch p.source = o.Setting(f, tiSource); p.source {
	case tiSourceAuto, tiSourceAny, tiSourceNull:
	default:
		return nil, format.BadSetting("%s=%s: choose auto, any or null", tiSource, p.source)
	}
	return p, nil
}

// run reads all files.
func (p *tiParser) run() (format.Result, error) {
	if err := p.readAll(); err != nil {
		return format.Result{}, err
	}
	notes, err := p.finish()
	if err != nil {
		return format.Result{}, err
	}
	return format.Result{Procs: p.procs, Lines: p.total, Notes: notes, Facts: p.facts(), Counts: p.count()}, nil
}
