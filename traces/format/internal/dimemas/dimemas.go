// Package dimemas reads the traces of Dimemas, the simulator of the Barcelona Supercomputing Center.
package dimemas

import (
	"bytes"
	"fmt"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Dimemas is the trace that prv2dim makes of a Paraver trace, and that Dimemas simulates: a header, the members of
// communicators, and the records of each task, one a line, with values separated by colons. The records are those of
// file_data_access.h and Dimemas_Generation.h of Dimemas 5.5. A task becomes a rank.
//
// Work is in picoseconds of CPU bursts; the trace has no other times. Messages name tasks, and Spoor's ranks are the
// same numbers. The communicator of all tasks is the world. The root of a collective is either the same task in all
// of its records, or the task with the value 1: prv2dim writes the first for a reduce, and the second else. Tasks
// follow each other in the file, so that roots are found in a pass of their own.
//
// An immediate send has no record for its wait. It gets a wait at the end of its rank. Sizes are as in Paraver: an
// alltoall has the bytes for each member, and all others those of all members.
//
// Differs, in three cases, where Dimemas goes on: records of a task behind those of another one, which Dimemas
// skips, are an error here, as are offsets that are missing at the end, and numbers with other characters.
type Dimemas struct{}

var _ format.MultiFileImporter = Dimemas{}

const (
	magic          = "#DIMEMAS:"
	threadsSetting = "threads"
	threadsFirst   = "first"
	threadsRefuse  = "refuse"
	maxTasks       = 1 << 20
)

// Info describes the format.
func (Dimemas) Info() format.Info {
	return format.Info{
		Name:    "dimemas",
		Aliases: []string{"dim"},
		Doc:     "Dimemas: CPU bursts, messages and collectives of each task, text",
		Magic:   magic + " at the start",
		Example: `  $ traces import data/sample/ring.dim -o ring
  $ traces head -n 4 --events ring`,
		Work: trace.WorkPicos,
		Parts: []format.Part{
			{Name: magic + `"NAME":OFFSETS:TASKS(THREADS,...),COMMUNICATORS`, Doc: "the header; OFFSETS is 0, or 1 and the place of the lines s:"},
			{Name: "d:1:COMMUNICATOR:N:TASK:...", Doc: "the N tasks of a communicator"},
			{Name: "1:TASK:THREAD:SECONDS", Doc: "CPU burst"},
			{Name: "2:TASK:THREAD:TO:THREAD:BYTES:TAG:COMMUNICATOR:KIND", Doc: "send; KIND 2 and 3 are immediate; the second THREAD may be left out"},
			{Name: "3:TASK:THREAD:FROM:THREAD:BYTES:TAG:COMMUNICATOR:KIND", Doc: "receive; KIND 1 is immediate, and 2 the wait for it; FROM may be -1 (any)"},
			{Name: "10:TASK:THREAD:OP:COMMUNICATOR:ROOT:THREAD:SENT:RECEIVED:KIND", Doc: "collective OP 0 (barrier) to 15 (alltoallw); KIND 0 is immediate, and 2 the wait for it"},
			{Name: "20:TASK:THREAD:TYPE:VALUE", Doc: "event; omitted, with a note, as are 40 and 41 of older traces"},
			{Name: "0:TASK:THREAD", Doc: "nothing"},
			{Name: "s:TASK:OFFSET", Doc: "place of the first record of a task; counted only"},
		},
		Settings: []format.Setting{
			{Name: threadsSetting, Default: threadsRefuse, Doc: "refuse (a task with several threads is an error) or first (records and messages of other threads are omitted)"},
		},
	}
}

// Sniff is Certain of the header.
func (Dimemas) Sniff(head []byte) format.Verdict {
	if bytes.HasPrefix(bytes.TrimPrefix(head, input.Utf8BOM), []byte(magic)) {
		return format.Verdict{Confidence: format.Certain, Why: "the header of Dimemas"}
	}
	return sniff.Foreign
}

// Expand finds nothing: a trace is one file.
func (Dimemas) Expand(string) ([]string, error) { return nil, nil }

// Import parses all of in.
func (f Dimemas) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// ImportFiles parses the one file of a trace.
func (f Dimemas) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	p, err := f.parser(files, o, sink)
	if err != nil {
		return format.Result{}, err
	}
	return p.run()
}

// parser returns a parser with the settings.
func (f Dimemas) parser(files *input.Files, o format.Options, sink format.Sink) (*parser, error) {
	if files.Len() > 1 {
		return nil, fmt.Errorf("%s: a second file, but a trace of Dimemas is one file; import each by itself", files.Path(1))
	}
	p := &parser{files: files, messages: emit.NewTextMessageWriter(files, o, sink), comms: map[int64]*communicator{}}
	p.messages.InTurn()
	switch threads := o.Setting(f, threadsSetting); threads {
	case threadsRefuse:
	case threadsFirst:
		p.first = true
	default:
		return nil, format.BadSetting("%s=%s: choose %s or %s", threadsSetting, threads, threadsRefuse, threadsFirst)
	}
	return p, nil
}

// run reads the file.
func (p *parser) run() (format.Result, error) {
	in, err := p.files.Open(0)
	if err != nil {
		return format.Result{}, err
	}
	if err := p.FastLines(in, p.fast, p.parse); err != nil {
		return format.Result{}, err
	}
	if err := p.end(); err != nil {
		return format.Result{}, err
	}
	notes, err := p.messages.Finish(len(p.threads))
	if err != nil {
		return format.Result{}, err
	}
	notes = append(append(notes, p.lost()...), p.Notes()...)
	return format.Result{Program: p.name, Procs: len(p.threads), Lines: uint64(p.Line), Notes: notes, Counts: p.counts()}, nil
}
