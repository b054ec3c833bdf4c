// Package paraver reads and writes Paraver's traces and labels.
package paraver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spoor/traces/format/internal/sniff"
	"spoor/traces/format/internal/timeline"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Paraver is the trace of BSC's Paraver, .prv. It is text with the states, events and
// messages of the tasks of parallel applications, sorted by time. Every task is a
// processor; the tasks of further applications follow. Source: the parser of
// paraver-kernel; for the events of MPI calls, the merger of Extrae:
//
//   - types 50000001 to 50000003 enter a call; value 0 leaves it;
//   - types 50100001 to 50100004 are properties of a collective: bytes sent, bytes received, whether this task is the root, and the communicator.
//
// A task computes while its first thread is in state 1 (running) and in no MPI call. A
// message is a Send and Recv, or an Isend or Irecv with their Wait, according to the
// calls that contain its times. A message outside calls is a Send and a Recv at its
// logical times. Messages have no communicator. The call that waits for an Isend is not
// recorded; the importer takes the first that ends after the arrival of the message. If
// Spoor exported the trace, Spoor's own events (types 9100001 to 9100007) give all of
// this.
//
// Differs: Paraver warns about bad records and continues. They are errors here.
type Paraver struct{}

var (
	_ format.MultiFileImporter = Paraver{}
)

// Info describes the format.
func (Paraver) Info() format.Info {
	return format.Info{
		Name:    "paraver",
		Aliases: []string{"prv"},
		Doc:     "Paraver: states, MPI calls and messages, text (.prv)",
		Magic:   `the first line begins with "#Paraver ("`,
		Example: `  $ traces import data/sample/ring.goal --set unit=1us -o ring
  $ traces export ring --to paraver -o ring.prv
  $ traces import ring.prv -o back`,
		Time: true,
		Work: trace.WorkPicos,
		Loses: "references, times finer than a nanosecond, amounts of work (only how long it took), layouts of buffers, needs; " +
			"Spoor's own events (types 9100001 to 9100007) carry what only Spoor reads",
		Settings: append([]format.Setting{{Name: "pcf", Default: "false", Doc: "when written: true writes the labels (.pcf) of the exported events instead of the trace"},
			{Name: "row", Default: "false", Doc: "when written: true writes the names of processors (.row) instead of the trace"}}, timeline.TimelineSettings...),
	}
}

var (
	prvMagic  = []byte("#Paraver (")
	prvNew    = []byte("new format")
	prvLabels = []string{".pcf", ".row"} // suffixes of the files next to a trace
)

// Sniff is Certain if the text begins with the header.
func (Paraver) Sniff(head []byte) format.Verdict {
	if bytes.HasPrefix(head, prvNew) {
		_, head, _ = bytes.Cut(head, input.Newline)
	}
	if bytes.HasPrefix(head, prvMagic) {
		return format.Verdict{Confidence: format.Certain, Why: "the header of Paraver"}
	}
	return sniff.Foreign
}

// Expand finds the only trace in a folder. Its name gives the files of labels.
func (Paraver) Expand(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.prv*"))
	if len(files) > 1 {
		return nil, fmt.Errorf("%s: the folder holds %d Paraver traces; give one of them", dir, len(files))
	}
	return files, err
}

// Import parses all of in.
func (f Paraver) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// ImportFiles parses a trace. If its labels are not given, they are taken from the
// files next to it.
func (Paraver) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	at, labels := -1, -1
	for i := range files.Len() {
		switch suffix := filepath.Ext(files.Path(i)); {
		case suffix == prvLabels[0] && labels < 0:
			labels = i
		case suffix == prvLabels[1]:
		case at >= 0:
			return format.Result{}, fmt.Errorf("%s: a Paraver trace is one file with its .pcf and .row; import each trace separately", files.Path(i))
		default:
			at = i
		}
	}
	if at < 0 {
		return format.Result{}, fmt.Errorf("%s: only the labels of a Paraver trace; give its .prv file", files.Path(0))
	}
	if labels < 0 {
		if path := prvSibling(files.Path(at)); path != "" {
			labels = files.Add(path)
		}
	}
	p := newPrvParser(files, at, o, sink)
	if labels >= 0 {
		in, err := files.Open(labels)
		if err != nil {
			return format.Result{}, err
		}
		defer in.Close()
		if err := p.calls.read(in); err != nil {
			return format.Result{}, err
		}
	}
	in, err := files.Open(at)
	if err != nil {
		return format.Result{}, err
	}
	defer in.Close()
	return p.run(in)
}

// prvSibling returns the file of labels next to a trace, or "".
func prvSibling(path string) string {
	stem := path
	for range 2 { // for run.prv and run.prv.gz
		if suffix := filepath.Ext(stem); suffix != "" {
			stem = strings.TrimSuffix(stem, suffix)
		}
		if _, err := os.Stat(stem + prvLabels[0]); err == nil && path != "-" && stem != "" {
			return stem + prvLabels[0]
		}
	}
	return ""
}
